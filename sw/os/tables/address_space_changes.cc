// SPDX-License-Identifier: Apache-2.0
// Changes of the tree: large and zero entries above the leaves, tables that go, another root.
#include <algorithm>

#include "os/tables/address_space.h"
#include "os/kernel/bug_check.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/text.h"

namespace gmmu::os {

void AddressSpace::ReplaceRoot(uint64_t entries, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const unsigned level = geometry.count() - 1;
  Root made = NewRoot(entries == 0 ? root_entries_ : entries);
  const Extent extent = ExtentOfRoot();
  const bool cleared = !root_.written;
  retired_.push_back({PutRoot(std::move(made)), extent, cleared});
  Initialise(root_, level, root_entries_, 0, sink);
  root_.written = true;
  for (const auto& [slot, table] : tables_) {
    if (slot.first == level - 1) WriteRootEntry(slot, LinkTo(table), sink);
  }
  if (level == 1) {
    for (const auto& [slot, leaf] : leaves_64k_) {
      if (tables_.count({0, slot}) == 0)
        WriteRootEntry({0, slot}, geometry.dual ? DXGK_PTE{} : LinkTo64k(leaf.table), sink);
    }
  }
  WriteRootUppers(sink);
}

void AddressSpace::WriteRootEntry(const Slot& slot, const DXGK_PTE& entry, const Sink& sink) {
  if (slot.second >= root_entries_)
    throw BugCheck("the root of " + name_ + " shrinks to " + std::to_string(root_entries_) + " entries and entry " +
                   std::to_string(slot.second) + " is in use");
  const unsigned level = adapter_.caps().geometry.count() - 1;
  WriteEntry(level, slot.second << adapter_.caps().geometry.Shift(level), entry, sink);
}

void AddressSpace::WriteRootUppers(const Sink& sink) {
  const unsigned level = adapter_.caps().geometry.count() - 1;
  for (const auto& [slot, upper] : uppers_) {
    if (slot.first == level - 1) WriteRootEntry(slot, upper.entry, sink);
  }
}

bool AddressSpace::UnderUpper(unsigned level, uint64_t va) const {
  const Geometry& geometry = adapter_.caps().geometry;
  for (; level + 1 < geometry.count(); ++level)
    if (uppers_.count({level, va / geometry.Coverage(level)}) != 0) return true;
  return false;
}

void AddressSpace::Split(const Table& table, unsigned level, uint64_t va, const HeldEntry& upper, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  TableUpdate update;
  update.level = level;
  update.count = geometry.Entries(level);
  update.initial = true;
  update.first_va = va;
  update.allocation = upper.allocation;
  update.allocation_offset = upper.allocation_offset;
  update.driver_protection = upper.driver_protection;
  Aim(update, table);
  update.repeat = upper.entry.Zero != 0;
  for (uint64_t i = 0; i < (update.repeat ? 1 : update.count); ++i)
    update.entries.push_back(EntryOf(upper, level, i).entry);
  if (level == 0 && geometry.dual) {
    for (uint64_t block = 0; block < update.count / kPagesOf64k; ++block) small_[va / kBytesOf64k + block] = 0xFFFF;
  }
  sink(update);
}

HeldEntry AddressSpace::EntryOf(const HeldEntry& upper, unsigned level, uint64_t index) const {
  HeldEntry held = PartOf(upper, index << adapter_.caps().geometry.Shift(level));
  held.entry.LargePage = level != 0 && !held.entry.Zero;
  return held;
}

void AddressSpace::Retire(Slot slot, bool cleared) {
  if (slot.first == 0) {
    if (const auto large = leaves_64k_.find(slot.second); large != leaves_64k_.end()) {
      retired_.push_back({std::move(large->second.table), ExtentOf(slot, true), cleared});
      leaves_64k_.erase(large);
    }
    ForgetBlocks(slot.second);
  }
  const auto found = tables_.find(slot);
  if (found == tables_.end()) return;
  retired_.push_back({std::move(found->second), ExtentOf(slot), cleared});
  tables_.erase(found);
  if (slot.first == 0) return;
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t entries = geometry.Entries(slot.first);
  for (uint64_t i = 0; i < entries; ++i) {
    const Slot below{slot.first - 1, slot.second * entries + i};
    uppers_.erase(below);
    Retire(below, cleared);
  }
}

void AddressSpace::SetUpper(unsigned level, uint64_t va, const DXGK_PTE& entry, HANDLE allocation,
                            uint64_t allocation_offset, const Sink& sink, uint64_t driver_protection) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t size = uint64_t{1} << geometry.Shift(level);
  if (level == 0 || level >= geometry.count() || va % size != 0)
    throw BugCheck("an entry of level " + std::to_string(level) + " at " + Hex(va) + " of " + name_);
  const Slot slot{level - 1, va / size};
  Table& table = Ensure(level, va, sink);
  TableUpdate update;
  update.level = level;
  update.start = geometry.Index(level, va);
  update.count = 1;
  update.first_va = va;
  update.allocation = allocation;
  update.allocation_offset = allocation_offset;
  Aim(update, table);
  update.entries = {entry};
  sink(update);
  Retire(slot, false);
  uppers_[slot] = {entry, {}, allocation, allocation_offset, driver_protection};
}

