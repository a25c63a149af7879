// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

/// A copy of a process's page tables: every entry that was sent to the driver, keyed by the address of the entry's
/// table. Queued updates are already in the copy, but not yet in the hardware.
class TableShadow {
 public:
  /// Returns true if the update overwrites an entry that was in use, which the hardware may still have cached. Returns
  /// false for the first update to a new table, which the hardware cannot access yet.
  bool Apply(const TableUpdate& update);
  /// Performs COPY_PAGE_TABLE_ENTRIES; source and target may overlap. Returns the same as Apply.
  bool Copy(const D3DGPU_PHYSICAL_ADDRESS& source, uint64_t from, const D3DGPU_PHYSICAL_ADDRESS& target, uint64_t to,
            uint64_t count);
  /// Returns entry `index` of the table at `place`, or an invalid entry if it was never written.
  HeldEntry At(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t index) const;
  std::vector<HeldEntry> Entries(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t first, uint64_t count) const;

 private:
  std::vector<HeldEntry>& Table(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t entries);

  std::map<std::pair<UINT, UINT64>, std::vector<HeldEntry>> tables_;
};

}  // namespace gmmu::os
