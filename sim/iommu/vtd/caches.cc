// SPDX-License-Identifier: Apache-2.0
#include "iommu/vtd/caches.h"

#include <algorithm>

#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

/// Moves the element to the front, which is the most recently used position.
template <typename T>
void Touch(std::vector<T>& entries, typename std::vector<T>::iterator at) {
  std::rotate(entries.begin(), at, at + 1);
}

template <typename T, typename Condition>
size_t EraseIf(std::vector<T>& entries, Condition condition) {
  const auto end = std::remove_if(entries.begin(), entries.end(), condition);
  const auto dropped = static_cast<size_t>(entries.end() - end);
  entries.erase(end, entries.end());
  return dropped;
}

bool Overlap(uint64_t a, unsigned a_lg2, uint64_t b, unsigned b_lg2) {
  const unsigned lg2 = std::max(a_lg2, b_lg2);  // blocks are nested or disjoint: use the larger
  return lg2 >= 64 || a >> lg2 == b >> lg2;
}

}  // namespace

const VtdContext* VtdContextCache::Find(uint16_t sid) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const VtdContext& entry) { return entry.sid == sid; });
  if (found == entries_.end()) return nullptr;
  Touch(entries_, found);
  return &entries_.front();
}

void VtdContextCache::Fill(const VtdContext& context) {
  if (capacity_ == 0) return;
  EraseIf(entries_, [&](const VtdContext& entry) { return entry.sid == context.sid; });
  if (entries_.size() == capacity_) entries_.pop_back();
  entries_.insert(entries_.begin(), context);
}

size_t VtdContextCache::DropAll() {
  return EraseIf(entries_, [](const VtdContext&) { return true; });
}

size_t VtdContextCache::DropDomain(uint16_t did) {
  return EraseIf(entries_, [&](const VtdContext& entry) { return entry.did == did; });
}

size_t VtdContextCache::DropDevice(uint16_t did, uint16_t sid, unsigned function_mask) {
  static constexpr uint16_t kMasked[] = {0, 4, 6, 7};
  const auto keep = static_cast<uint16_t>(~kMasked[function_mask & 3]);
  return EraseIf(entries_,
                 [&](const VtdContext& entry) { return entry.did == did && (entry.sid & keep) == (sid & keep); });
}

VtdIotlb::VtdIotlb(unsigned sets, unsigned ways) : sets_(sets), ways_(ways), slots_(size_t{sets} * ways) {}

size_t VtdIotlb::SetOf(uint16_t did, uint64_t iova, unsigned level) const {
  return ((iova >> vtd::LevelShift(level)) + did) % sets_ * ways_;
}

const VtdTlbEntry* VtdIotlb::Probe(uint16_t did, uint64_t iova, unsigned level, bool failure, bool write) {
  const uint64_t page = iova & vtd::Above(vtd::LevelShift(level));
  const size_t set = SetOf(did, iova, level);
  for (size_t i = set; i < set + ways_; ++i) {
    Slot& slot = slots_[i];
    const VtdTlbEntry& entry = slot.entry;
    if (!slot.valid || entry.did != did || entry.level != level || entry.page != page) continue;
    if ((entry.reason != VtdReason::kNone) != failure) continue;
    if (failure && entry.write != write) continue;
    slot.used = ++clock_;
    return &entry;
  }
  return nullptr;
}

const VtdTlbEntry* VtdIotlb::Find(uint16_t did, uint64_t iova, bool write) {
  if (slots_.empty()) return nullptr;
  for (unsigned level = 1; level <= 3; ++level) {
    if (const VtdTlbEntry* entry = Probe(did, iova, level, false, write)) return entry;
  }
  return Probe(did, iova, 1, true, write);
}

void VtdIotlb::Fill(const VtdTlbEntry& entry) {
  if (slots_.empty()) return;
  const size_t set = SetOf(entry.did, entry.page, entry.level);
  const bool failure = entry.reason != VtdReason::kNone;
  Slot* victim = nullptr;
  for (size_t i = set; i < set + ways_; ++i) {
    Slot& slot = slots_[i];
    const VtdTlbEntry& old = slot.entry;
    const bool same = slot.valid && old.did == entry.did && old.level == entry.level && old.page == entry.page &&
                      (old.reason != VtdReason::kNone) == failure && (!failure || old.write == entry.write);
    if (same) {
      victim = &slot;
      break;
    }
    if (victim == nullptr || (victim->valid && (!slot.valid || slot.used < victim->used))) victim = &slot;
  }
  *victim = Slot{true, ++clock_, entry};
}

template <typename Condition>
size_t VtdIotlb::DropIf(Condition condition) {
  size_t dropped = 0;
  for (Slot& slot : slots_) {
    if (!slot.valid || !condition(slot.entry)) continue;
    slot.valid = false;
    ++dropped;
  }
  return dropped;
}

size_t VtdIotlb::DropAll() {
  return DropIf([](const VtdTlbEntry&) { return true; });
}

size_t VtdIotlb::DropDomain(uint16_t did) {
  return DropIf([&](const VtdTlbEntry& entry) { return entry.did == did; });
}

size_t VtdIotlb::DropPages(uint16_t did, uint64_t iova, unsigned address_mask, bool larger) {
  const unsigned lg2 = 12 + address_mask;
  return DropIf([&](const VtdTlbEntry& entry) {
    const unsigned entry_lg2 = vtd::LevelShift(entry.level);
    return entry.did == did && Overlap(entry.page, entry_lg2, iova, lg2) && (larger || entry_lg2 <= lg2);
  });
}

std::optional<VtdTableEntry> VtdTableCache::Find(uint16_t did, uint64_t iova, unsigned levels) {
  for (unsigned level = 1; level < levels; ++level) {
    auto& entries = levels_[level - 1];
    const uint64_t start = iova & vtd::Above(vtd::LevelShift(level + 1));
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const VtdTableEntry& entry) {
      return entry.did == did && entry.start == start;
    });
    if (found == entries.end()) continue;
    Touch(entries, found);
    return entries.front();
  }
  return std::nullopt;
}

void VtdTableCache::Fill(const VtdTableEntry& entry) {
  if (capacity_ == 0) return;
  auto& entries = levels_[entry.level - 1];
  EraseIf(entries, [&](const VtdTableEntry& old) { return old.did == entry.did && old.start == entry.start; });
  if (entries.size() == capacity_) entries.pop_back();
  entries.insert(entries.begin(), entry);
}

size_t VtdTableCache::DropAll() {
  size_t dropped = 0;
  for (auto& entries : levels_) {
    dropped += entries.size();
    entries.clear();
  }
  return dropped;
}

size_t VtdTableCache::DropDomain(uint16_t did) {
  size_t dropped = 0;
  for (auto& entries : levels_)
    dropped += EraseIf(entries, [&](const VtdTableEntry& entry) { return entry.did == did; });
  return dropped;
}

size_t VtdTableCache::DropPages(uint16_t did, uint64_t iova, unsigned address_mask) {
  size_t dropped = 0;
  for (auto& entries : levels_) {
    dropped += EraseIf(entries, [&](const VtdTableEntry& entry) {
      return entry.did == did && Overlap(entry.start, vtd::LevelShift(entry.level + 1u), iova, 12 + address_mask);
    });
  }
  return dropped;
}

}  // namespace gmmu::sim
