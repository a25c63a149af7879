// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "os/address_space.h"

namespace gmmu::os {

/// What the page tables of a process say: every entry that was sent to the driver, by the place of its table. It is
/// ahead of the hardware by what is queued.
class TableShadow {
 public:
  void Apply(const TableUpdate& update);
  /// As COPY_PAGE_TABLE_ENTRIES: entries may overlap.
  void Copy(const D3DGPU_PHYSICAL_ADDRESS& source, uint64_t from, const D3DGPU_PHYSICAL_ADDRESS& target, uint64_t to,
            uint64_t count);
  /// Entry `index` of the table at `place`; invalid when nothing was written there.
  DXGK_PTE At(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t index) const;
  std::vector<DXGK_PTE> Entries(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t first, uint64_t count) const;

 private:
  std::vector<DXGK_PTE>& Table(const D3DGPU_PHYSICAL_ADDRESS& place, uint64_t entries);

  std::map<std::pair<UINT, UINT64>, std::vector<DXGK_PTE>> tables_;
};

}  // namespace gmmu::os
