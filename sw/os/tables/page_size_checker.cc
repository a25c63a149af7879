// SPDX-License-Identifier: Apache-2.0
#include "os/tables/page_size_checker.h"

#include <iterator>

#include "hw/host_ram.h"
#include "os/base/bug_check.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {
constexpr uint16_t kAll = 0xFFFF;

bool IsLink(const DXGK_PTE& entry) { return entry.Valid && !entry.Zero && !entry.LargePage; }
}  // namespace

void PageSizeChecker::Broken(const std::string& rule, uint64_t va) const {
  throw BugCheck("VidMm breaks the order of 64 KiB pages at " + Hex(va) + " of " + name_ + ": " + rule);
}

void PageSizeChecker::Begin(LeafChange change) {
  changing_ = true;
  change_ = change;
  upper_written_ = false;
}

void PageSizeChecker::Forget(uint64_t block, uint64_t count, bool small, bool large) {
  if (small) small_.erase(small_.lower_bound(block), small_.lower_bound(block + count));
  if (large) large_.erase(large_.lower_bound(block), large_.lower_bound(block + count));
}

void PageSizeChecker::NoteLeaf(const TableUpdate& update) {
  if (changing_ && upper_written_)
    Broken("an entry of level 0 after the entry of level 1, which must be last", update.first_va);
  const uint64_t slot = update.first_va / geometry_.Coverage(0);
  const auto kind = kinds_.find(slot);
  const bool converting = changing_ && change_ == LeafChange::kConversion && suspended_;
  if (!update.use_64k && kind != kinds_.end() && kind->second && !converting)
    Broken("4 KiB entries for a 64 KiB leaf table while contexts run", update.first_va);
  const auto entry = [&](uint64_t i) -> const DXGK_PTE& { return update.entries[update.repeat ? 0 : i]; };
  for (uint64_t i = 0; i < update.count; ++i) {
    const uint64_t page = update.first_va / hw::kPageSize + (update.use_64k ? i * kPagesOf64k : i);
    const uint64_t block = page / kPagesOf64k;
    if (const DXGK_PTE& each = entry(i); update.allocation != nullptr && each.Valid && !each.Zero &&
                                         (segments_ >> each.Segment & 1) != 0 &&
                                         (each.PageAddress - page) % kPagesOf64k != 0) {
      Broken("an entry whose page differs from its address in the low 16 bits", page * hw::kPageSize);
    }
    if (update.use_64k) {
      if (!InUse(entry(i))) {
        if (large_.erase(block) != 0) was_large_.insert(block);
        continue;
      }
      if (geometry_.dual && small_.count(block) != 0)
        Broken("a 64 KiB entry for a block with 4 KiB entries", page * hw::kPageSize);
      if (geometry_.dual && was_small_.count(block) != 0)
        Broken("a 64 KiB entry for a block whose 4 KiB entries were not flushed", page * hw::kPageSize);
      large_.insert(block);
      continue;
    }
    const auto bit = static_cast<uint16_t>(1u << page % kPagesOf64k);
    if (InUse(entry(i))) {
      if (geometry_.dual && large_.count(block) != 0)
        Broken("a 4 KiB entry for a block with a 64 KiB entry", page * hw::kPageSize);
      if (geometry_.dual && was_large_.count(block) != 0)
        Broken("a 4 KiB entry for a block whose 64 KiB entry was not flushed", page * hw::kPageSize);
      small_[block] |= bit;
    } else if (const auto held = small_.find(block); held != small_.end()) {
      held->second = static_cast<uint16_t>(held->second & ~bit);
      if (held->second == 0) small_.erase(held);
      was_small_[block] |= bit;
    }
  }
}

void PageSizeChecker::Convert(uint64_t slot) {
  const uint64_t first = slot * BlocksOfLeaf(), va = slot * geometry_.Coverage(0);
  if (!suspended_) Broken("level 1 goes to a 4 KiB leaf table while contexts run", va);
  for (auto block = large_.lower_bound(first); block != large_.end() && *block < first + BlocksOfLeaf(); ++block) {
    const auto small = small_.find(*block);
    if (small == small_.end() || small->second != kAll)
      Broken("level 1 goes to a 4 KiB leaf table before its entries are written", *block * kPagesOf64k * hw::kPageSize);
  }
  Forget(first, BlocksOfLeaf(), false, true);
}

// A table that is being initialised is not part of the tree yet, so its invalid entries do not
// remove earlier links.
void PageSizeChecker::NoteLink(uint64_t slot, const DXGK_PTE& entry, const DXGK_PTE& entry_64k, bool initial) {
  const bool link = IsLink(entry);
  if (geometry_.dual) {
    if (!initial) Forget(slot * BlocksOfLeaf(), BlocksOfLeaf(), !link, !IsLink(entry_64k));
    return;
  }
  const auto old = kinds_.find(slot);
  if (!link) {
    if (initial) return;
    if (old != kinds_.end()) kinds_.erase(old);
    Forget(slot * BlocksOfLeaf(), BlocksOfLeaf(), true, true);
    return;
  }
  const bool large = entry.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
  if (old != kinds_.end() && large && !old->second)
    Broken("level 1 goes back to a 64 KiB leaf table", slot * geometry_.Coverage(0));
  if (old != kinds_.end() && !large && old->second) Convert(slot);
  kinds_[slot] = large;
}

void PageSizeChecker::NoteFlush(uint64_t start, uint64_t end) {
  if (start == 0 && end == 0) end = ~uint64_t{0};
  // Flushing any byte of a 64 KiB translation drops the whole translation, so partly covered blocks
  // are flushed as well.
  was_large_.erase(was_large_.lower_bound(start / kBytesOf64k), was_large_.lower_bound((end - 1) / kBytesOf64k + 1));
  for (auto block = was_small_.lower_bound(start / kBytesOf64k);
       block != was_small_.end() && block->first * kBytesOf64k < end;) {
    for (uint64_t page = 0; page < kPagesOf64k; ++page) {
      const uint64_t va = block->first * kBytesOf64k + page * hw::kPageSize;
      if (va >= start && va < end) block->second = static_cast<uint16_t>(block->second & ~(1u << page));
    }
    block = block->second == 0 ? was_small_.erase(block) : std::next(block);
  }
}

void PageSizeChecker::Note(const TableUpdate& update) {
  if (update.level == 0) return NoteLeaf(update);
  if (update.level == 1) upper_written_ = true;
  const uint64_t each = uint64_t{1} << geometry_.Shift(update.level);
  const uint64_t slots = each / geometry_.Coverage(0);
  for (uint64_t i = 0; i < update.count; ++i) {
    const size_t at = update.repeat ? 0 : i;
    const uint64_t slot = update.first_va / geometry_.Coverage(0) + i * slots;
    if (update.level == 1) {
      const DXGK_PTE large = update.entries_64k.empty() ? DXGK_PTE{} : update.entries_64k[at];
      NoteLink(slot, update.entries[at], large, update.initial);
    } else if (!IsLink(update.entries[at]) && !update.initial) {
      kinds_.erase(kinds_.lower_bound(slot), kinds_.lower_bound(slot + slots));
      Forget(slot * BlocksOfLeaf(), slots * BlocksOfLeaf(), true, true);
    }
  }
}

}  // namespace gmmu::os
