// SPDX-License-Identifier: Apache-2.0
#include "os/tables/page_entries.h"

#include <algorithm>
#include <optional>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/tables/leaf_changes.h"
#include "os/tables/mapping_copies.h"
#include "os/tables/table_tree.h"

namespace gmmu::os {
namespace {

bool WholeBlocks(const TableUpdate& update) {
  return update.first_va % kBytesOf64k == 0 && update.count % kPagesOf64k == 0;
}
/// Returns the part of `update` that writes `count` of its 4 KiB entries, starting with entry
/// `first` of the update.
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

PageEntries::PageEntries(PhysicalAdapter& gpu, TableTree& tree, LeafChanges& changes, const MappingCopies& copies)
    : adapter_(gpu), tree_(tree), changes_(changes), copies_(copies) {}

void PageEntries::Set(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries, HANDLE allocation,
                      uint64_t allocation_offset, const UpdateSink& sink, uint64_t driver_protection) {
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
    if (tree_.root().grows() && !tree_.root().Reaches(at) && NoneInUse(update.entries)) continue;
    if (geometry.leaf_64k_bytes == 0) tree_.WriteSmall(std::move(update), sink);
    else if (geometry.dual) PutPair(update, fits, sink);
    else PutSingle(std::move(update), fits, sink);
  }
}

bool PageEntries::Fits64k(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries) const {
  if (adapter_.caps().geometry.leaf_64k_bytes == 0 || va % kBytesOf64k != 0 || pages % kPagesOf64k != 0) return false;
  if (entries.size() != pages) return false;
  for (uint64_t block = 0; block < pages; block += kPagesOf64k) {
    const DXGK_PTE& first = entries[block];
    if (!first.Valid || first.Zero || first.PageAddress % kPagesOf64k != 0) return false;
    PhysicalAdapter& owner = first.Segment == 0
                                 ? adapter_
                                 : adapter_.logical().physical(static_cast<unsigned>(first.PhysicalAdapterIndex));
    if (!owner.Has64kPages(static_cast<unsigned>(first.Segment))) return false;
    for (uint64_t i = 1; i < kPagesOf64k; ++i) {
      const DXGK_PTE& entry = entries[block + i];
      if (entry.Flags != first.Flags || entry.PageAddress != first.PageAddress + i) return false;
    }
  }
  return true;
}

void PageEntries::PutSingle(TableUpdate update, bool fits, const UpdateSink& sink) {
  const uint64_t leaf = update.first_va / adapter_.caps().geometry.Coverage(0);
  if (fits && tree_.IsOpen(leaf)) tree_.Ensure64k(leaf, sink);
  if (tree_.leaves_64k().Find(leaf) == nullptr) return tree_.WriteSmall(std::move(update), sink);
  const bool same = update.repeat && (!update.entries[0].Valid || update.entries[0].Zero);
  if (WholeBlocks(update) && (fits || same || NoneInUse(update.entries)))
    return tree_.leaves_64k().Put(std::move(update), sink);
  changes_.Convert(leaf, sink);
  tree_.WriteSmall(std::move(update), sink);
}

void PageEntries::PutPair(const TableUpdate& update, bool fits, const UpdateSink& sink) {
  const uint64_t coverage = adapter_.caps().geometry.Coverage(0), index = update.first_va / coverage;
  if (fits) {
    tree_.Ensure64k(index, sink);
    changes_.ClearSmall(update, sink);
    return tree_.leaves_64k().Put(update, sink);
  }
  const Leaf64k* leaf = tree_.leaves_64k().Find(index);
  if (leaf == nullptr) return tree_.WriteSmall(update, sink);
  const bool none = NoneInUse(update.entries);
  if (none) InvalidateLarge(update, *leaf, sink);
  std::vector<uint64_t> blocks;
  const uint64_t end_va = update.first_va + update.count * hw::kPageSize;
  for (uint64_t block = update.first_va / kBytesOf64k; block * kBytesOf64k < end_va; ++block) {
    if (InUse(leaf->entries[block - index * coverage / kBytesOf64k].entry)) blocks.push_back(block);
  }
  if (!blocks.empty()) return changes_.MoveTo4k(update, blocks, sink);
  if (none && !tree_.HasLeaf(index)) return;
  tree_.WriteSmall(update, sink);
}

// Invalidates the 64 KiB entries of whole blocks. Writing invalid 4 KiB entries instead could
// require a new table, for which there may be no room during an eviction.
void PageEntries::InvalidateLarge(const TableUpdate& update, const Leaf64k& leaf, const UpdateSink& sink) {
  const uint64_t blocks = adapter_.caps().geometry.Coverage(0) / kBytesOf64k;
  const uint64_t whole = (update.first_va + kBytesOf64k - 1) / kBytesOf64k;
  const uint64_t end = (update.first_va + update.count * hw::kPageSize) / kBytesOf64k;
  uint64_t first = end, last = end;  // first and last block in use
  for (uint64_t block = whole; block < end; ++block) {
    if (!InUse(leaf.entries[block % blocks].entry)) continue;
    first = std::min(first, block);
    last = block;
  }
  if (first == end) return;
  const uint64_t page = (first * kBytesOf64k - update.first_va) / hw::kPageSize;
  tree_.leaves_64k().Put(Cut(update, page, (last - first + 1) * kPagesOf64k), sink);
}

void PageEntries::SetZero(uint64_t va, uint64_t pages, const UpdateSink& sink, bool only_leaves) {
  const Geometry& geometry = adapter_.caps().geometry;
  DXGK_PTE zero{};
  zero.Valid = 1;  // Windows also sets Valid (observed on build 22621)
  zero.Zero = 1;
  const uint64_t end = va + pages * hw::kPageSize;
  const auto fits = [&](unsigned level) {
    const uint64_t size = uint64_t{1} << geometry.Shift(level);
    return va % size == 0 && end - va >= size;
  };
  while (va < end) {
    unsigned level = 0;
    while (!only_leaves && level + 1 < geometry.count() && fits(level + 1)) ++level;
    if (level == 0) {
      const uint64_t up = (va / geometry.Coverage(0) + 1) * geometry.Coverage(0);
      const uint64_t count = (std::min(end, up) - va) / hw::kPageSize;
      Set(va, count, {zero}, nullptr, 0, sink);
      va += count * hw::kPageSize;
    } else {
      tree_.WriteUpper(level, va, {zero, {}, nullptr, 0, 0}, sink);
      va += uint64_t{1} << geometry.Shift(level);
    }
  }
}

bool PageEntries::Clear(uint64_t va, uint64_t pages, const TableContents& contents, const UpdateSink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t end = va + pages * hw::kPageSize;
  bool any = false;
  for (uint64_t next = va; va < end; va = next) {
    const std::optional<TableSlot> upper = tree_.uppers().Over(va);
    const unsigned level = upper ? upper->first : 0;
    const uint64_t coverage = geometry.Coverage(level), start = va / coverage * coverage;
    next = std::min(end, start + coverage);
    if (upper && va == start && next == start + coverage) {
      tree_.WriteEntry(level + 1, va, DXGK_PTE{}, sink);
      tree_.uppers().Erase(*upper);
      any = true;
      continue;
    }
    const CopyPiece piece{va, va, (next - va) / hw::kPageSize};
    const std::vector<HeldEntry> entries = upper ? std::vector<HeldEntry>() : copies_.Entries(piece, contents);
    const bool used = upper || std::any_of(entries.begin(), entries.end(),
                                           [](const HeldEntry& held) { return InUse(held.entry); });
    if (used) Invalidate(va, piece.pages, sink);
    any = any || used;
  }
  return any;
}

void PageEntries::EnsureTables(uint64_t va, uint64_t pages, const UpdateSink& sink, bool large) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t coverage = geometry.Coverage(0);
  for (uint64_t at = va / coverage * coverage; at < va + pages * hw::kPageSize; at += coverage) {
    const uint64_t leaf = at / coverage;
    if (!geometry.dual && tree_.leaves_64k().Find(leaf) != nullptr) continue;
    if (large && (geometry.dual || tree_.IsOpen(leaf))) tree_.Ensure64k(leaf, sink);
    else tree_.Ensure(0, at, sink);
  }
}

}  // namespace gmmu::os
