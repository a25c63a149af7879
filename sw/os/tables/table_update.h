// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/tables/held_entry.h"

namespace gmmu::os {

/// One UpdatePageTable call of VidMm: entries of one table.
struct TableUpdate {
  unsigned level = 0;
  uint64_t start = 0;             ///< index of the first entry
  std::vector<DXGK_PTE> entries;  ///< one entry when `repeat` is set
  uint64_t count = 0;
  bool repeat = false;
  bool use_64k = false;               ///< level 0: entries of 64 KiB, `start` and `count` count those
  std::vector<DXGK_PTE> entries_64k;  ///< level 1 of pairs: the 64 KiB halves, as many as `entries`; empty: invalid
  bool initial = false;               ///< the first update of a new table, whose memory may hold anything
  bool notify_eviction = false;       ///< the table is about to be evicted
  bool retired = false;               ///< no entry names the table any more
  uint64_t first_va = 0;
  HANDLE allocation = nullptr;
  uint64_t allocation_offset = 0;
  uint64_t driver_protection = 0;   ///< level 0 only
  D3DGPU_PHYSICAL_ADDRESS table{};  ///< start of the table
  void* table_cpu = nullptr;        ///< the same for the CPU
  uint64_t table_va = 0;            ///< the same in the paging process, with update mode GPU_VIRTUAL
};

/// Takes updates in the order in which they must be done.
using UpdateSink = std::function<void(const TableUpdate&)>;

/// Answers what `count` entries of the table at `table` say, from entry `first` on.
using TableContents =
    std::function<std::vector<HeldEntry>(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t first, uint64_t count)>;

}  // namespace gmmu::os
