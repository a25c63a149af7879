// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

/// What the page tables of a process say: every entry that was sent to the driver, by the place of its table. It is
/// ahead of the hardware by what is queued.
class TableShadow {
 public:
  /// True: the update writes over an entry that was in use, so that the hardware may still hold what it said. False for
  /// the first update of a new table, which the hardware cannot reach yet.
  bool Apply(const TableUpdate& update);
  /// As COPY_PAGE_TABLE_ENTRIES: entries may overlap. True: as for Apply.
  bool Copy(const D3DGPU_PHYSICAL_ADDRESS& source, uint64_t from, const D3DGPU_PHYSICAL_ADDRESS& target, uint64_t to,
            uint64_t count);
  /// Entry `index` of the table at `place`; invalid when nothing was written there.
  HeldEntry At(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t index) const;
  std::vector<HeldEntry> Entries(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t first, uint64_t count) const;

 private:
  std::vector<HeldEntry>& Table(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t entries);

  std::map<std::pair<UINT, UINT64>, std::vector<HeldEntry>> tables_;
};

}  // namespace gmmu::os
