// SPDX-License-Identifier: Apache-2.0
#include "os/tables/address_space.h"

#include <algorithm>
#include <utility>

#include "os/kernel/bug_check.h"
#include "os/memory/memory_objects.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/text.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {

AddressSpace::AddressSpace(PhysicalAdapter& gpu, std::string name, bool paging, uint64_t va_end)
    : adapter_(gpu),
      name_(std::move(name)),
      paging_(paging),
      windows_(gpu.kernel().parameters().bring_up == BringUp::kWindows22621),
      first_(paging && gpu.kernel().parameters().bring_up == BringUp::kWindows26100),
      va_(gpu.caps().geometry.Coverage(0), va_end, gpu.kernel().parameters().seed,
          "va_range", name_, gpu.kernel().ledger()) {}

std::optional<uint64_t> AddressSpace::PlaceOf(unsigned level, uint64_t slot, Segment& segment, uint64_t bytes,
                                              const std::string& created_by) {
  const uint64_t asked = adapter_.caps().geometry.levels[level].alignment;
  const uint64_t alignment = asked != 0 ? std::max<uint64_t>(asked, hw::kPageSize) : segment.page_bytes();
  if (placer_) return placer_(level, slot, bytes, alignment, created_by);
  const auto place = first_ || (windows_ && paging_) ? RangeAllocator::Place::kLowest
                     : windows_                      ? RangeAllocator::Place::kHighest
                                                     : RangeAllocator::Place::kBySeed;
  return segment.space->Allocate(bytes, alignment, created_by, place);
}

AddressSpace::Table AddressSpace::NewTable(unsigned level, uint64_t slot, uint64_t bytes) {
  const LevelDescriptor& descriptor = adapter_.caps().geometry.levels[level];
  const unsigned id = paging_ ? descriptor.paging_segment : descriptor.segment;
  const std::string created_by = "level " + std::to_string(level) + " table of " + name_;
  Table table;
  if (id == 0) {
    if (bytes > hw::kPageSize)
      throw OsError("the driver puts tables of more than a page into system memory");
    table.system = SystemBuffer(adapter_.kernel(), adapter_.objects(), adapter_.handle(), bytes,
                                SystemBuffer::Shape::kScattered, "vidmm");
    table.gpu.SegmentOffset = table.system.logical();
    table.cpu = table.system.Map(0, bytes);
  } else {
    table.segment = &adapter_.segment(id);
    const auto offset = PlaceOf(level, slot, *table.segment, bytes, created_by);
    if (!offset) throw NoRoom("no room in segment " + adapter_.Named(std::to_string(id)) + " for a " + created_by);
    table.gpu.SegmentId = id;
    table.gpu.SegmentOffset = *offset;
    if (table.segment->cpu_view != nullptr) table.cpu = table.segment->cpu_view + *offset;
  }
  table.bytes = bytes;
  try {
    if (views_.map) table.view = views_.map(table.gpu, bytes);
  } catch (const NoRoom&) {
    if (table.segment != nullptr) table.segment->space->Free(table.gpu.SegmentOffset);
    table.system.Release();
    throw;
  }
  table.ticket = adapter_.kernel().ledger().Open(
      "page_table", "segment " + adapter_.Named(std::to_string(id)) + ", " + Hex(table.gpu.SegmentOffset), "vidmm",
      created_by);
  return table;
}

void AddressSpace::Initialise(const Table& table, unsigned level, uint64_t count, uint64_t va,
                              const Sink& sink) {
  TableUpdate update;
  update.level = level;
  update.entries.resize(1);  // invalid
  update.count = count;
  update.repeat = true;
  update.initial = true;
  update.first_va = va;
  Aim(update, table);
  sink(update);
}

AddressSpace::Root AddressSpace::NewRoot(uint64_t wanted) {
  const Geometry& geometry = adapter_.caps().geometry;
  const unsigned level = geometry.count() - 1;
  uint64_t bytes = geometry.levels[level].bytes, entries = geometry.Entries(level);
  if (geometry.count() == 2) {  // only two-level roots are resizable
    const auto [held, size] = adapter_.RootPageTableSize(wanted == 0 ? entries : std::min(wanted, entries));
    entries = std::min(held, entries);
    bytes = size;
  }
  return {NewTable(level, 0, bytes), entries};
}

