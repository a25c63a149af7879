// SPDX-License-Identifier: Apache-2.0
// Tables that move, are evicted and come back. The space must be idle.
#include "os/address_space.h"

#include <iterator>
#include <utility>

#include "os/adapter.h"

namespace gmmu::os {

void AddressSpace::WriteAll(const Table& table, unsigned level, uint64_t va, std::vector<DXGK_PTE> entries,
                            const Sink& sink) {
  TableUpdate update;
  update.level = level;
  update.count = entries.size();
  update.initial = true;
  update.first_va = va;
  Aim(update, table);
  update.entries = std::move(entries);
  sink(update);
}

// Leaves first: what a table above says of them is in its contents when its turn comes.
void AddressSpace::MoveTables(const Contents& contents, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  for (auto& [slot, table] : tables_) {  // ascending levels
    const auto [level, index] = slot;
    const uint64_t va = index * geometry.Coverage(level);
    Table moved = NewTable(level, slot.second, table.bytes);
    moved.written = table.written;
    WriteAll(moved, level, va, contents(table.gpu, geometry.Entries(level)), sink);
    std::swap(table, moved);
    retired_.push_back(std::move(moved));
    WriteEntry(level + 1, va, LinkTo(table), sink);
  }
}

// What the entries of a table say that is told of its eviction is open; here they are invalid.
void AddressSpace::EvictTables(const Contents& contents, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  std::map<Slot, std::vector<DXGK_PTE>> evicted;
  for (const auto& [slot, table] : tables_) {
    const auto [level, index] = slot;
    const uint64_t va = index * geometry.Coverage(level);
    evicted[slot] = contents(table.gpu, geometry.Entries(level));
    TableUpdate update;
    update.level = level;
    update.count = geometry.Entries(level);
    update.entries.resize(1);
    update.repeat = true;
    update.notify_eviction = true;
    update.first_va = va;
    Aim(update, table);
    sink(update);
    WriteEntry(level + 1, va, DXGK_PTE{}, sink);
  }
  for (auto& [slot, table] : tables_) retired_.push_back(std::move(table));
  tables_.clear();
  evicted_ = std::move(evicted);
}

// From above, so that every entry has its parent; links of tables below are written as those come.
void AddressSpace::RestoreTables(const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  restoring_ = true;
  try {
    while (!evicted_.empty()) {
      const auto last = std::prev(evicted_.end());
      const auto [level, index] = last->first;
      const uint64_t va = index * geometry.Coverage(level);
      Table& table = tables_.emplace(last->first, NewTable(level, last->first.second, geometry.levels[level].bytes)).first->second;
      table.written = true;
      WriteAll(table, level, va, std::move(last->second), sink);
      WriteEntry(level + 1, va, LinkTo(table), sink);
      evicted_.erase(last);
    }
  } catch (...) {
    restoring_ = false;
    throw;
  }
  restoring_ = false;
}

}  // namespace gmmu::os
