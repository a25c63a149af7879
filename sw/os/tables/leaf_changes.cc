// SPDX-License-Identifier: Apache-2.0
#include "os/tables/leaf_changes.h"

#include <algorithm>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/tables/retired_tables.h"
#include "os/tables/table_tree.h"

namespace gmmu::os {

LeafChanges::LeafChanges(PhysicalAdapter& gpu, TableTree& tree, RetiredTables& retired)
    : adapter_(gpu), tree_(tree), retired_(retired) {}

void LeafChanges::Begin(LeafChange change) const {
  if (hooks_.begin) hooks_.begin(change);
}
void LeafChanges::Flush(uint64_t va, uint64_t bytes) const {
  if (hooks_.flush) hooks_.flush(va, bytes);
}
void LeafChanges::End(LeafChange change) const {
  if (hooks_.end) hooks_.end(change);
}

// Returns an update that writes 4 KiB entries for pages [first, first + count) of a block. These
// entries map the same memory as the block's 64 KiB entry `held`.
TableUpdate LeafChanges::PartOfBlock(uint64_t block, const HeldEntry& held, uint64_t first, uint64_t count) const {
  TableUpdate part;
  part.first_va = block * kBytesOf64k + first * hw::kPageSize;
  part.start = adapter_.caps().geometry.Index(0, part.first_va);
  part.count = count;
  part.allocation = held.allocation;
  part.allocation_offset = PartOf(held, first * hw::kPageSize).allocation_offset;
  part.driver_protection = held.driver_protection;
  for (uint64_t i = first; i < first + count; ++i) part.entries.push_back(PartOf(held, i * hw::kPageSize).entry);
  return part;
}

// The documented order is: suspend the contexts, write the level-0 entries, write the level-1
// entry, resume the contexts.
void LeafChanges::Convert(uint64_t leaf, const UpdateSink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t start = leaf * geometry.Coverage(0);
  const uint64_t blocks = geometry.Coverage(0) / kBytesOf64k;
  const bool wrong = adapter_.kernel().parameters().inject.table_order;
  PageTable& table = tree_.Place(0, start);
  Begin(LeafChange::kConversion);
  Leaf64k old = tree_.leaves_64k().Take(leaf);
  Initialise(table, tree_.ExtentAt(0, start), sink);
  if (wrong) {
    adapter_.kernel().Injected("table_order");
    tree_.WriteLink(0, start, sink);
  }
  for (uint64_t i = 0; i < blocks; ++i) {
    if (InUse(old.entries[i].entry))
      tree_.WriteSmall(PartOfBlock(leaf * blocks + i, old.entries[i], 0, kPagesOf64k), sink);
  }
  if (!wrong) tree_.WriteLink(0, start, sink);
  retired_.Add(std::move(old.table), ExtentOf(geometry, {0, leaf}, true), false);
  Flush(start, geometry.Coverage(0));
  End(LeafChange::kConversion);
}

// The documented order is: invalidate the 64 KiB entry, write the 4 KiB entries, and, if their
// table is new, link it in level 1 last. The modelled hardware also requires a flush between the 64
// KiB update and the 4 KiB update (docs/page-tables.md).
void LeafChanges::MoveTo4k(const TableUpdate& update, const std::vector<uint64_t>& blocks, const UpdateSink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t leaf = update.first_va / geometry.Coverage(0), start = leaf * geometry.Coverage(0);
  const uint64_t end_va = update.first_va + update.count * hw::kPageSize;
  const bool is_new = !tree_.HasLeaf(leaf);
  PageTable& table = tree_.Place(0, start);
  Begin(LeafChange::kMove);
  std::vector<TableUpdate> rest;  // pages in `blocks` that `update` does not write
  for (const uint64_t block : blocks) {
    const HeldEntry held = tree_.leaves_64k().Find(leaf)->entries[block - start / kBytesOf64k];
    TableUpdate clear = PartOfBlock(block, {}, 0, kPagesOf64k);
    clear.entries.resize(1);
    clear.repeat = true;
    if (!adapter_.kernel().parameters().inject.table_order) tree_.leaves_64k().Put(clear, sink);
    else adapter_.kernel().Injected("table_order");
    const uint64_t va = block * kBytesOf64k;
    if (va < update.first_va) rest.push_back(PartOfBlock(block, held, 0, (update.first_va - va) / hw::kPageSize));
    if (va + kBytesOf64k > end_va) {
      const uint64_t from = (end_va - va) / hw::kPageSize;
      rest.push_back(PartOfBlock(block, held, from, kPagesOf64k - from));
    }
  }
  const uint64_t from = std::min(update.first_va, blocks.front() * kBytesOf64k);
  const uint64_t to = std::max(end_va, (blocks.back() + 1) * kBytesOf64k);
  Flush(from, to - from);
  if (is_new) Initialise(table, tree_.ExtentAt(0, start), sink);
  for (const TableUpdate& part : rest) tree_.WriteSmall(part, sink);
  tree_.WriteSmall(update, sink);
  if (is_new) tree_.WriteLink(0, start, sink);
  Flush(from, to - from);
  End(LeafChange::kMove);
}

void LeafChanges::ClearSmall(const TableUpdate& update, const UpdateSink& sink) {
  bool any = false;
  const uint64_t first = update.first_va / kBytesOf64k, end = first + update.count / kPagesOf64k;
  for (uint64_t block = first; block < end; ++block) {
    if (!tree_.small_pages().AnyIn(block)) continue;
    TableUpdate clear = PartOfBlock(block, {}, 0, kPagesOf64k);
    clear.entries.resize(1);
    clear.repeat = true;
    tree_.WriteSmall(clear, sink);
    any = true;
  }
  if (any) Flush(update.first_va, update.count * hw::kPageSize);
}

}  // namespace gmmu::os
