// SPDX-License-Identifier: Apache-2.0
// Tables that move, are evicted and come back. The space must be idle.
#include <iterator>
#include <utility>

#include "os/dxgkrnl/adapter.h"
#include "os/tables/address_space.h"

namespace gmmu::os {
namespace {

/// Entries may be written although tables are evicted.
class Restoring {
 public:
  explicit Restoring(bool& flag) : flag_(flag) { flag_ = true; }
  ~Restoring() { flag_ = false; }

 private:
  bool& flag_;
};

}  // namespace

// A leaf is cleared first, as a new one is, and then gets the entries that are in use, each with its allocation and the
// driver's protection: one update has only one of each.
void AddressSpace::WriteLeaf(const Table& table, uint64_t va, const std::vector<HeldEntry>& entries, bool use_64k,
                             const Sink& sink) {
  const uint64_t page = use_64k ? kBytesOf64k : hw::kPageSize;
  TableUpdate clear;
  clear.entries.resize(1);  // invalid
  clear.repeat = clear.initial = true;
  clear.use_64k = use_64k;
  clear.count = entries.size();
  clear.first_va = va;
  Aim(clear, table);
  sink(clear);
  for (size_t first = 0, end = 0; first < entries.size(); first = end) {
    end = EndOfRun(entries, first, page);
    if (!InUse(entries[first].entry)) continue;
    TableUpdate run;
    run.use_64k = use_64k;
    run.start = first;
    run.count = end - first;
    run.first_va = va + first * page;
    run.allocation = entries[first].allocation;
    run.allocation_offset = entries[first].allocation_offset;
    run.driver_protection = entries[first].driver_protection;
    for (size_t i = first; i < end; ++i) run.entries.push_back(entries[i].entry);
    Aim(run, table);
    sink(run);
  }
}

void AddressSpace::WriteAll(const Table& table, unsigned level, uint64_t va, const std::vector<HeldEntry>& entries,
                            const Sink& sink) {
  if (level == 0) return WriteLeaf(table, va, entries, false, sink);
  TableUpdate update;
  update.level = level;
  update.count = entries.size();
  update.initial = true;
  update.first_va = va;
  Aim(update, table);
  for (const HeldEntry& held : entries) {
    update.entries.push_back(held.entry);
    if (level == 1 && adapter_.caps().geometry.dual) update.entries_64k.push_back(held.entry_64k);
  }
  sink(update);
}

// A table that nobody knows yet is given back when it cannot be written.
void AddressSpace::OrRelease(Table& table, const std::function<void()>& write) {
  try {
    write();
  } catch (const std::exception&) {
    Release(table);
    throw;
  }
}

// Leaves first: what a table above says of them is in its contents when its turn comes.
void AddressSpace::MoveTables(const Contents& contents, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  for (auto& [slot, leaf] : leaves_64k_) {
    Table moved = New64k();
    OrRelease(moved, [&, first = slot * geometry.Coverage(0), &entries = leaf.entries] {
      WriteLeaf(moved, first, entries, true, sink);
    });
    std::swap(leaf.table, moved);
    retired_.push_back({std::move(moved), ExtentOf({0, slot}, true), false});
    WriteLinkOfLeaf(slot, sink);
  }
  for (auto& [slot, table] : tables_) {  // ascending levels
    const auto [level, index] = slot;
    const uint64_t va = index * geometry.Coverage(level);
    Table moved = NewTable(level, slot.second, table.bytes);
    moved.written = table.written;
    const std::vector<HeldEntry> entries = contents(table.gpu, 0, geometry.Entries(level));
    OrRelease(moved, [&, of = level] { WriteAll(moved, of, va, entries, sink); });
    std::swap(table, moved);
    retired_.push_back({std::move(moved), ExtentOf(slot), false});
    WriteEntry(level + 1, va, LinkTo(table), sink);
  }
}

// What the entries of a table say that is told of its eviction is open: invalid ones, or those that it has.
void AddressSpace::Evict(const Table& table, unsigned level, uint64_t va, const std::vector<HeldEntry>& entries,
                         bool use_64k, const Sink& sink) {
  TableUpdate update;
  update.level = level;
  update.use_64k = use_64k;
  update.count = entries.size();
  update.notify_eviction = true;
  update.first_va = va;
  Aim(update, table);
  if (adapter_.kernel().parameters().eviction_tells_entries) {
    for (const HeldEntry& held : entries) {
      update.entries.push_back(held.entry);
      if (level == 1 && adapter_.caps().geometry.dual) update.entries_64k.push_back(held.entry_64k);
    }
  } else {
    update.entries.resize(1);
    update.repeat = true;
  }
  sink(update);
}

void AddressSpace::EvictTables(const Contents& contents, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const bool cleared = !adapter_.kernel().parameters().eviction_tells_entries;
  std::map<Slot, std::vector<HeldEntry>> evicted;
  std::map<uint64_t, std::vector<HeldEntry>> evicted_64k;
  while (!leaves_64k_.empty()) {
    const uint64_t slot = leaves_64k_.begin()->first;
    Leaf64k leaf = std::move(leaves_64k_.begin()->second);
    leaves_64k_.erase(leaves_64k_.begin());
    Evict(leaf.table, 0, slot * geometry.Coverage(0), leaf.entries, true, sink);
    WriteLinkOfLeaf(slot, sink);
    retired_.push_back({std::move(leaf.table), ExtentOf({0, slot}, true), cleared});
    evicted_64k[slot] = std::move(leaf.entries);
  }
  for (const auto& [slot, table] : tables_) {
    const auto [level, index] = slot;
    const uint64_t va = index * geometry.Coverage(level);
    evicted[slot] = contents(table.gpu, 0, geometry.Entries(level));
    Evict(table, level, va, evicted[slot], false, sink);
    WriteEntry(level + 1, va, DXGK_PTE{}, sink);
  }
  for (auto& [slot, table] : tables_) retired_.push_back({std::move(table), ExtentOf(slot), cleared});
  tables_.clear();
  evicted_ = std::move(evicted);
  evicted_64k_ = std::move(evicted_64k);
}

void AddressSpace::FreeRoot() {
  ReleaseRetired();
  Release(root_);
  root_ = {};
}

void AddressSpace::RestoreRoot(const Sink& sink) {
  PutRoot(NewRoot(root_entries_));
  root_.written = true;
  const Restoring restoring(restoring_);
  Initialise(root_, adapter_.caps().geometry.count() - 1, root_entries_, 0, sink);
  WriteRootUppers(sink);
}

// From above, so that every entry has its parent; links of tables below are written as those come.
void AddressSpace::RestoreTables(const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const Restoring restoring(restoring_);
  while (!evicted_.empty()) {
    const auto last = std::prev(evicted_.end());
    const auto [level, index] = last->first;
    const uint64_t va = index * geometry.Coverage(level);
    Table& table =
        tables_.emplace(last->first, NewTable(level, index, geometry.levels[level].bytes)).first->second;
    table.written = true;
    WriteAll(table, level, va, last->second, sink);
    WriteEntry(level + 1, va, LinkTo(table), sink);
    evicted_.erase(last);
  }
  while (!evicted_64k_.empty()) {
    const auto first = evicted_64k_.begin();
    const uint64_t slot = first->first;
    const Leaf64k& leaf = leaves_64k_.emplace(slot, Leaf64k{New64k(), first->second}).first->second;
    WriteLeaf(leaf.table, slot * geometry.Coverage(0), leaf.entries, true, sink);
    WriteLinkOfLeaf(slot, sink);
    evicted_64k_.erase(first);
  }
}

}  // namespace gmmu::os
