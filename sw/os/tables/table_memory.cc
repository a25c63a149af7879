// SPDX-License-Identifier: Apache-2.0
#include "os/tables/table_memory.h"

#include <algorithm>
#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/memory/system_buffer.h"

namespace gmmu::os {

uint64_t TableMemory::PlaceOf(unsigned level, unsigned placed_level, uint64_t slot, Segment& segment, uint64_t bytes,
                              const std::string& created_by) {
  const uint64_t asked = adapter_.caps().geometry.levels[level].alignment;
  const uint64_t alignment = asked != 0 ? std::max<uint64_t>(asked, hw::kPageSize) : segment.page_bytes();
  if (placer_) return placer_(placed_level, slot, bytes, alignment, created_by);
  if (const auto offset = segment.space->Allocate(bytes, alignment, created_by, place_)) return *offset;
  throw NoRoom(adapter_.index(), segment.id,
               "no room in segment " + adapter_.Named(std::to_string(segment.id)) + " for a " + created_by);
}

PageTable TableMemory::Make(unsigned level, uint64_t slot, uint64_t bytes) { return Make(level, level, slot, bytes); }

PageTable TableMemory::Make(unsigned level, unsigned placed_level, uint64_t slot, uint64_t bytes) {
  const LevelDescriptor& descriptor = adapter_.caps().geometry.levels[level];
  const unsigned id = paging_ ? descriptor.paging_segment : descriptor.segment;
  const std::string created_by = "level " + std::to_string(level) + " table of " + name_;
  PageTable table;
  if (id == 0) {
    // A table of several pages must be contiguous in the addresses that the GPU uses. If its
    // alignment exceeds the page size, a larger buffer is allocated and the table starts at an
    // aligned address in it.
    const uint64_t alignment = std::max<uint64_t>(descriptor.alignment, hw::kPageSize);
    const uint64_t taken = bytes + alignment - hw::kPageSize;
    table.system = std::make_unique<SystemBuffer>(adapter_.MakeBuffer(taken, taken > hw::kPageSize));
    table.gpu.SegmentOffset = (table.system->logical() + alignment - 1) / alignment * alignment;
    table.cpu = table.system->Map(table.gpu.SegmentOffset - table.system->logical(), bytes);
  } else {
    table.segment = &adapter_.segment(id);
    table.gpu.SegmentId = id;
    table.gpu.SegmentOffset = PlaceOf(level, placed_level, slot, *table.segment, bytes, created_by);
    if (table.segment->cpu_view != nullptr) table.cpu = table.segment->cpu_view + table.gpu.SegmentOffset;
  }
  table.bytes = bytes;
  try {
    if (views_.map) table.view = views_.map(table.gpu, bytes);
  } catch (const NoRoom&) {
    if (table.segment != nullptr) table.segment->space->Free(table.gpu.SegmentOffset);
    if (table.system) table.system->Release();
    throw;
  }
  table.ticket = adapter_.kernel().ledger().Open(
      "page_table", "segment " + adapter_.Named(std::to_string(id)) + ", " + Hex(table.gpu.SegmentOffset), "vidmm",
      created_by);
  return table;
}

PageTable TableMemory::Make64k(uint64_t leaf) {
  return Make(0, kLevelOf64k, leaf, adapter_.caps().geometry.leaf_64k_bytes);
}

void TableMemory::Free(PageTable& table) {
  if (adapter_.kernel().LeakNow("page_table")) return;
  if (views_.unmap) views_.unmap(std::exchange(table.view, 0), table.bytes);
  if (table.segment != nullptr) table.segment->space->Free(table.gpu.SegmentOffset);
  if (table.system) table.system->Release();
  adapter_.kernel().ledger().Close(table.ticket);
}

DXGK_PTE TableMemory::LinkTo(const PageTable& table) const {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.Segment = table.gpu.SegmentId;
  if (table.gpu.SegmentId != 0) entry.PhysicalAdapterIndex = adapter_.index();
  entry.PageTableAddress = table.gpu.SegmentOffset / hw::kPageSize;
  return entry;
}

DXGK_PTE TableMemory::LinkTo64k(const PageTable& table) const {
  DXGK_PTE entry = LinkTo(table);
  entry.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB;
  return entry;
}

}  // namespace gmmu::os
