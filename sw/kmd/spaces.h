// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "kmd/parameters.h"
#include "kmd/registers.h"

namespace gmmu::kmd {

/// The hardware's address spaces: which are in use, and the root of each.
///
/// Every call that changes a root polls, a bounded number of times, until the hardware no longer uses the old root
/// (inv_status.busy). STATUS_IO_TIMEOUT means that it stayed busy; the space must not be used again. Callers hold
/// Adapter::objects, or no other thread is in the driver.
class Spaces {
 public:
  static constexpr uint32_t kMost = regs::kSpaceCount;
  static constexpr uint32_t kNone = ~0u;

  /// Marks all `count` spaces as free, which they are after a reset of the hardware.
  void Initialize(const Registers& registers, uint32_t count, const Parameters& parameters);

  /// Allocates a space that is free and for whose number the hardware caches nothing. Returns
  /// STATUS_INSUFFICIENT_RESOURCES if no such space exists.
  [[nodiscard]] NTSTATUS Acquire(uint32_t* space);
  /// Disables the space and flushes its translations.
  NTSTATUS Release(uint32_t space);

  /// Sets the root at `address` (4 KiB aligned). An unchanged root is not written again.
  [[nodiscard]] NTSTATUS SetRoot(uint32_t space, regs::Target target, uint64_t address, uint32_t entries);

  /// The space that currently has this root, or kNone if no space has it.
  uint32_t WithRoot(regs::Target target, uint64_t address) const;

  /// Writes all roots again after the hardware has lost them (power, reset).
  [[nodiscard]] NTSTATUS Restore();

  uint32_t count() const { return count_; }

 private:
  struct Root {
    regs::SpaceGeometry geometry;
    regs::SpaceRoot root;
  };
  NTSTATUS WaitUntilQuiet() const;
  NTSTATUS WriteRoot(uint32_t space, const Root& root);

  Registers registers_;
  uint32_t count_ = 0;
  regs::SpaceGeometry geometry_;  ///< all fields except the root's size
  std::array<bool, kMost> taken_{};
  std::array<Root, kMost> roots_{};
};

}  // namespace gmmu::kmd
