// SPDX-License-Identifier: Apache-2.0
#include "os/tables/leaves_64k.h"

#include "hw/host_ram.h"
#include "os/tables/table_memory.h"

namespace gmmu::os {

bool Leaves64k::Is64k(uint64_t va) const {
  if (geometry_.leaf_64k_bytes == 0) return false;
  const Leaf64k* leaf = Find(va / geometry_.Coverage(0));
  return leaf != nullptr && (!geometry_.dual || InUse(leaf->entries[geometry_.Index(0, va) / kPagesOf64k].entry));
}

bool Leaves64k::Any64k(uint64_t va, uint64_t pages) const {
  for (uint64_t block = va / kBytesOf64k; block * kBytesOf64k < va + pages * hw::kPageSize; ++block) {
    if (Is64k(block * kBytesOf64k)) return true;
  }
  return false;
}

const Leaf64k* Leaves64k::Find(uint64_t leaf) const {
  const auto found = leaves_.find(leaf);
  return found == leaves_.end() ? nullptr : &found->second;
}

bool Leaves64k::AnyIn(uint64_t first, uint64_t end) const {
  const auto found = leaves_.lower_bound(first);
  return found != leaves_.end() && found->first < end;
}

const Leaf64k& Leaves64k::Make(uint64_t leaf) {
  return Make(leaf, std::vector<HeldEntry>(geometry_.Entries(0) / kPagesOf64k));
}

const Leaf64k& Leaves64k::Make(uint64_t leaf, std::vector<HeldEntry> entries) {
  return leaves_.emplace(leaf, Leaf64k{memory_.Make64k(leaf), std::move(entries)}).first->second;
}

Leaf64k Leaves64k::Take(uint64_t leaf) {
  const auto found = leaves_.find(leaf);
  Leaf64k taken = std::move(found->second);
  leaves_.erase(found);
  return taken;
}

void Leaves64k::Initialise(uint64_t leaf, const UpdateSink& sink) const {
  os::Initialise(leaves_.at(leaf).table, ExtentOf(geometry_, {0, leaf}, true), sink);
}

void Leaves64k::Put(TableUpdate update, const UpdateSink& sink) {
  Leaf64k& leaf = leaves_.at(update.first_va / geometry_.Coverage(0));
  update.use_64k = true;
  update.start /= kPagesOf64k;
  update.count /= kPagesOf64k;
  if (!update.repeat) {
    for (uint64_t i = 0; i < update.count; ++i) update.entries[i] = update.entries[i * kPagesOf64k];
    update.entries.resize(update.count);
  }
  for (uint64_t i = 0; i < update.count; ++i) {
    leaf.entries[update.start + i] = {update.entries[update.repeat ? 0 : i],
                                      {},
                                      update.allocation,
                                      update.allocation == nullptr ? 0 : update.allocation_offset + i * kBytesOf64k,
                                      update.driver_protection};
  }
  Aim(update, leaf.table);
  sink(update);
}

void SmallPages::Note(const TableUpdate& update) {
  for (uint64_t i = 0; geometry_.dual && i < update.count; ++i) {
    const uint64_t page = update.first_va / hw::kPageSize + i;
    const auto bit = static_cast<uint16_t>(1u << page % kPagesOf64k);
    uint16_t& pages = blocks_[page / kPagesOf64k];
    const bool used = InUse(update.entries[update.repeat ? 0 : i]);
    pages = static_cast<uint16_t>(used ? pages | bit : pages & ~bit);
    if (pages == 0) blocks_.erase(page / kPagesOf64k);
  }
}

}  // namespace gmmu::os
