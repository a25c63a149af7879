// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/ntdef.h"
#include "os/base/ledger.h"

namespace gmmu::os {

class Kernel;

/// What MmAllocateContiguousMemorySpecifyCache gives to a driver: consecutive host pages with a view of the CPU. The
/// driver's bus addresses for them are MmGetPhysicalAddress, so an IOMMU's domain does not have them.
class ContiguousMemory {
 public:
  /// Bytes; `highest` is the last byte, `boundary` a power of two that no block crosses, 0: any.
  struct Bounds {
    uint64_t lowest = 0, highest = ~uint64_t{0}, boundary = 0;
  };

  explicit ContiguousMemory(Kernel& kernel) : kernel_(kernel) {}
  ~ContiguousMemory();

  /// Null: no such pages. A bug check above DISPATCH_LEVEL.
  void* Allocate(uint64_t bytes, const Bounds& bounds, MEMORY_CACHING_TYPE caching);
  /// A bug check for what was not allocated, or with another size.
  void Free(void* view, uint64_t bytes);
  /// A bug check for what was not allocated.
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
