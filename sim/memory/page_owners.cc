// SPDX-License-Identifier: Apache-2.0
#include "memory/page_owners.h"

#include <fmt/format.h>

namespace gmmu::sim {

void PageOwners::Note(uint64_t first, uint64_t count, bool owned) {
  watching_ = true;
  last_ = ~uint64_t{0};
  for (uint64_t pfn = first; pfn < first + count; ++pfn) {
    if (owned) owned_.insert(pfn);
    else owned_.erase(pfn);
  }
}

void PageOwners::Found(uint64_t hpa, bool write) {
  if (findings_.size() == kMostFindings) return;
  findings_.push_back({"host_pages", fmt::format("a device {} host memory at {:#x}, in a page that nobody has",
                                                 write ? "wrote" : "read", hpa)});
}

}  // namespace gmmu::sim
