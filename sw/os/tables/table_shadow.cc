// SPDX-License-Identifier: Apache-2.0
#include "os/tables/table_shadow.h"

#include <algorithm>
#include <cstring>

#include "hw/host_ram.h"
#include "os/miniport/geometry.h"

namespace gmmu::os {
namespace {

bool IsEmpty(const DXGK_PTE& entry) {
  static constexpr DXGK_PTE kEmpty{};
  return std::memcmp(&entry, &kEmpty, sizeof entry) == 0;
}

/// True if the update writes the value that At returns for entries that have never been written.
bool SaysNothing(const TableUpdate& update) {
  return IsEmpty(update.entries[0]) && (update.entries_64k.empty() || IsEmpty(update.entries_64k[0])) &&
         update.allocation == nullptr && update.driver_protection == 0;
}

}  // namespace

std::vector<HeldEntry>& TableShadow::Table(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t entries) {
  std::vector<HeldEntry>& table = tables_[{place.SegmentId, place.SegmentOffset}];
  if (table.size() < entries) table.resize(entries);
  return table;
}

bool TableShadow::Apply(const TableUpdate& update) {
  const uint64_t page = update.use_64k ? kBytesOf64k : hw::kPageSize;
  uint64_t count = update.count;
  if (update.repeat && SaysNothing(update)) {  // entries beyond the recorded ones read as invalid
    const uint64_t known = Table(update.table, 0).size();
    count = known <= update.start ? 0 : std::min(count, known - update.start);
  }
  std::vector<HeldEntry>& table = Table(update.table, count == 0 ? 0 : update.start + count);
  bool changed = false;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t from = update.repeat ? 0 : i;
    HeldEntry held;
    held.entry = update.entries[from];
    if (!update.entries_64k.empty()) held.entry_64k = update.entries_64k[from];
    held.allocation = update.allocation;
    if (update.allocation != nullptr) held.allocation_offset = update.allocation_offset + from * page;
    held.driver_protection = update.driver_protection;
    HeldEntry& at = table[update.start + i];
    changed = changed || InUse(at.entry) || InUse(at.entry_64k);
    at = held;
  }
  return changed && !update.initial;
}

bool TableShadow::Copy(const D3DGPU_PHYSICAL_ADDRESS& source, uint64_t from, const D3DGPU_PHYSICAL_ADDRESS& target,
                       uint64_t to, uint64_t count) {
  bool changed = false;
  for (const HeldEntry& held : Entries(target, to, count)) changed = changed || InUse(held.entry);
  const std::vector<HeldEntry> entries = Entries(source, from, count);
  std::copy(entries.begin(), entries.end(), Table(target, to + count).begin() + static_cast<ptrdiff_t>(to));
  return changed;
}

HeldEntry TableShadow::At(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t index) const {
  const auto table = tables_.find({place.SegmentId, place.SegmentOffset});
  return table == tables_.end() || index >= table->second.size() ? HeldEntry{} : table->second[index];
}

std::vector<HeldEntry> TableShadow::Entries(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t first,
                                            uint64_t count) const {
  std::vector<HeldEntry> entries;
  for (uint64_t i = 0; i < count; ++i) entries.push_back(At(place, first + i));
  return entries;
}

}  // namespace gmmu::os
