// SPDX-License-Identifier: Apache-2.0
#include "os/tables/table_tree.h"

#include <string>
#include <vector>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/bug_check.h"
#include "os/base/text.h"
#include "os/kernel/kernel.h"
#include "os/tables/retired_tables.h"
#include "os/tables/table_memory.h"

namespace gmmu::os {

TableTree::TableTree(PhysicalAdapter& gpu, TableMemory& memory, RetiredTables& retired)
    : adapter_(gpu),
      geometry_(gpu.caps().geometry),
      memory_(memory),
      retired_(retired),
      root_(gpu, memory),
      uppers_(geometry_),
      leaves_64k_(geometry_, memory),
      small_pages_(geometry_) {}

PageTable* TableTree::Find(unsigned level, uint64_t va) {
  if (level == root_.level()) return &root_.table();
  const auto found = tables_.find({level, va / geometry_.Coverage(level)});
  return found == tables_.end() ? nullptr : &found->second;
}

TableExtent TableTree::ExtentAt(unsigned level, uint64_t va) const {
  return level == root_.level() ? root_.extent() : ExtentOf(geometry_, {level, va / geometry_.Coverage(level)});
}

PageTable& TableTree::Place(unsigned level, uint64_t va) {
  if (PageTable* table = Find(level, va)) return *table;
  const TableSlot slot{level, va / geometry_.Coverage(level)};
  return tables_.emplace(slot, memory_.Make(level, slot.second, geometry_.levels[level].bytes)).first->second;
}

PageTable& TableTree::Ensure(unsigned level, uint64_t va, const UpdateSink& sink) {
  if (evicted()) throw BugCheck("entries of " + memory_.name() + " are changed while its page tables are evicted");
  root_.Reach(va);
  if (PageTable* table = Find(level, va)) return *table;
  if (builder_ && !uppers_.Over(va, level)) return builder_(level, va, sink);

  Ensure(level + 1, va, sink);
  PageTable& table = Place(level, va);
  const TableSlot slot{level, va / geometry_.Coverage(level)};
  if (uppers_.At(slot) == nullptr) Initialise(table, ExtentAt(level, va), sink);
  else Split(table, slot, sink);
  WriteLink(level, slot.second * geometry_.Coverage(level), sink);
  return table;
}

void TableTree::Split(const PageTable& table, const TableSlot& slot, const UpdateSink& sink) {
  const unsigned level = slot.first;
  const HeldEntry& upper = *uppers_.At(slot);
  TableUpdate update = UpdateOfAll(table, ExtentOf(geometry_, slot));
  update.initial = true;
  update.allocation = upper.allocation;
  update.allocation_offset = upper.allocation_offset;
  update.driver_protection = upper.driver_protection;
  update.repeat = upper.entry.Zero != 0;
  for (uint64_t i = 0; i < (update.repeat ? 1 : update.count); ++i)
    update.entries.push_back(uppers_.PartOfTable(upper, level, i).entry);
  if (level == 0) small_pages_.NoteAll(slot.second);
  if (upper.entry.LargePage) adapter_.kernel().Happened("large_pages_split");
  sink(update);
  uppers_.Split(slot);
}

const Leaf64k& TableTree::Ensure64k(uint64_t leaf, const UpdateSink& sink) {
  if (const Leaf64k* found = leaves_64k_.Find(leaf)) return *found;
  const uint64_t start = leaf * geometry_.Coverage(0);
  Ensure(1, start, sink);
  if (uppers_.At({0, leaf}) != nullptr) Ensure(0, start, sink);
  const Leaf64k& made = leaves_64k_.Make(leaf);
  leaves_64k_.Initialise(leaf, sink);
  WriteLink(0, start, sink);
  return made;
}

void TableTree::ReplaceRoot(uint64_t entries, const UpdateSink& sink) {
  const TableExtent extent = root_.extent();
  const bool invalid = !root_.table().written;
  retired_.Add(root_.Renew(entries == 0 ? root_.entries() : entries), extent, invalid);
  root_.Write(sink);
  for (const auto& [slot, table] : tables_) {
    if (slot.first == root_.level() - 1) WriteRootEntry(slot, memory_.LinkTo(table), sink);
  }
  if (root_.level() == 1) {
    for (const auto& [leaf, large] : leaves_64k_.all()) {
      if (!HasLeaf(leaf)) WriteRootEntry({0, leaf}, geometry_.dual ? DXGK_PTE{} : memory_.LinkTo64k(large.table), sink);
    }
  }
  WriteUppersOfRoot(sink);
}

uint64_t TableTree::RootEntriesInUse() const {
  uint64_t used = 0;
  const auto see = [&](const TableSlot& slot) {
    if (slot.first == root_.level() - 1) used = std::max(used, slot.second + 1);
  };
  for (const auto& [slot, table] : tables_) see(slot);
  for (const auto& [slot, upper] : uppers_.all()) see(slot);
  for (const auto& [leaf, large] : leaves_64k_.all()) see({0, leaf});
  return used;
}

TableUpdate TableTree::UpdateOfEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const UpdateSink& sink) {
  // In the bring-up order of a Windows build, the builder writes the root together with its first
  // link. The builder is not called for a large page, or for a link from a level-1 root to a table
  // of 64 KiB entries, so the root is written here.
  if (level == root_.level() && !root_.table().written) root_.Write(sink);
  TableUpdate update;
  update.level = level;
  update.start = geometry_.Index(level, va);
  update.count = 1;
  update.first_va = va >> geometry_.Shift(level) << geometry_.Shift(level);
  Aim(update, Ensure(level, va, sink));
  update.entries = {entry};
  return update;
}

