// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "kmd/parameters.h"
#include "kmd/registers.h"

namespace gmmu::kmd {

/// The hardware's address spaces: which of them are in use, and their roots.
///
/// Every call that changes a root polls, a bounded number of times, until the hardware has stopped
/// using the old root (inv_status.busy). If it returns STATUS_IO_TIMEOUT, the hardware stayed busy,
/// and the space must not be used again. Callers must hold Adapter::objects, unless no other thread
/// can be in the driver.
class Spaces {
 public:
  static constexpr uint32_t kMost = regs::kSpaceCount;
  static constexpr uint32_t kNone = ~0u;

  /// Marks all `count` spaces as free, as they are after a reset of the hardware.
  void Initialize(const Registers& registers, uint32_t count, const Parameters& parameters);

  /// Allocates a free space for which the hardware caches nothing. Returns
  /// STATUS_INSUFFICIENT_RESOURCES if there is none.
  [[nodiscard]] NTSTATUS Acquire(uint32_t* space);
  /// Disables the space and flushes its translations.
  NTSTATUS Release(uint32_t space);

  /// Sets the root at `address` (4 KiB aligned). An unchanged root is not written again.
  [[nodiscard]] NTSTATUS SetRoot(uint32_t space, regs::Target target, uint64_t address, uint32_t entries);

  /// The space that currently has this root, or kNone.
  uint32_t WithRoot(regs::Target target, uint64_t address) const;

  /// Rewrites all roots after the hardware has lost them (power-up or reset).
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
