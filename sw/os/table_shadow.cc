// SPDX-License-Identifier: Apache-2.0
#include "os/table_shadow.h"

#include <algorithm>

namespace gmmu::os {

std::vector<DXGK_PTE>& TableShadow::Table(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t entries) {
  std::vector<DXGK_PTE>& table = tables_[{place.SegmentId, place.SegmentOffset}];
  if (table.size() < entries) table.resize(entries);
  return table;
}

void TableShadow::Apply(const TableUpdate& update) {
  std::vector<DXGK_PTE>& table = Table(update.table, update.start + update.count);
  for (uint64_t i = 0; i < update.count; ++i) table[update.start + i] = update.entries[update.repeat ? 0 : i];
}

void TableShadow::Copy(const D3DGPU_PHYSICAL_ADDRESS& source, uint64_t from, const D3DGPU_PHYSICAL_ADDRESS& target,
                       uint64_t to, uint64_t count) {
  const std::vector<DXGK_PTE> entries = Entries(source, from, count);
  std::copy(entries.begin(), entries.end(), Table(target, to + count).begin() + static_cast<ptrdiff_t>(to));
}

DXGK_PTE TableShadow::At(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t index) const {
  const auto table = tables_.find({place.SegmentId, place.SegmentOffset});
  return table == tables_.end() || index >= table->second.size() ? DXGK_PTE{} : table->second[index];
}

std::vector<DXGK_PTE> TableShadow::Entries(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t first,
                                           uint64_t count) const {
  std::vector<DXGK_PTE> entries;
  for (uint64_t i = 0; i < count; ++i) entries.push_back(At(place, first + i));
  return entries;
}

}  // namespace gmmu::os
