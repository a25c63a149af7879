// SPDX-License-Identifier: Apache-2.0
// Pages of 64 KiB: which ones, tables of them, and their way back to pages of 4 KiB.
#include <algorithm>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/tables/address_space.h"

namespace gmmu::os {
namespace {

uint64_t FirstBlock(const TableUpdate& update) { return update.first_va / kBytesOf64k; }
uint64_t EndBlock(const TableUpdate& update) {  // one behind the last
  return (update.first_va + update.count * hw::kPageSize + kBytesOf64k - 1) / kBytesOf64k;
}
bool WholeBlocks(const TableUpdate& update) {
  return update.first_va % kBytesOf64k == 0 && update.count % kPagesOf64k == 0;
}
/// Pages [first, first + count) of an update of 4 KiB entries.
TableUpdate Cut(const TableUpdate& update, uint64_t first, uint64_t count) {
  TableUpdate part = update;
  part.start += first;
  part.count = count;
  part.first_va += first * hw::kPageSize;
  if (part.allocation != nullptr) part.allocation_offset += first * hw::kPageSize;
  if (!part.repeat) {
    const auto begin = update.entries.begin() + static_cast<ptrdiff_t>(first);
    part.entries.assign(begin, begin + static_cast<ptrdiff_t>(count));
  }
  return part;
}

}  // namespace

DXGK_PTE AddressSpace::LinkTo64k(const Table& table) const {
  DXGK_PTE entry = LinkTo(table);
  entry.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB;
  return entry;
}

bool AddressSpace::Fits64k(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries) const {
  if (adapter_.caps().geometry.leaf_64k_bytes == 0 || va % kBytesOf64k != 0 || pages % kPagesOf64k != 0) return false;
  if (entries.size() != pages) return false;
  for (uint64_t block = 0; block < pages; block += kPagesOf64k) {
    const DXGK_PTE& first = entries[block];
    if (!first.Valid || first.Zero || first.PageAddress % kPagesOf64k != 0) return false;
    if (!adapter_.Has64kPages(static_cast<unsigned>(first.Segment))) return false;
    for (uint64_t i = 1; i < kPagesOf64k; ++i) {
      const DXGK_PTE& entry = entries[block + i];
      if (entry.Flags != first.Flags || entry.PageAddress != first.PageAddress + i) return false;
    }
  }
  return true;
}

const AddressSpace::Leaf64k* AddressSpace::Find64k(uint64_t slot) const {
  const auto found = leaves_64k_.find(slot);
  return found == leaves_64k_.end() ? nullptr : &found->second;
}

bool AddressSpace::Is64k(uint64_t va) const {
  const Geometry& geometry = adapter_.caps().geometry;
  if (geometry.leaf_64k_bytes == 0) return false;
  const Leaf64k* leaf = Find64k(va / geometry.Coverage(0));
  return leaf != nullptr && (!geometry.dual || InUse(leaf->entries[geometry.Index(0, va) / kPagesOf64k].entry));
}

bool AddressSpace::Any64k(uint64_t va, uint64_t pages) const {
  for (uint64_t block = va / kBytesOf64k; block * kBytesOf64k < va + pages * hw::kPageSize; ++block) {
    if (Is64k(block * kBytesOf64k)) return true;
  }
  return false;
}

// Not over linked adapters, so its slot does not matter.
AddressSpace::Table AddressSpace::New64k() { return NewTable(0, 0, adapter_.caps().geometry.leaf_64k_bytes); }

void AddressSpace::Clear64k(uint64_t slot, const Sink& sink) {
  const Leaf64k& leaf = leaves_64k_.at(slot);
  TableUpdate update;
  update.entries.resize(1);  // invalid
  update.use_64k = update.repeat = update.initial = true;
  update.count = leaf.entries.size();
  update.first_va = slot * adapter_.caps().geometry.Coverage(0);
  Aim(update, leaf.table);
  sink(update);
}

AddressSpace::Leaf64k& AddressSpace::Ensure64k(uint64_t slot, const Sink& sink) {
  const auto found = leaves_64k_.find(slot);
  if (found != leaves_64k_.end()) return found->second;
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t start = slot * geometry.Coverage(0);
  Ensure(1, start, sink);
  if (uppers_.count({0, slot}) != 0) Ensure(0, start, sink);
  Leaf64k leaf{New64k(), std::vector<HeldEntry>(geometry.Entries(0) / kPagesOf64k)};
  Leaf64k& held = leaves_64k_.emplace(slot, std::move(leaf)).first->second;
  Clear64k(slot, sink);
  WriteLinkOfLeaf(slot, sink);
  return held;
}

// Of a pair the 64 KiB half goes with every entry of level 1 (WriteEntry).
void AddressSpace::WriteLinkOfLeaf(uint64_t slot, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const auto small = tables_.find({0, slot});
  const Leaf64k* large = Find64k(slot);
  DXGK_PTE link{};
  if (small != tables_.end()) link = LinkTo(small->second);
  else if (large != nullptr && !geometry.dual) link = LinkTo64k(large->table);
  WriteEntry(1, slot * geometry.Coverage(0), link, sink);
}

void AddressSpace::ForgetBlocks(uint64_t slot) {
  const uint64_t blocks = adapter_.caps().geometry.Coverage(0) / kBytesOf64k;
  small_.erase(small_.lower_bound(slot * blocks), small_.lower_bound((slot + 1) * blocks));
}

void AddressSpace::NoteSmall(const TableUpdate& update) {
  for (uint64_t i = 0; adapter_.caps().geometry.dual && i < update.count; ++i) {
    const uint64_t page = update.first_va / hw::kPageSize + i;
    const auto bit = static_cast<uint16_t>(1u << page % kPagesOf64k);
    uint16_t& pages = small_[page / kPagesOf64k];
    const bool used = InUse(update.entries[update.repeat ? 0 : i]);
    pages = static_cast<uint16_t>(used ? pages | bit : pages & ~bit);
    if (pages == 0) small_.erase(page / kPagesOf64k);
  }
}

void AddressSpace::PutSmall(TableUpdate update, const Sink& sink) {
  Aim(update, Ensure(0, update.first_va, sink));
  NoteSmall(update);
  sink(update);
}

void AddressSpace::PutLarge(TableUpdate update, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  Leaf64k& leaf = leaves_64k_.at(update.first_va / geometry.Coverage(0));
  update.use_64k = true;
  update.start /= kPagesOf64k;
  update.count /= kPagesOf64k;
  if (!update.repeat) {
    for (uint64_t i = 0; i < update.count; ++i) update.entries[i] = update.entries[i * kPagesOf64k];
    update.entries.resize(update.count);
  }
  for (uint64_t i = 0; i < update.count; ++i) {
    leaf.entries[update.start + i] = {update.entries[update.repeat ? 0 : i], {}, update.allocation,
                                      update.allocation == nullptr ? 0 : update.allocation_offset + i * kBytesOf64k,
                                      update.driver_protection};
  }
  Aim(update, leaf.table);
  sink(update);
}

void AddressSpace::PutLeaf(TableUpdate update, bool fits, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t slot = update.first_va / geometry.Coverage(0);
  if (geometry.leaf_64k_bytes == 0) return PutSmall(std::move(update), sink);
  if (geometry.dual) return PutPair(update, fits, sink);
  if (fits && tables_.count({0, slot}) == 0 && uppers_.count({0, slot}) == 0) Ensure64k(slot, sink);
  if (Find64k(slot) == nullptr) return PutSmall(std::move(update), sink);
  const bool same = update.repeat && (!update.entries[0].Valid || update.entries[0].Zero);
  if (WholeBlocks(update) && (fits || same || NoneInUse(update.entries))) return PutLarge(std::move(update), sink);
  Convert(slot, sink);
  PutSmall(std::move(update), sink);
}

void AddressSpace::PutPair(const TableUpdate& update, bool fits, const Sink& sink) {
  const uint64_t slot = update.first_va / adapter_.caps().geometry.Coverage(0);
  const Leaf64k* leaf = Find64k(slot);
  if (fits) {
    Ensure64k(slot, sink);
    InvalidateSmall(update, sink);
    return PutLarge(update, sink);
  }
  const bool none = NoneInUse(update.entries);
  if (none && leaf != nullptr) InvalidateLarge(update, *leaf, sink);
  std::vector<uint64_t> blocks;
  const uint64_t first = slot * (adapter_.caps().geometry.Coverage(0) / kBytesOf64k);
  for (uint64_t block = FirstBlock(update); leaf != nullptr && block < EndBlock(update); ++block) {
    if (InUse(leaf->entries[block - first].entry)) blocks.push_back(block);
  }
  if (!blocks.empty()) return Move(update, blocks, sink);
  if (leaf != nullptr && none && tables_.count({0, slot}) == 0) return;
  PutSmall(update, sink);
}

// Whole blocks go by their 64 KiB entries. No table is made for that: an eviction comes when there is no room for one.
void AddressSpace::InvalidateLarge(const TableUpdate& update, const Leaf64k& leaf, const Sink& sink) {
  const uint64_t blocks = adapter_.caps().geometry.Coverage(0) / kBytesOf64k;
  const uint64_t whole = (update.first_va + kBytesOf64k - 1) / kBytesOf64k;
  const uint64_t end = (update.first_va + update.count * hw::kPageSize) / kBytesOf64k;
  uint64_t first = end, last = end;  // those in use
  for (uint64_t block = whole; block < end; ++block) {
    if (!InUse(leaf.entries[block % blocks].entry)) continue;
    first = std::min(first, block);
    last = block;
  }
  if (first == end) return;
  const uint64_t page = (first * kBytesOf64k - update.first_va) / hw::kPageSize;
  PutLarge(Cut(update, page, (last - first + 1) * kPagesOf64k), sink);
}

// Before their 64 KiB entries: never both.
void AddressSpace::InvalidateSmall(const TableUpdate& update, const Sink& sink) {
  bool any = false;
  for (uint64_t block = FirstBlock(update); block < EndBlock(update); ++block) {
    if (small_.count(block) == 0) continue;
    TableUpdate clear = Cut(update, (block - FirstBlock(update)) * kPagesOf64k, kPagesOf64k);
    clear.entries.assign(1, DXGK_PTE{});
    clear.repeat = true;
    clear.allocation = nullptr;
    clear.allocation_offset = clear.driver_protection = 0;
    PutSmall(clear, sink);
    any = true;
  }
  if (any && hooks_.flush) hooks_.flush(update.first_va, update.count * hw::kPageSize);
}

TableUpdate AddressSpace::Part64k(uint64_t block, const HeldEntry& held, uint64_t first, uint64_t count) const {
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

// Order (documents): contexts suspended, entries of level 0, the entry of level 1, contexts resumed. One way.
void AddressSpace::Convert(uint64_t slot, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t start = slot * geometry.Coverage(0);
  const uint64_t blocks = geometry.Coverage(0) / kBytesOf64k;
  const bool wrong = adapter_.kernel().parameters().inject.table_order;
  Table& table = tables_.emplace(Slot{0, slot}, NewTable(0, slot, geometry.levels[0].bytes)).first->second;
  if (hooks_.begin) hooks_.begin(LeafChange::kConversion);
  Leaf64k old = std::move(leaves_64k_.at(slot));
  leaves_64k_.erase(slot);
  Initialise(table, 0, geometry.Entries(0), start, sink);
  if (wrong) WriteEntry(1, start, LinkTo(table), sink);
  for (uint64_t i = 0; i < blocks; ++i) {
    if (InUse(old.entries[i].entry)) PutSmall(Part64k(slot * blocks + i, old.entries[i], 0, kPagesOf64k), sink);
  }
  if (!wrong) WriteEntry(1, start, LinkTo(table), sink);
  retired_.push_back({std::move(old.table), ExtentOf({0, slot}, true), false});
  if (hooks_.flush) hooks_.flush(start, geometry.Coverage(0));
  if (hooks_.end) hooks_.end(LeafChange::kConversion);
}

// Order (documents): the 64 KiB entry becomes invalid, the 4 KiB ones valid, and level 1 names a new table last. The
// flush between them is the hardware's wish (docs/page-tables.md).
void AddressSpace::Move(const TableUpdate& update, const std::vector<uint64_t>& blocks, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t slot = update.first_va / geometry.Coverage(0), start = slot * geometry.Coverage(0);
  const uint64_t first = start / kBytesOf64k;
  const uint64_t end_va = update.first_va + update.count * hw::kPageSize;
  const bool is_new = tables_.count({0, slot}) == 0;
  if (is_new) tables_.emplace(Slot{0, slot}, NewTable(0, slot, geometry.levels[0].bytes));
  if (hooks_.begin) hooks_.begin(LeafChange::kMove);
  std::vector<TableUpdate> rest;  // pages of the blocks that the update does not write
  for (const uint64_t block : blocks) {
    const HeldEntry held = leaves_64k_.at(slot).entries[block - first];
    TableUpdate clear = Part64k(block, {}, 0, kPagesOf64k);
    clear.entries.resize(1);
    clear.repeat = true;
    if (!adapter_.kernel().parameters().inject.table_order) PutLarge(clear, sink);
    const uint64_t va = block * kBytesOf64k;
    if (va < update.first_va) rest.push_back(Part64k(block, held, 0, (update.first_va - va) / hw::kPageSize));
    if (va + kBytesOf64k > end_va) {
      const uint64_t from = (end_va - va) / hw::kPageSize;
      rest.push_back(Part64k(block, held, from, kPagesOf64k - from));
    }
  }
  const uint64_t from = std::min(update.first_va, blocks.front() * kBytesOf64k);
  const uint64_t to = std::max(end_va, (blocks.back() + 1) * kBytesOf64k);
  if (hooks_.flush) hooks_.flush(from, to - from);
  Table& table = tables_.at({0, slot});
  if (is_new) Initialise(table, 0, geometry.Entries(0), start, sink);
  for (const TableUpdate& part : rest) PutSmall(part, sink);
  PutSmall(update, sink);
  if (is_new) WriteEntry(1, start, LinkTo(table), sink);
  if (hooks_.flush) hooks_.flush(from, to - from);
  if (hooks_.end) hooks_.end(LeafChange::kMove);
}

}  // namespace gmmu::os
