// SPDX-License-Identifier: Apache-2.0
// What copies of mappings need to know of the tables.
#include <algorithm>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/tables/address_space.h"

namespace gmmu::os {

std::vector<AddressSpace::CopyPiece> AddressSpace::CopyPieces(uint64_t source, uint64_t target, uint64_t bytes) const {
  const uint64_t coverage = adapter_.caps().geometry.Coverage(0);
  std::vector<CopyPiece> pieces;
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t from = source + done, to = target + done;
    const uint64_t size = std::min({coverage - from % coverage, coverage - to % coverage, bytes - done});
    pieces.push_back({from, to, size / hw::kPageSize});
    done += size;
  }
  return pieces;
}

AddressSpace::LeafPlace AddressSpace::PlaceOfLeaf(uint64_t va) const {
  const Table& table = tables_.at({0, va / adapter_.caps().geometry.Coverage(0)});
  return {table.gpu, table.bytes};
}

std::vector<HeldEntry> AddressSpace::PageEntries(const CopyPiece& piece, const Contents& contents) const {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t slot = piece.source / geometry.Coverage(0);
  const Leaf64k* large = Find64k(slot);
  std::vector<HeldEntry> entries(piece.pages);
  if (const auto small = tables_.find({0, slot}); small != tables_.end())
    entries = contents(small->second.gpu, geometry.Index(0, piece.source), piece.pages);
  for (uint64_t i = 0; large != nullptr && i < piece.pages; ++i) {
    const uint64_t page = geometry.Index(0, piece.source) + i;
    const HeldEntry& held = large->entries[page / kPagesOf64k];
    if (InUse(held.entry)) entries[i] = PartOf(held, page % kPagesOf64k * hw::kPageSize);
  }
  return entries;
}

TableUpdate AddressSpace::NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries) {
  const Geometry& geometry = adapter_.caps().geometry;
  TableUpdate update;
  update.start = geometry.Index(0, piece.target);
  update.count = piece.pages;
  update.first_va = piece.target;
  for (const HeldEntry& held : entries) update.entries.push_back(held.entry);
  Aim(update, tables_.at({0, piece.target / geometry.Coverage(0)}));
  NoteSmall(update);
  return update;
}

}  // namespace gmmu::os
