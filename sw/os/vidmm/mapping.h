// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/platform.h"
#include "os/tables/protection.h"

namespace gmmu::os {

struct GpuProcess;

/// Addresses of one process at which pages of an allocation are shown. The allocation keeps its mappings, also while it
/// is not resident. Pages are 4 KiB.
struct Mapping {
  GpuProcess* process;
  uint64_t va;
  uint64_t first_page;  // of the allocation
  uint64_t pages;
  Protection protection;
  bool one_page = false;  // every address shows `first_page`

  /// Pages of the allocation from `first_page` on.
  uint64_t shown() const { return one_page ? 1 : pages; }
  uint64_t end() const { return va + pages * hw::kPageSize; }
  /// The part that begins at page `first` of this mapping and has `count` pages.
  Mapping Part(uint64_t first, uint64_t count) const {
    return {process, va + first * hw::kPageSize, one_page ? first_page : first_page + first, count, protection,
            one_page};
  }
};

/// What is left of `mappings` when [va, va + 4096 * pages) of a process is taken out.
std::vector<Mapping> Without(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                             uint64_t pages);
/// The parts of `mappings` that lie in [va, va + bytes) of a process.
std::vector<Mapping> Within(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                            uint64_t bytes);

}  // namespace gmmu::os
