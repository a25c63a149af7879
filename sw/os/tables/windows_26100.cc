// SPDX-License-Identifier: Apache-2.0
#include "os/tables/windows_26100.h"

#include "hw/host_ram.h"
#include "os/miniport/geometry.h"
#include "os/tables/table_memory.h"
#include "os/tables/table_tree.h"

namespace gmmu::os {

// Tables are allocated from the root down and filled from the leaf up. When Windows clears the leaf tables of 64 KiB
// entries is not known; here they are cleared before level 1 names them.
std::vector<DXGK_PTE> Windows26100::MakeFirst(uint64_t va, uint64_t large, const UpdateSink& sink) {
  const Geometry& geometry = tree_.geometry();
  const unsigned top = tree_.root().level();
  const uint64_t leaf = va / geometry.Coverage(0);
  for (unsigned level = top; level-- > 0;) tree_.Place(level, va);
  for (uint64_t i = 1; i <= large; ++i) tree_.leaves_64k().Make(leaf + i);
  PageTable& first = tree_.Place(0, va);
  Initialise(first, tree_.ExtentAt(0, va), sink);
  first.written = true;
  for (uint64_t i = 1; i <= large; ++i) tree_.leaves_64k().Initialise(leaf + i, sink);
  for (unsigned level = 1; level < top; ++level) {
    const uint64_t coverage = geometry.Coverage(level), end = va + (large + 1) * geometry.Coverage(0);
    for (uint64_t at = va / coverage * coverage; at < end; at += coverage) tree_.WriteLinks(level, at, sink);
  }
  return EntriesFor(first);
}

void Windows26100::MakeWholeRoot(const UpdateSink& sink) { tree_.WriteLinks(tree_.root().level(), 0, sink); }

std::vector<DXGK_PTE> Windows26100::EntriesFor(const PageTable& table) const {
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < table.bytes / hw::kPageSize; ++page) {
    entries.push_back(memory_.LinkTo(table));
    entries.back().PageAddress += page;
    entries.back().CacheCoherent = table.gpu.SegmentId == 0 && coherent_;
  }
  return entries;
}

}  // namespace gmmu::os
