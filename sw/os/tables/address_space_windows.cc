// SPDX-License-Identifier: Apache-2.0
// Tables in the orders that were seen on builds 22621 and 26100 (bring_up.h).
#include <algorithm>

#include "os/tables/address_space.h"
#include "os/dxgkrnl/physical_adapter.h"

namespace gmmu::os {

AddressSpace::Table* AddressSpace::Find(unsigned level, uint64_t va) {
  const Geometry& geometry = adapter_.caps().geometry;
  if (level == geometry.count() - 1) return &root_;
  const auto found = tables_.find({level, va / geometry.Coverage(level)});
  return found == tables_.end() ? nullptr : &found->second;
}

/// Found, or made with a place and no contents.
AddressSpace::Table& AddressSpace::TableOf(unsigned level, uint64_t va) {
  if (Table* table = Find(level, va)) return *table;
  const Geometry& geometry = adapter_.caps().geometry;
  return tables_
      .emplace(Slot{level, va / geometry.Coverage(level)},
               NewTable(level, va / geometry.Coverage(level), geometry.levels[level].bytes))
      .first->second;
}

void AddressSpace::WriteWhole(unsigned level, uint64_t va, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const bool root = level == geometry.count() - 1;
  Table& table = TableOf(level, va);
  TableUpdate update;
  update.level = level;
  update.count = root ? root_entries_ : geometry.Entries(level);
  update.initial = true;
  update.first_va = root ? 0 : va / geometry.Coverage(level) * geometry.Coverage(level);
  Aim(update, table);
  update.entries.resize(update.count);
  const uint64_t each = uint64_t{1} << geometry.Shift(level);
  for (uint64_t i = 0; i < update.count; ++i) {
    const uint64_t at = update.first_va + i * each;
    if (const Table* below = Find(level - 1, at)) update.entries[i] = LinkTo(*below);
    const Leaf64k* large = level == 1 ? Find64k(at / geometry.Coverage(0)) : nullptr;
    if (level == 1 && geometry.dual)
      update.entries_64k.push_back(large == nullptr ? DXGK_PTE{} : LinkTo64k(large->table));
    if (large != nullptr && !geometry.dual) update.entries[i] = LinkTo64k(large->table);
  }
  table.written = true;
  sink(update);
}

// Places from the root down, contents from the leaf up.
AddressSpace::Table& AddressSpace::EnsureInWindowsOrder(unsigned level, uint64_t va, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const unsigned top = geometry.count() - 1;
  for (unsigned up = top; up-- > level;) TableOf(up, va);
  Table& wanted = TableOf(level, va);
  const uint64_t start = va / geometry.Coverage(level) * geometry.Coverage(level);
  if (level == 0) {
    Initialise(wanted, 0, geometry.Entries(0), start, sink);
    wanted.written = true;
  } else {
    WriteWhole(level, va, sink);
  }
  for (unsigned up = level + 1; up <= top; ++up) {
    if (TableOf(up, va).written) {
      WriteEntry(up, va, LinkTo(*Find(up - 1, va)), sink);
      break;
    }
    WriteWhole(up, va, sink);
  }
  return wanted;
}

// Places from the root down, contents from the leaf up. Where the leaf tables of 64 KiB entries are cleared is not
// known; here it is before level 1 names them.
void AddressSpace::MakeFirst(uint64_t va, uint64_t large, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const unsigned top = geometry.count() - 1;
  const uint64_t slot = va / geometry.Coverage(0);
  for (unsigned level = top; level-- > 0;) TableOf(level, va);
  for (uint64_t i = 1; i <= large; ++i)
    leaves_64k_[slot + i] = {New64k(), std::vector<HeldEntry>(geometry.Entries(0) / kPagesOf64k)};
  Initialise(TableOf(0, va), 0, geometry.Entries(0), va, sink);
  TableOf(0, va).written = true;
  for (uint64_t i = 1; i <= large; ++i) Clear64k(slot + i, sink);
  for (unsigned level = 1; level < top; ++level) {
    const uint64_t coverage = geometry.Coverage(level), end = va + (large + 1) * geometry.Coverage(0);
    for (uint64_t at = va / coverage * coverage; at < end; at += coverage) WriteWhole(level, at, sink);
  }
}

void AddressSpace::MakeWholeRoot(const Sink& sink) { WriteWhole(adapter_.caps().geometry.count() - 1, 0, sink); }

std::vector<DXGK_PTE> AddressSpace::EntriesOfLeafTable(uint64_t va) {
  const Table& table = TableOf(0, va);
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = 0; page < table.bytes / hw::kPageSize; ++page) {
    entries.push_back(LinkTo(table));
    entries.back().PageAddress += page;
    entries.back().CacheCoherent = table.gpu.SegmentId == 0 && adapter_.caps().coherent;
  }
  return entries;
}

void AddressSpace::MakeWhole(uint64_t va_end, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const unsigned top = geometry.count() - 1;
  for (unsigned level = top; level-- > 0;) {
    for (uint64_t va = 0; va < va_end; va += geometry.Coverage(level)) TableOf(level, va);
  }
  for (uint64_t va = 0; va < va_end; va += geometry.Coverage(0)) {
    Initialise(TableOf(0, va), 0, geometry.Entries(0), va, sink);
    TableOf(0, va).written = true;
  }
  for (uint64_t va = 0; va < va_end; va += geometry.Coverage(1)) {
    Table& table = TableOf(1, va);
    Initialise(table, 1, top == 1 ? root_entries_ : geometry.Entries(1), va, sink);
    table.written = true;
    for (uint64_t leaf = va; leaf < std::min(va_end, va + geometry.Coverage(1)); leaf += geometry.Coverage(0))
      WriteEntry(1, leaf, LinkTo(TableOf(0, leaf)), sink);
  }
  for (unsigned level = 2; level <= top; ++level) {
    for (uint64_t va = 0; va < va_end; va += geometry.Coverage(level)) WriteWhole(level, va, sink);
  }
  for (uint64_t i = 0; i < kUnexplainedWholeWrites; ++i) WriteWhole(top, 0, sink);
}

}  // namespace gmmu::os
