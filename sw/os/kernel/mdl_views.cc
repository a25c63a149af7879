// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/mdl_views.h"

#include <string>
#include <vector>

#include "os/base/bug_check.h"
#include "os/base/page_math.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

hw::Caching CachingOf(MEMORY_CACHING_TYPE type) {
  return type == MmCached          ? hw::Caching::kCached
         : type == MmWriteCombined ? hw::Caching::kWriteCombined
                                   : hw::Caching::kNonCached;
}

}  // namespace

MdlViews::~MdlViews() {
  // Views that remain after a failed run are removed here.
  for (const auto& [list, view] : views_) ram_.UnmapPages(view.base, view.pages);
}

void* MdlViews::Map(MDL& list, MEMORY_CACHING_TYPE caching) {
  if (views_.count(&list) != 0) throw BugCheck("MmMapLockedPagesSpecifyCache of an MDL that has a view");
  const size_t pages = PagesOf(uint64_t{list.ByteOffset} + list.ByteCount);
  if (pages == 0) throw BugCheck("MmMapLockedPagesSpecifyCache of an MDL of no bytes");
  const PFN_NUMBER* const first = MmGetMdlPfnArray(&list);
  const std::vector<uint64_t> pfns(first, first + pages);
  void* const base = ram_.MapPages(pfns.data(), pages, CachingOf(caching));
  views_[&list] = {base, pages,
                   ledger_.Open("cpu_view", std::to_string(pages * hw::kPageSize) + " bytes of an MDL", "driver",
                                "MmMapLockedPagesSpecifyCache")};
  list.MappedSystemVa = static_cast<uint8_t*>(base) + list.ByteOffset;
  list.MdlFlags = static_cast<SHORT>(list.MdlFlags | MDL_MAPPED_TO_SYSTEM_VA);
  return list.MappedSystemVa;
}

void MdlViews::End(std::map<const MDL*, View>::iterator at, MDL& list) {
  ram_.UnmapPages(at->second.base, at->second.pages);
  ledger_.Close(at->second.ticket);
  views_.erase(at);
  list.MappedSystemVa = nullptr;
  list.MdlFlags = static_cast<SHORT>(list.MdlFlags & ~MDL_MAPPED_TO_SYSTEM_VA);
}

void MdlViews::Unmap(const void* view, MDL& list) {
  const auto found = views_.find(&list);
  if (found == views_.end() || view != list.MappedSystemVa)
    throw BugCheck("MmUnmapLockedPages of a view that the MDL does not have");
  End(found, list);
}

void MdlViews::RequireNone(const MDL& list, const char* call) const {
  if (views_.count(&list) != 0)
    throw BugCheck(std::string(call) + " of pages that have a view: MmUnmapLockedPages comes first");
}

void MdlViews::Drop(MDL& list) {
  const auto found = views_.find(&list);
  if (found != views_.end()) End(found, list);
}

}  // namespace gmmu::os
