// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/geometry.h"
#include "os/ranges.h"
#include "os/segments.h"
#include "os/system_buffer.h"

namespace gmmu::os {

class Adapter;

/// One UpdatePageTable call of VidMm: entries of one table.
struct TableUpdate {
  unsigned level = 0;
  uint64_t start = 0;             ///< index of the first entry
  std::vector<DXGK_PTE> entries;  ///< one entry when `repeat` is set
  uint64_t count = 0;
  bool repeat = false;
  bool initial = false;
  uint64_t first_va = 0;
  HANDLE allocation = nullptr;
  uint64_t allocation_offset = 0;
  D3DGPU_PHYSICAL_ADDRESS table{};  ///< start of the table
  void* table_cpu = nullptr;        ///< the same for the CPU
};

/// The page tables and virtual addresses of one GPU process, as VidMm keeps them.
///
/// Knows which tables exist and where they lie; what an entry looks like in hardware is the
/// driver's. Updates go to a sink in the order in which they must be done: a new table is
/// initialised before its parent names it.
class AddressSpace {
 public:
  using Sink = std::function<void(const TableUpdate&)>;

  /// `va_end`: bytes of virtual addresses that may be given out. The first leaf table's coverage
  /// never is.
  AddressSpace(Adapter& adapter, std::string name, bool paging, uint64_t va_end);

  // Calls that make tables throw NoRoom when their segment is full; what was made stays.

  /// Makes and initialises the root. Its address is valid afterwards.
  void CreateRoot(const Sink& sink);
  D3DGPU_PHYSICAL_ADDRESS root() const { return root_.gpu; }
  uint64_t root_entries() const { return root_entries_; }

  /// Writes entries for consecutive pages from `va`; makes the tables that are missing. `entries`
  /// either one for each page, or one that is repeated.
  void SetEntries(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries,
                  HANDLE allocation, uint64_t allocation_offset, const Sink& sink);
  /// Makes the tables that are missing for these pages.
  void EnsureTables(uint64_t va, uint64_t pages, const Sink& sink);
  /// Writes one invalid entry over all of them.
  void Invalidate(uint64_t va, uint64_t pages, const Sink& sink);
  /// Gives every table back. The GPU must not use the space any more.
  void FreeTables();

  RangeAllocator& va() { return va_; }
  const std::string& name() const { return name_; }
  size_t tables() const { return tables_.size(); }

 private:
  struct Table {
    D3DGPU_PHYSICAL_ADDRESS gpu{};
    void* cpu = nullptr;
    Segment* segment = nullptr;  // null: system memory
    SystemBuffer system;
    Ledger::Ticket ticket = 0;
  };
  Table NewTable(unsigned level, uint64_t bytes);
  Table& Ensure(unsigned level, uint64_t va, const Sink& sink);
  void Initialise(const Table& table, unsigned level, uint64_t count, uint64_t va,
                  const Sink& sink);

  Adapter& adapter_;
  std::string name_;
  bool paging_;
  Table root_;
  uint64_t root_entries_ = 0;
  std::map<std::pair<unsigned, uint64_t>, Table> tables_;  // level, va / coverage; without the root
  RangeAllocator va_;
};

}  // namespace gmmu::os