void AddressSpace::SetZero(uint64_t va, uint64_t pages, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  DXGK_PTE zero{};
  zero.Valid = 1;  // as seen on build 22621
  zero.Zero = 1;
  const uint64_t end = va + pages * hw::kPageSize;
  while (va < end) {
    unsigned level = 0;
    while (level + 1 < geometry.count() && va % (uint64_t{1} << geometry.Shift(level + 1)) == 0 &&
           end - va >= uint64_t{1} << geometry.Shift(level + 1)) {
      ++level;
    }
    if (level == 0) {
      const uint64_t up = (va / geometry.Coverage(0) + 1) * geometry.Coverage(0);
      const uint64_t count = (std::min(end, up) - va) / hw::kPageSize;
      SetEntries(va, count, {zero}, nullptr, 0, sink);
      va += count * hw::kPageSize;
    } else {
      SetUpper(level, va, zero, nullptr, 0, sink);
      va += uint64_t{1} << geometry.Shift(level);
    }
  }
}

// From the leaves up. A parent that goes too keeps its entries (seen on build 26100: what is freed still holds its
// links), unless ExplicitPageTableInvalidation wants every entry invalid.
void AddressSpace::FreeTables(uint64_t va, uint64_t pages, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t end = va + pages * hw::kPageSize;
  std::vector<Slot> all;
  for (unsigned level = 0; level + 1 < geometry.count(); ++level) {
    const uint64_t coverage = geometry.Coverage(level);
    std::vector<Slot> gone;
    if (level == 0) {
      for (const auto& [slot, leaf] : leaves_64k_) {
        const bool small = tables_.count({0, slot}) != 0;
        if (!small && slot * coverage >= va && (slot + 1) * coverage <= end) gone.push_back({0, slot});
      }
    }
    for (auto it = tables_.lower_bound({level, 0}); it != tables_.end() && it->first.first == level; ++it) {
      const uint64_t start = it->first.second * coverage;
      if (level == 0 ? start < va || start + coverage > end : start + coverage <= va || start >= end) continue;
      const uint64_t entries = geometry.Entries(level);
      const Slot first{level == 0 ? 0 : level - 1, it->first.second * entries};
      const auto below = tables_.lower_bound(first);
      const auto upper = uppers_.lower_bound(first);
      const auto inside = [&](const Slot& slot) {
        return slot.first == first.first && slot.second < first.second + entries;
      };
      const bool used = level > 0 && ((below != tables_.end() && inside(below->first)) ||
                                      (upper != uppers_.end() && inside(upper->first)));
      const auto large = leaves_64k_.lower_bound(first.second);
      const bool used_64k = level == 1 && large != leaves_64k_.end() && large->first < first.second + entries;
      if (!used && !used_64k) gone.push_back(it->first);
    }
    for (const Slot& slot : gone) {
      Retire(slot, true);
      if (adapter_.caps().explicit_invalidation) WriteEntry(level + 1, slot.second * coverage, DXGK_PTE{}, sink);
    }
    all.insert(all.end(), gone.begin(), gone.end());
  }
  if (adapter_.caps().explicit_invalidation) return;
  for (const Slot& slot : all) {
    const uint64_t start = slot.second * geometry.Coverage(slot.first);
    if (Find(slot.first + 1, start) != nullptr) WriteEntry(slot.first + 1, start, DXGK_PTE{}, sink);
  }
}

}  // namespace gmmu::os
