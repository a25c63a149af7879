// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/base/ledger.h"
#include "os/tables/table_update.h"

namespace gmmu::os {

struct Geometry;
struct Segment;
class SystemBuffer;

/// Identifies a table below the root by its level and its index among the tables of that level (va / coverage).
using TableSlot = std::pair<unsigned, uint64_t>;

/// The level, address range and size of a whole table. The first entry maps `va`.
struct TableExtent {
  unsigned level;
  uint64_t va;
  uint64_t entries;
  bool use_64k;  ///< a leaf table of 64 KiB entries
};
TableExtent ExtentOf(const Geometry& geometry, const TableSlot& slot, bool use_64k = false);

/// One page table in memory. TableMemory allocates and frees the memory; the destructor does not.
struct PageTable {
  PageTable();
  PageTable(PageTable&& other) noexcept;
  PageTable& operator=(PageTable&& other) noexcept;
  ~PageTable();

  D3DGPU_PHYSICAL_ADDRESS gpu{};
  void* cpu = nullptr;
  Segment* segment = nullptr;  ///< null: the table is in `system`
  std::unique_ptr<SystemBuffer> system;
  Ledger::Ticket ticket = 0;
  bool written = false;  ///< every entry has been written since the table was allocated
  uint64_t bytes = 0;
  uint64_t view = 0;  ///< GPU VA of the table in the paging process (update mode GPU_VIRTUAL)
};

/// Sets `table` as the target of `update`.
void Aim(TableUpdate& update, const PageTable& table);
/// Returns an update that covers all entries of a table. The caller must fill in the entries.
TableUpdate UpdateOfAll(const PageTable& table, const TableExtent& extent);
/// Returns an update that makes every entry of a table invalid.
TableUpdate UpdateToInvalid(const PageTable& table, const TableExtent& extent);
/// Sends the first update of a new table, which makes every entry invalid.
void Initialise(const PageTable& table, const TableExtent& extent, const UpdateSink& sink);
/// Writes `entries` to a new table. Leaf entries are written with their allocation and driver
/// protection. `dual`: level-1 entries are pairs.
void WriteAll(const PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries, bool dual,
              const UpdateSink& sink);
/// Copies `entries` to an update of a whole table. `dual`: level-1 entries are pairs.
void FillUpdate(TableUpdate& update, const std::vector<HeldEntry>& entries, bool dual);

}  // namespace gmmu::os