void TableTree::WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const UpdateSink& sink) {
  TableUpdate update = UpdateOfEntry(level, va, entry, sink);
  if (geometry_.dual && level == 1) {
    const Leaf64k* large = leaves_64k_.Find(va / geometry_.Coverage(0));
    update.entries_64k = {large == nullptr ? DXGK_PTE{} : memory_.LinkTo64k(large->table)};
  }
  sink(update);
}

// If level-1 entries are pairs, WriteEntry adds the link to the table of 64 KiB entries.
void TableTree::WriteLink(unsigned level, uint64_t va, const UpdateSink& sink) {
  const PageTable* table = Find(level, va);
  const Leaf64k* large = level == 0 ? leaves_64k_.Find(va / geometry_.Coverage(0)) : nullptr;
  DXGK_PTE link{};
  if (table != nullptr) link = memory_.LinkTo(*table);
  else if (large != nullptr && !geometry_.dual) link = memory_.LinkTo64k(large->table);
  WriteEntry(level + 1, va, link, sink);
}

void TableTree::WriteLinks(unsigned level, uint64_t va, const UpdateSink& sink) {
  PageTable& table = Place(level, va);
  TableUpdate update = UpdateOfAll(table, ExtentAt(level, va));
  update.initial = true;
  update.entries.resize(update.count);
  for (uint64_t i = 0; i < update.count; ++i) {
    const uint64_t at = update.first_va + (i << geometry_.Shift(level));
    if (const PageTable* below = Find(level - 1, at)) update.entries[i] = memory_.LinkTo(*below);
    if (level != 1) continue;
    const Leaf64k* large = leaves_64k_.Find(at / geometry_.Coverage(0));
    const DXGK_PTE link = large == nullptr ? DXGK_PTE{} : memory_.LinkTo64k(large->table);
    if (geometry_.dual) update.entries_64k.push_back(link);
    else if (large != nullptr) update.entries[i] = link;
  }
  table.written = true;
  sink(update);
}

void TableTree::WriteUpper(unsigned level, uint64_t va, const HeldEntry& entry, const UpdateSink& sink) {
  if (level == 0 || level >= geometry_.count() || va % (uint64_t{1} << geometry_.Shift(level)) != 0)
    throw BugCheck("an entry of level " + std::to_string(level) + " at " + Hex(va) + " of " + memory_.name());
  TableUpdate update = UpdateOfEntry(level, va, entry.entry, sink);
  update.allocation = entry.allocation;
  update.allocation_offset = entry.allocation_offset;
  sink(update);
  const TableSlot slot{level - 1, va >> geometry_.Shift(level)};
  Retire(slot, false);
  uppers_.Put(slot, entry);
}

void TableTree::WriteRootEntry(const TableSlot& slot, const DXGK_PTE& entry, const UpdateSink& sink) {
  if (slot.second >= root_.entries())
    throw BugCheck("the root of " + memory_.name() + " shrinks to " + std::to_string(root_.entries()) +
                   " entries and entry " + std::to_string(slot.second) + " is in use");
  WriteEntry(root_.level(), slot.second << geometry_.Shift(root_.level()), entry, sink);
}

void TableTree::WriteUppersOfRoot(const UpdateSink& sink) {
  for (const auto& [slot, upper] : uppers_.all()) {
    if (slot.first == root_.level() - 1) WriteRootEntry(slot, upper.entry, sink);
  }
}