AddressSpace::Table AddressSpace::PutRoot(Root root) {
  root_entries_ = root.entries;
  return std::exchange(root_, std::move(root.table));
}

void AddressSpace::CreateRoot(const Sink& sink, uint64_t entries) {
  PutRoot(NewRoot(entries));
  if (windows_ || first_) return;  // written with its first entries
  root_.written = true;
  Initialise(root_, adapter_.caps().geometry.count() - 1, root_entries_, 0, sink);
}

void AddressSpace::Aim(TableUpdate& update, const Table& table) {
  update.table = table.gpu;
  update.table_cpu = table.cpu;
  update.table_va = table.view;
}

DXGK_PTE AddressSpace::LinkTo(const Table& table) const {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.Segment = table.gpu.SegmentId;
  if (table.gpu.SegmentId != 0) entry.PhysicalAdapterIndex = adapter_.index();
  entry.PageTableAddress = table.gpu.SegmentOffset / hw::kPageSize;
  return entry;
}

void AddressSpace::WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const Sink& sink) {
  Table& table = Ensure(level, va, sink);
  const Geometry& geometry = adapter_.caps().geometry;
  TableUpdate update;
  update.level = level;
  update.start = geometry.Index(level, va);
  update.count = 1;
  update.first_va = va >> geometry.Shift(level) << geometry.Shift(level);
  Aim(update, table);
  update.entries = {entry};
  if (geometry.dual && level == 1) {
    const Leaf64k* large = Find64k(va / geometry.Coverage(0));
    update.entries_64k = {large == nullptr ? DXGK_PTE{} : LinkTo64k(large->table)};
  }
  sink(update);
}

bool AddressSpace::InRoot(uint64_t va) const {
  const Geometry& geometry = adapter_.caps().geometry;
  return va >> geometry.Shift(geometry.count() - 1) < root_entries_;
}

void AddressSpace::ReachInRoot(uint64_t va) {
  if (InRoot(va)) return;
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t index = va >> geometry.Shift(geometry.count() - 1);
  if (grow_ && geometry.count() == 2 && index < geometry.Entries(1)) grow_(index + 1);
  if (!InRoot(va))
    throw OsError("address " + Hex(va) + " of " + name_ + " is beyond the " + std::to_string(root_entries_) +
                  " entries of its root");
}

AddressSpace::Table& AddressSpace::Ensure(unsigned level, uint64_t va, const Sink& sink) {
  if (evicted()) throw BugCheck("entries of " + name_ + " are changed while its page tables are evicted");
  const Geometry& geometry = adapter_.caps().geometry;
  ReachInRoot(va);
  if (level == geometry.count() - 1) return root_;
  const Slot slot{level, va / geometry.Coverage(level)};
  const auto found = tables_.find(slot);
  if (found != tables_.end()) return found->second;
  if (windows_ && !UnderUpper(level, va)) return EnsureInWindowsOrder(level, va, sink);

  const uint64_t start = slot.second * geometry.Coverage(level);
  Ensure(level + 1, va, sink);
  Table& table = tables_.emplace(slot, NewTable(level, slot.second, geometry.levels[level].bytes)).first->second;
  const auto upper = uppers_.find(slot);
  if (upper == uppers_.end()) {
    Initialise(table, level, geometry.Entries(level), start, sink);
  } else {
    Split(table, level, start, upper->second, sink);
    for (uint64_t i = 0; level > 0 && i < geometry.Entries(level); ++i)
      uppers_[{level - 1, start / geometry.Coverage(level - 1) + i}] = EntryOf(upper->second, level, i);
    uppers_.erase(slot);
  }
  WriteEntry(level + 1, start, LinkTo(table), sink);
  return table;
}

void AddressSpace::Release(Table& table) {
  if (adapter_.kernel().LeakNow("page_table")) return;
  if (views_.unmap) views_.unmap(table.view, table.bytes);
  if (table.segment != nullptr) table.segment->space->Free(table.gpu.SegmentOffset);
  table.system.Release();
  adapter_.kernel().ledger().Close(table.ticket);
}

void AddressSpace::ReleaseRetired() {
  for (Retired& retired : retired_) Release(retired.table);
  retired_.clear();
}

