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
  bool notify_eviction = false;  ///< the table is about to go
  uint64_t first_va = 0;
  HANDLE allocation = nullptr;
  uint64_t allocation_offset = 0;
  uint64_t driver_protection = 0;  ///< level 0 only
  D3DGPU_PHYSICAL_ADDRESS table{};  ///< start of the table
  void* table_cpu = nullptr;        ///< the same for the CPU
  uint64_t table_va = 0;            ///< the same in the paging process, with update mode GPU_VIRTUAL
};

/// The page tables and virtual addresses of one GPU process, as VidMm keeps them.
///
/// Knows which tables exist and where they lie; what an entry looks like in hardware is the
/// driver's. Updates go to a sink in the order in which they must be done: a new table is
/// initialised before its parent names it.
class AddressSpace {
 public:
  using Sink = std::function<void(const TableUpdate&)>;

  /// Maps tables where the paging process can write them, and takes them away (update mode GPU_VIRTUAL).
  struct TableViews {
    std::function<uint64_t(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes)> map;
    std::function<void(uint64_t va, uint64_t bytes)> unmap;
  };
  /// Before the root is made.
  void set_table_views(TableViews views) { views_ = std::move(views); }

  /// `va_end`: bytes of virtual addresses that may be given out. The first leaf table's coverage
  /// never is.
  AddressSpace(Adapter& adapter, std::string name, bool paging, uint64_t va_end);

  // Calls that make tables throw NoRoom when their segment is full; what was made stays.

  /// Makes and initialises the root. Its address is valid afterwards. `entries`: of a resizable root
  /// (two levels), 0 for all of them.
  void CreateRoot(const Sink& sink, uint64_t entries = 0);
  /// A new root with the same contents, of at least `entries` entries where the root is resizable (two levels);
  /// 0 keeps their number. The hardware must be told of it, and the old one is retired. What leaves the kept part
  /// must have been invalidated, and its tables freed.
  void ReplaceRoot(uint64_t entries, const Sink& sink);
  /// BringUp::kWindows22621 only: all tables of [0, va_end), level by level, and the root.
  void MakeWhole(uint64_t va_end, const Sink& sink);
  /// The root has been written: the hardware may be told of it.
  bool ready() const { return root_.written; }
  D3DGPU_PHYSICAL_ADDRESS root() const { return root_.gpu; }
  uint64_t root_entries() const { return root_entries_; }

  /// Writes entries for consecutive pages from `va`; makes the tables that are missing. `entries`
  /// either one for each page, or one that is repeated.
  void SetEntries(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries,
                  HANDLE allocation, uint64_t allocation_offset, const Sink& sink, uint64_t driver_protection = 0);
  /// Entries of one leaf table that a copy of pages takes to one other, or to the same.
  struct LeafRun {
    D3DGPU_PHYSICAL_ADDRESS source, target;
    uint64_t source_bytes, target_bytes;  // of the tables
    uint64_t from, to, entries;
    uint64_t va;  // of the first target entry
  };
  /// [source, source + bytes) to `target`, ascending; the tables exist.
  std::vector<LeafRun> LeafRuns(uint64_t source, uint64_t target, uint64_t bytes);
  /// Makes the tables that are missing for these pages.
  void EnsureTables(uint64_t va, uint64_t pages, const Sink& sink);
  /// Writes one invalid entry over all of them.
  void Invalidate(uint64_t va, uint64_t pages, const Sink& sink);
  /// One entry of `level` > 0 that maps data or zeros: all that a table of the level below would cover. `va` is
  /// aligned to that. Tables that it replaces are retired. Later changes of parts of it make tables that say the
  /// same first.
  void SetUpper(unsigned level, uint64_t va, const DXGK_PTE& entry, HANDLE allocation, uint64_t allocation_offset,
                const Sink& sink);
  /// Zero entries, each at the highest level that fits.
  void SetZero(uint64_t va, uint64_t pages, const Sink& sink);
  /// Frees leaf tables that lie in the range as a whole, and tables above that are empty then: entries of
  /// parents become invalid. Tables are retired.
  void FreeTables(uint64_t va, uint64_t pages, const Sink& sink);
  /// Gives retired tables back: nothing that is queued, and no TLB, may use them any more.
  void ReleaseRetired();
  /// What a table says, entry by entry.
  using Contents = std::function<std::vector<DXGK_PTE>(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t entries)>;
  // Nothing of the space runs while its tables move or are evicted; old ones are retired.
  /// Every table but the root lies elsewhere afterwards, and says the same.
  void MoveTables(const Contents& contents, const Sink& sink);
  /// Every table but the root goes, after the driver was told (DXGK_UPDATEPAGETABLEFLAGS.NotifyEviction). No entry may
  /// be changed until RestoreTables has brought all of them back; after NoRoom it goes on where it stood.
  void EvictTables(const Contents& contents, const Sink& sink);
  void RestoreTables(const Sink& sink);
  bool evicted() const { return !evicted_.empty() && !restoring_; }
  /// Writes every entry of every table invalid (DXGK_GPUMMUCAPS.ExplicitPageTableInvalidation).
  void InvalidateAll(const Sink& sink);
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
    bool written = false;  // all of its entries
    uint64_t bytes = 0;
    uint64_t view = 0;  // in the paging process
  };
  using Slot = std::pair<unsigned, uint64_t>;  // level, va / coverage of one of its tables
  Table NewTable(unsigned level, uint64_t bytes);
  Table NewRoot(uint64_t wanted);
  void Release(Table& table);
  void Retire(Slot slot);
  void WriteAll(const Table& table, unsigned level, uint64_t va, std::vector<DXGK_PTE> entries, const Sink& sink);
  void WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const Sink& sink);
  static DXGK_PTE LinkTo(const Table& table);
  static void Aim(TableUpdate& update, const Table& table);
  Table& Ensure(unsigned level, uint64_t va, const Sink& sink);
  /// The same in the order of BringUp::kWindows22621.
  Table& EnsureInWindowsOrder(unsigned level, uint64_t va, const Sink& sink);
  Table& TableOf(unsigned level, uint64_t va);
  Table* Find(unsigned level, uint64_t va);
  /// All entries of a table of level > 0, with links to the tables below it that exist.
  void WriteWhole(unsigned level, uint64_t va, const Sink& sink);
  void Initialise(const Table& table, unsigned level, uint64_t count, uint64_t va,
                  const Sink& sink);
  /// A table that says what `upper` said: zeros, or smaller pages of the same data.
  DXGK_PTE PartOf(const DXGK_PTE& upper, unsigned level, uint64_t index) const;
  void Split(const Table& table, unsigned level, uint64_t va, const DXGK_PTE& upper, const Sink& sink);

  Adapter& adapter_;
  std::string name_;
  bool paging_;
  const bool windows_;  // BringUp::kWindows22621
  Table root_;
  uint64_t root_entries_ = 0;
  std::map<Slot, Table> tables_;     // without the root
  std::map<Slot, DXGK_PTE> uppers_;  // entries that stand where the table of this slot would
  std::vector<Table> retired_;
  std::map<Slot, std::vector<DXGK_PTE>> evicted_;  // contents
  bool restoring_ = false;
  TableViews views_;
  RangeAllocator va_;
};

}  // namespace gmmu::os
