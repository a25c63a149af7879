// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/ntdef.h"
#include "os/base/ledger.h"

namespace gmmu::os {

class Kernel;

/// Memory from MmAllocateContiguousMemorySpecifyCache: consecutive host pages with a CPU view. The
/// driver passes their addresses from MmGetPhysicalAddress to the device, but no IOMMU domain maps
/// them.
class ContiguousMemory {
 public:
  /// Address bounds in bytes. `highest` is the address of the last usable byte. No block crosses a
  /// multiple of `boundary` (a power of two, 0: no limit).
  struct Bounds {
    uint64_t lowest = 0, highest = ~uint64_t{0}, boundary = 0;
  };

  explicit ContiguousMemory(Kernel& kernel) : kernel_(kernel) {}
  ~ContiguousMemory();

  /// Returns null if no suitable pages are free. Triggers a bug check above DISPATCH_LEVEL.
  void* Allocate(uint64_t bytes, const Bounds& bounds, MEMORY_CACHING_TYPE caching);
  /// Triggers a bug check if the memory was not allocated by this object, or was allocated with another size.
  void Free(void* view, uint64_t bytes);
  /// Triggers a bug check if the memory was not allocated by this object.
  uint64_t BytesOf(void* view);

 private:
  struct Block {
    std::vector<uint64_t> pfns;
    uint64_t bytes = 0;
    Ledger::Ticket ticket{};
  };

  Kernel& kernel_;
  std::map<void*, Block> blocks_;
};

}  // namespace gmmu::os
