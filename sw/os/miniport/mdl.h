// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "ddi/ntdef.h"
#include "os/base/page_math.h"

namespace gmmu::os {

/// A memory descriptor list that the system passes to a driver. Its pages are host physical pages.
class Mdl {
 public:
  Mdl() = default;
  explicit Mdl(const std::vector<uint64_t>& pfns) : words_(sizeof(MDL) / sizeof(uint64_t) + pfns.size()) {
    MDL& head = *get();
    head.Size = static_cast<SHORT>(words_.size() < 4096 ? words_.size() * sizeof(uint64_t) : 0x7FFF);
    head.ByteCount = static_cast<ULONG>(pfns.size() * hw::kPageSize);
    for (size_t i = 0; i < pfns.size(); ++i) MmGetMdlPfnArray(&head)[i] = pfns[i];
  }
  PMDL get() { return reinterpret_cast<PMDL>(words_.data()); }

  /// Returns the pages of any MDL, in order.
  static std::vector<uint64_t> PagesOf(const MDL* list) {
    const uint64_t bytes = uint64_t{list->ByteOffset} + list->ByteCount;
    const PFN_NUMBER* first = reinterpret_cast<const PFN_NUMBER*>(list + 1);
    return {first, first + os::PagesOf(bytes)};
  }

 private:
  static_assert(sizeof(MDL) % sizeof(uint64_t) == 0, "page numbers follow the head");
  std::vector<uint64_t> words_;
};

}  // namespace gmmu::os