void AddressSpace::SetEntries(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries,
                              HANDLE allocation, uint64_t allocation_offset, const Sink& sink,
                              uint64_t driver_protection) {
  const Geometry& geometry = adapter_.caps().geometry;
  const bool repeat = entries.size() == 1 && pages != 1;
  const bool fits = Fits64k(va, pages, entries);
  for (uint64_t done = 0; done < pages;) {
    const uint64_t at = va + done * hw::kPageSize;
    TableUpdate update;
    update.start = geometry.Index(0, at);
    update.count = std::min(pages - done, geometry.Entries(0) - update.start);
    update.repeat = repeat;
    update.first_va = at;
    update.driver_protection = driver_protection;
    update.allocation = allocation;
    update.allocation_offset = allocation_offset + (repeat ? 0 : done * hw::kPageSize);
    if (repeat) {
      update.entries = entries;
    } else {
      const auto first = entries.begin() + static_cast<ptrdiff_t>(done);
      update.entries.assign(first, first + static_cast<ptrdiff_t>(update.count));
    }
    done += update.count;
    if (grow_ && !InRoot(at) && NoneInUse(update.entries)) continue;
    PutLeaf(std::move(update), fits, sink);
  }
}

void AddressSpace::EnsureTables(uint64_t va, uint64_t pages, const Sink& sink, bool large) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t coverage = geometry.Coverage(0);
  for (uint64_t at = va / coverage * coverage; at < va + pages * hw::kPageSize; at += coverage) {
    const uint64_t slot = at / coverage;
    if (!geometry.dual && Find64k(slot) != nullptr) continue;
    const bool open = geometry.dual || (tables_.count({0, slot}) == 0 && uppers_.count({0, slot}) == 0);
    if (large && open)
      Ensure64k(slot, sink);
    else
      Ensure(0, at, sink);
  }
}

void AddressSpace::Invalidate(uint64_t va, uint64_t pages, const Sink& sink) {
  SetEntries(va, pages, std::vector<DXGK_PTE>(1), nullptr, 0, sink);
}

AddressSpace::Extent AddressSpace::ExtentOf(const Slot& slot, bool use_64k) const {
  const Geometry& geometry = adapter_.caps().geometry;
  const auto [level, index] = slot;
  return {level, index * geometry.Coverage(level), geometry.Entries(level) / (use_64k ? kPagesOf64k : 1), use_64k};
}

AddressSpace::Extent AddressSpace::ExtentOfRoot() const {
  return {adapter_.caps().geometry.count() - 1, 0, root_entries_, false};
}

void AddressSpace::InvalidateTable(const Table& table, const Extent& extent, bool retired, const Sink& sink) {
  TableUpdate update;
  update.level = extent.level;
  update.entries.resize(1);
  update.count = extent.entries;
  update.repeat = true;
  update.use_64k = extent.use_64k;
  update.retired = retired;
  update.first_va = extent.va;
  Aim(update, table);
  sink(update);
}

bool AddressSpace::InvalidateRetired(const Sink& sink) {
  bool any = false;
  for (Retired& retired : retired_) {
    if (std::exchange(retired.cleared, true)) continue;
    InvalidateTable(retired.table, retired.extent, true, sink);
    any = true;
  }
  return any;
}

void AddressSpace::InvalidateAll(const Sink& sink) {
  InvalidateRetired(sink);
  for (const auto& [slot, leaf] : leaves_64k_) InvalidateTable(leaf.table, ExtentOf({0, slot}, true), false, sink);
  for (const auto& [slot, table] : tables_) InvalidateTable(table, ExtentOf(slot), false, sink);
  if (root_.written) InvalidateTable(root_, ExtentOfRoot(), false, sink);
}

void AddressSpace::FreeTables() {
  for (auto& [slot, table] : tables_) Release(table);
  for (auto& [slot, leaf] : leaves_64k_) Release(leaf.table);
  tables_.clear();
  leaves_64k_.clear();
  small_.clear();
  uppers_.clear();
  evicted_.clear();
  evicted_64k_.clear();
  ReleaseRetired();
  if (root_.bytes != 0) Release(root_);
  root_ = {};
  root_entries_ = 0;
}

}  // namespace gmmu::os
