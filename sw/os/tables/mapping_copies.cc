// SPDX-License-Identifier: Apache-2.0
#include "os/tables/mapping_copies.h"

#include <algorithm>

#include "hw/host_ram.h"
#include "os/miniport/geometry.h"
#include "os/tables/table_tree.h"

namespace gmmu::os {

MappingCopies::MappingCopies(TableTree& tree) : geometry_(tree.geometry()), tree_(tree) {}

std::vector<CopyPiece> MappingCopies::Pieces(uint64_t source, uint64_t target, uint64_t bytes) const {
  const uint64_t coverage = geometry_.Coverage(0);
  std::vector<CopyPiece> pieces;
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t from = source + done, to = target + done;
    const uint64_t size = std::min({coverage - from % coverage, coverage - to % coverage, bytes - done});
    pieces.push_back({from, to, size / hw::kPageSize});
    done += size;
  }
  return pieces;
}

MappingCopies::LeafPlace MappingCopies::PlaceOfLeaf(uint64_t va) const {
  const PageTable& table = *tree_.Find(0, va);
  return {table.gpu, table.bytes};
}

std::vector<HeldEntry> MappingCopies::Entries(const CopyPiece& piece, const TableContents& contents) const {
  const Leaf64k* large = tree_.leaves_64k().Find(piece.source / geometry_.Coverage(0));
  const uint64_t first = geometry_.Index(0, piece.source);
  std::vector<HeldEntry> entries(piece.pages);
  if (const PageTable* small = tree_.Find(0, piece.source)) entries = contents(small->gpu, first, piece.pages);
  for (uint64_t i = 0; large != nullptr && i < piece.pages; ++i) {
    const HeldEntry& held = large->entries[(first + i) / kPagesOf64k];
    if (InUse(held.entry)) entries[i] = PartOf(held, (first + i) % kPagesOf64k * hw::kPageSize);
  }
  return entries;
}

TableUpdate MappingCopies::NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries) {
  TableUpdate update;
  update.start = geometry_.Index(0, piece.target);
  update.count = piece.pages;
  update.first_va = piece.target;
  for (const HeldEntry& held : entries) update.entries.push_back(held.entry);
  Aim(update, *tree_.Find(0, piece.target));
  tree_.small_pages().Note(update);
  return update;
}

}  // namespace gmmu::os