void TableTree::WriteSmall(TableUpdate update, const UpdateSink& sink) {
  Aim(update, Ensure(0, update.first_va, sink));
  small_pages_.Note(update);
  sink(update);
}

void TableTree::Retire(const TableSlot& slot, bool invalid) {
  if (slot.first == 0) {
    if (leaves_64k_.Find(slot.second) != nullptr)
      retired_.Add(leaves_64k_.Take(slot.second).table, ExtentOf(geometry_, slot, true), invalid);
    small_pages_.Forget(slot.second);
  }
  const auto found = tables_.find(slot);
  if (found == tables_.end()) return;
  retired_.Add(std::move(found->second), ExtentOf(geometry_, slot), invalid);
  tables_.erase(found);
  if (slot.first == 0) return;
  const uint64_t entries = geometry_.Entries(slot.first);
  for (uint64_t i = 0; i < entries; ++i) {
    const TableSlot below{slot.first - 1, slot.second * entries + i};
    uppers_.Erase(below);
    Retire(below, invalid);
  }
}

bool TableTree::HasChildren(const TableSlot& slot) const {
  const auto [level, index] = slot;
  if (level == 0) return false;
  const uint64_t first = index * geometry_.Entries(level), end = first + geometry_.Entries(level);
  const auto below = tables_.lower_bound({level - 1, first});
  return (below != tables_.end() && below->first < TableSlot{level - 1, end}) || uppers_.AnyIn(level - 1, first, end) ||
         (level == 1 && leaves_64k_.AnyIn(first, end));
}

// Frees tables from the leaves up. A parent that is also freed keeps its entries, as observed on
// build 26100, unless ExplicitPageTableInvalidation requires that every entry be invalidated.
void TableTree::Free(uint64_t va, uint64_t pages, const UpdateSink& sink) {
  const uint64_t end = va + pages * hw::kPageSize;
  std::vector<TableSlot> all;
  for (unsigned level = 0; level < root_.level(); ++level) {
    const uint64_t coverage = geometry_.Coverage(level);
    const auto whole = [&](uint64_t index) { return index * coverage >= va && (index + 1) * coverage <= end; };
    const auto touched = [&](uint64_t index) { return (index + 1) * coverage > va && index * coverage < end; };
    std::vector<TableSlot> gone;
    if (level == 0) {
      for (const auto& [leaf, large] : leaves_64k_.all()) {
        if (!HasLeaf(leaf) && whole(leaf)) gone.push_back({0, leaf});
      }
    }
    for (auto it = tables_.lower_bound({level, 0}); it != tables_.end() && it->first.first == level; ++it) {
      const uint64_t index = it->first.second;
      if ((level == 0 ? whole(index) : touched(index)) && !HasChildren(it->first)) gone.push_back(it->first);
    }
    for (const TableSlot& slot : gone) {
      Retire(slot, true);
      if (adapter_.caps().explicit_invalidation) WriteLink(level, slot.second * coverage, sink);
    }
    all.insert(all.end(), gone.begin(), gone.end());
  }
  if (adapter_.caps().explicit_invalidation) return;
  for (const TableSlot& slot : all) {
    const uint64_t start = slot.second * geometry_.Coverage(slot.first);
    if (Find(slot.first + 1, start) != nullptr) WriteLink(slot.first, start, sink);
  }
}

void TableTree::RetireAll(bool invalid) {
  for (auto& [slot, table] : tables_) retired_.Add(std::move(table), ExtentOf(geometry_, slot), invalid);
  tables_.clear();
}

void TableTree::InvalidateAll(const UpdateSink& sink) {
  for (const auto& [leaf, large] : leaves_64k_.all())
    sink(UpdateToInvalid(large.table, ExtentOf(geometry_, {0, leaf}, true)));
  for (const auto& [slot, table] : tables_) sink(UpdateToInvalid(table, ExtentOf(geometry_, slot)));
  if (root_.table().written) sink(UpdateToInvalid(root_.table(), root_.extent()));
}

void TableTree::FreeAll() {
  for (auto& [slot, table] : tables_) memory_.Free(table);
  while (!leaves_64k_.all().empty()) {
    Leaf64k leaf = leaves_64k_.Take(leaves_64k_.all().begin()->first);
    memory_.Free(leaf.table);
  }
  tables_.clear();
  uppers_.Clear();
  small_pages_.Clear();
}

}  // namespace gmmu::os
