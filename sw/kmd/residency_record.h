// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bitset>
#include <cstdint>

#include "kmd/locks.h"
#include "kmd/own_memory.h"
#include "kmd/registers.h"

namespace gmmu::kmd {

/// Records the addresses of allocations with ExplicitResidencyNotification. Each such allocation
/// has one word of GPU-visible memory, which the GPU writes in stream order (NOTIFY_RESIDENCY). The
/// word is 0 if the allocation is not resident. Otherwise it is the address of the first byte, with
/// the segment in bits 5:1 and bit 0 set.
class ResidencyRecord {
 public:
  static constexpr uint32_t kSlots = 512;
  static constexpr uint32_t kNone = ~0u;

  [[nodiscard]] NTSTATUS Create(const MemoryCallbacks& callbacks, ULONG_PTR cookie) {
    taken_.reset();
    return page_.Create(callbacks, cookie);
  }
  void Destroy() { page_.Destroy(); }

  /// Allocates a slot and returns it, or kNone if no slot is free.
  uint32_t Take() {
    const auto take = [this] {
      for (uint32_t slot = 0; slot < kSlots; ++slot) {
        if (taken_[slot]) continue;
        taken_[slot] = true;
        page_.As<uint64_t>()[slot] = 0;
        return slot;
      }
      return kNone;
    };
    return lock_.With(take);
  }
  void GiveBack(uint32_t slot) {
    if (slot == kNone) return;
    lock_.With([&] { return taken_[slot] = false; });
  }
  /// Marks every allocation as not resident. Call after video memory has been lost.
  void Clear() { page_.Clear(); }

  uint64_t address(uint32_t slot) const { return page_.address() + uint64_t{slot} * 8; }  ///< logical address
  uint64_t word(uint32_t slot) const { return page_.As<const uint64_t>()[slot]; }
  static uint64_t Word(uint32_t segment, uint64_t offset) { return offset | uint64_t{segment} << 1 | 1; }

 private:
  OwnMemory page_;
  SpinLock lock_;
  std::bitset<kSlots> taken_;  ///< guarded by the lock, because any thread may create and destroy allocations
};

}  // namespace gmmu::kmd
