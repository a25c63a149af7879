// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/ntdef.h"
#include "os/base/ledger.h"

namespace gmmu::os {

class Kernel;

/// Memory of MmAllocateContiguousMemorySpecifyCache: consecutive host pages with a CPU view. The driver uses
/// MmGetPhysicalAddress as bus addresses, which an IOMMU domain does not map.
class ContiguousMemory {
 public:
  /// Bytes; `highest` is the last byte, `boundary` a power of two that no block crosses, 0: any.
  struct Bounds {
    uint64_t lowest = 0, highest = ~uint64_t{0}, boundary = 0;
  };

  explicit ContiguousMemory(Kernel& kernel) : kernel_(kernel) {}
  ~ContiguousMemory();

  /// Null if there are no such pages. A bug check above DISPATCH_LEVEL.
  void* Allocate(uint64_t bytes, const Bounds& bounds, MEMORY_CACHING_TYPE caching);
  /// A bug check for memory that was not allocated here, or with another size.
  void Free(void* view, uint64_t bytes);
  /// A bug check for memory that was not allocated here.
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
