// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

/// A copy of a process's page tables: all entries that have been sent to the driver, keyed by the
/// address of their table. The copy includes queued updates, which the hardware has not performed
/// yet.
class TableShadow {
 public:
  /// Records an update. Returns true if it overwrites an entry in use, which the hardware may have
  /// cached. Returns false for the first update of a new table, which the hardware cannot access
  /// yet.
  bool Apply(const TableUpdate& update);
  /// Records a COPY_PAGE_TABLE_ENTRIES; source and target may overlap. Returns true if it
  /// overwrites an entry in use.
  bool Copy(const D3DGPU_PHYSICAL_ADDRESS& source, uint64_t from, const D3DGPU_PHYSICAL_ADDRESS& target, uint64_t to,
            uint64_t count);
  /// Returns entry `index` of the table at `place`, or an invalid entry if it has never been
  /// written.
  HeldEntry At(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t index) const;
  std::vector<HeldEntry> Entries(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t first, uint64_t count) const;

 private:
  std::vector<HeldEntry>& Table(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t entries);

  std::map<std::pair<UINT, UINT64>, std::vector<HeldEntry>> tables_;
};

}  // namespace gmmu::os
