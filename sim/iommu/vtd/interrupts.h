// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "iommu/vtd/types.h"

namespace gmmu::sim {

/// An interrupt message: a 32-bit write to the interrupt window.
struct VtdMessage {
  uint64_t address = 0;
  uint32_t data = 0;
};

/// An entry of the interrupt remapping table (IRTE) in the format for remapped, not posted, interrupts.
struct VtdInterruptEntry {
  uint64_t low = 0, high = 0;

  bool present() const { return (low & 1) != 0; }
  bool fpd() const { return (low & 2) != 0; }
  /// Returns the fault that a request by `sid` causes at this entry, or kNone.
  VtdReason Check(uint16_t sid) const;
  /// Returns the message that the unit sends for a request to this entry.
  VtdMessage Message() const;
};

/// Interrupt remapping: the registers that control it, the format of requests, and the cache of
/// table entries.
class VtdInterrupts {
 public:
  /// `entries` is the size of the cache, which is fully associative and replaces the least recently
  /// used entry.
  explicit VtdInterrupts(unsigned entries) : capacity_(entries) {}

  // State that the registers control.
  void set_enabled(bool on) { enabled_ = on; }                      ///< GCMD.IRE
  void set_compatibility(bool passes) { compatibility_ = passes; }  ///< GCMD.CFI
  /// Latches the table: the value of IRTA, [63:12] address and [3:0] log2 of the entries - 1.
  void SetTable(uint64_t irta) { irta_ = irta; }
  bool enabled() const { return enabled_; }

  /// The result of decoding a request. With a reason, the request faults. With only an index, that
  /// entry remaps it. With neither, it passes unchanged.
  struct Request {
    VtdReason reason = VtdReason::kNone;
    std::optional<uint32_t> index = std::nullopt;
  };
  Request Decode(const VtdMessage& message) const;
  uint64_t AddressOf(uint32_t index) const { return (irta_ & ~uint64_t{0xFFF}) + 16 * uint64_t{index}; }

  const VtdInterruptEntry* Find(uint32_t index);
  void Fill(uint32_t index, const VtdInterruptEntry& entry);
  /// Drops the entries whose index equals `index` in all bits above the low `mask` bits, or all of
  /// them. Returns their number.
  size_t Drop(uint32_t index, unsigned mask);
  size_t DropAll();

 private:
  struct Cached {
    uint32_t index;
    VtdInterruptEntry entry;
  };
  const size_t capacity_;
  bool enabled_ = false, compatibility_ = false;
  uint64_t irta_ = 0;
  std::vector<Cached> entries_;  ///< most recently used first
};

}  // namespace gmmu::sim
