// SPDX-License-Identifier: Apache-2.0
#include "os/tables/table_moves.h"

#include <iterator>
#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/tables/retired_tables.h"
#include "os/tables/table_memory.h"
#include "os/tables/table_tree.h"

namespace gmmu::os {

/// RAII guard: entries may be written during its lifetime even though the tables are evicted.
class TableMoves::Opened {
 public:
  explicit Opened(TableMoves& moves) : moves_(moves) { moves_.tree_.set_evicted(false); }
  ~Opened() { moves_.tree_.set_evicted(!moves_.evicted_.empty() || !moves_.evicted_64k_.empty()); }

 private:
  TableMoves& moves_;
};

TableMoves::TableMoves(PhysicalAdapter& gpu, TableTree& tree, TableMemory& memory, RetiredTables& retired)
    : adapter_(gpu), geometry_(gpu.caps().geometry), tree_(tree), memory_(memory), retired_(retired) {}

void TableMoves::WriteOrFree(PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
                             const UpdateSink& sink) {
  try {
    WriteAll(table, extent, entries, geometry_.dual, sink);
  } catch (const std::exception&) {
    memory_.Free(table);
    throw;
  }
}

// Leaf tables move first, so that a table above them is copied with links to the moved tables.
void TableMoves::Move(const TableContents& contents, const UpdateSink& sink) {
  Leaves64k& leaves = tree_.leaves_64k();
  for (const auto& [index, leaf] : leaves.all()) {
    const TableExtent extent = ExtentOf(geometry_, {0, index}, true);
    PageTable moved = memory_.Make64k(index);
    WriteOrFree(moved, extent, leaf.entries, sink);
    retired_.Add(leaves.Replace(index, std::move(moved)), extent, false);
    tree_.WriteLink(0, extent.va, sink);
  }
  for (const auto& [slot, table] : tree_.tables()) {
    const TableExtent extent = ExtentOf(geometry_, slot);
    PageTable moved = memory_.Make(slot.first, slot.second, table.bytes);
    moved.written = table.written;
    WriteOrFree(moved, extent, contents(table.gpu, 0, extent.entries), sink);
    retired_.Add(tree_.Replace(slot, std::move(moved)), extent, false);
    tree_.WriteLink(slot.first, extent.va, sink);
  }
}

// Notifies the driver of the table's eviction. It is not documented whether this update contains
// invalid entries or the table's current entries.
void TableMoves::Announce(const PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
                          const UpdateSink& sink) const {
  const bool told = adapter_.kernel().parameters().eviction_tells_entries;
  TableUpdate update = told ? UpdateOfAll(table, extent) : UpdateToInvalid(table, extent);
  update.notify_eviction = true;
  if (told) FillUpdate(update, entries, geometry_.dual);
  sink(update);
}

void TableMoves::Evict(const TableContents& contents, const UpdateSink& sink) {
  const bool invalid = !adapter_.kernel().parameters().eviction_tells_entries;
  std::map<TableSlot, std::vector<HeldEntry>> evicted;
  std::map<uint64_t, std::vector<HeldEntry>> evicted_64k;
  while (!tree_.leaves_64k().all().empty()) {
    const uint64_t index = tree_.leaves_64k().all().begin()->first;
    const TableExtent extent = ExtentOf(geometry_, {0, index}, true);
    Leaf64k leaf = tree_.leaves_64k().Take(index);
    Announce(leaf.table, extent, leaf.entries, sink);
    tree_.WriteLink(0, extent.va, sink);
    retired_.Add(std::move(leaf.table), extent, invalid);
    evicted_64k[index] = std::move(leaf.entries);
  }
  for (const auto& [slot, table] : tree_.tables()) {
    const TableExtent extent = ExtentOf(geometry_, slot);
    evicted[slot] = contents(table.gpu, 0, extent.entries);
    Announce(table, extent, evicted[slot], sink);
    tree_.WriteEntry(slot.first + 1, extent.va, DXGK_PTE{}, sink);
  }
  tree_.RetireAll(invalid);
  evicted_ = std::move(evicted);
  evicted_64k_ = std::move(evicted_64k);
  tree_.set_evicted(!evicted_.empty() || !evicted_64k_.empty());
}

// Restores tables from the root down, so that each table's parent exists. The link to a table is
// written after the table.
void TableMoves::Restore(const UpdateSink& sink) {
  const Opened opened(*this);
  while (!evicted_.empty()) {
    const auto last = std::prev(evicted_.end());
    const TableSlot slot = last->first;
    const TableExtent extent = ExtentOf(geometry_, slot);
    PageTable& table = tree_.Place(slot.first, extent.va);
    table.written = true;
    WriteAll(table, extent, last->second, geometry_.dual, sink);
    tree_.WriteLink(slot.first, extent.va, sink);
    evicted_.erase(last);
  }
  while (!evicted_64k_.empty()) {
    const auto first = evicted_64k_.begin();
    const TableExtent extent = ExtentOf(geometry_, {0, first->first}, true);
    const Leaf64k& leaf = tree_.leaves_64k().Make(first->first, first->second);
    WriteAll(leaf.table, extent, leaf.entries, geometry_.dual, sink);
    tree_.WriteLink(0, extent.va, sink);
    evicted_64k_.erase(first);
  }
}

void TableMoves::RestoreRoot(const UpdateSink& sink) {
  const Opened opened(*this);
  static_cast<void>(tree_.root().Renew(tree_.root().entries()));
  tree_.root().Write(sink);
  tree_.WriteUppersOfRoot(sink);
}

void TableMoves::Forget() {
  evicted_.clear();
  evicted_64k_.clear();
  tree_.set_evicted(false);
}

}  // namespace gmmu::os
