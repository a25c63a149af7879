// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/miniport/geometry.h"
#include "os/tables/held_entry.h"
#include "os/kernel/ranges.h"
#include "os/miniport/segments.h"
#include "os/memory/system_buffer.h"

namespace gmmu::os {

class PhysicalAdapter;

/// One UpdatePageTable call of VidMm: entries of one table.
struct TableUpdate {
  unsigned level = 0;
  uint64_t start = 0;             ///< index of the first entry
  std::vector<DXGK_PTE> entries;  ///< one entry when `repeat` is set
  uint64_t count = 0;
  bool repeat = false;
  bool use_64k = false;                 ///< level 0: entries of 64 KiB, `start` and `count` count those
  std::vector<DXGK_PTE> entries_64k;    ///< level 1 of pairs: the 64 KiB halves, as many as `entries`; empty: invalid
  bool initial = false;
  bool notify_eviction = false;  ///< the table is about to go
  bool retired = false;  ///< the table is no part of the tree any more
  uint64_t first_va = 0;
  HANDLE allocation = nullptr;
  uint64_t allocation_offset = 0;
  uint64_t driver_protection = 0;  ///< level 0 only
  D3DGPU_PHYSICAL_ADDRESS table{};  ///< start of the table
  void* table_cpu = nullptr;        ///< the same for the CPU
  uint64_t table_va = 0;            ///< the same in the paging process, with update mode GPU_VIRTUAL
};

/// A leaf table changes its kind (single entries), or blocks of it do (pairs).
enum class LeafChange { kConversion, kMove };

/// The page tables of one GPU process on one GPU, and its virtual addresses, as VidMm keeps them.
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
  /// What a change between pages of 64 KiB and of 4 KiB needs: `begin` is called before a way back to 4 KiB (for a
  /// conversion the contexts of the process are suspended when it returns), `flush` between entries that become
  /// invalid and entries of the other kind that become valid, and at the end; then `end` (the contexts run again).
  struct ChangeHooks {
    std::function<void(LeafChange)> begin;
    std::function<void(uint64_t va, uint64_t bytes)> flush;
    std::function<void(LeafChange)> end;
  };
  void set_change_hooks(ChangeHooks hooks) { hooks_ = std::move(hooks); }
  /// Called before an address beyond a resizable root gets an entry: replaces the root by one of at least so many
  /// entries, or throws NoRoom. Without it such an address is an OsError.
  using RootGrower = std::function<void(uint64_t entries)>;
  void set_root_grower(RootGrower grower) { grow_ = std::move(grower); }
  /// Gives a table its place in a memory segment, byte offset; nullopt: there is no room.
  using Placer = std::function<std::optional<uint64_t>(unsigned level, uint64_t slot, uint64_t bytes,
                                                       uint64_t alignment, const std::string& created_by)>;
  /// Of a process over linked adapters. Before the root is made; else tables lie by seed, or in the order of a build
  /// of Windows.
  void set_placer(Placer placer) { placer_ = std::move(placer); }
  /// Before the root is made.
  void set_table_views(TableViews views) { views_ = std::move(views); }

  /// `va_end`: bytes of virtual addresses that may be given out. The first leaf table's coverage
  /// never is.
  AddressSpace(PhysicalAdapter& gpu, std::string name, bool paging, uint64_t va_end);

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

  /// BringUp::kWindows26100 only, in its order: the first tables of the paging process without the root (leaf table
  /// of `va`, and `large` leaf tables of 64 KiB entries behind it); then the root.
  void MakeFirst(uint64_t va, uint64_t large, const Sink& sink);
  void MakeWholeRoot(const Sink& sink);
  /// Pages of the leaf table of `va`, as entries that map it.
  std::vector<DXGK_PTE> EntriesOfLeafTable(uint64_t va);

  /// Writes entries for consecutive pages from `va`; makes the tables that are missing. `entries`
  /// either one for each page, or one that is repeated. Blocks of 64 KiB are mapped as such when
  /// address and size of the update are multiples of 64 KiB and each block is consecutive, aligned and in
  /// a segment with pages of 64 KiB; where the leaf table has 4 KiB entries already it keeps them (single entries).
  void SetEntries(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries,
                  HANDLE allocation, uint64_t allocation_offset, const Sink& sink, uint64_t driver_protection = 0);
  /// Pages of one leaf table's range that a copy takes to one other, or to the same.
  struct CopyPiece {
    uint64_t source, target, pages;
  };
  /// [source, source + bytes) to `target`, ascending.
  std::vector<CopyPiece> CopyPieces(uint64_t source, uint64_t target, uint64_t bytes) const;
  /// Where the 4 KiB leaf table of `va` lies.
  struct LeafPlace {
    D3DGPU_PHYSICAL_ADDRESS gpu;
    uint64_t bytes;
  };
  /// The table exists.
  LeafPlace PlaceOfLeaf(uint64_t va) const;
  /// Makes the tables that are missing for these pages; `large`: for pages of 64 KiB, where that is still open.
  void EnsureTables(uint64_t va, uint64_t pages, const Sink& sink, bool large = false);
  /// The page at `va` has, or is to have, an entry of 64 KiB.
  bool Is64k(uint64_t va) const;
  /// One of these pages has.
  bool Any64k(uint64_t va, uint64_t pages) const;
  /// Writes one invalid entry over all of them; what lies beyond a resizable root is invalid already.
  void Invalidate(uint64_t va, uint64_t pages, const Sink& sink);
  /// One entry of `level` > 0 that maps data or zeros: all that a table of the level below would cover. `va` is
  /// aligned to that. Tables that it replaces are retired. Later changes of parts of it make tables that say the
  /// same first.
  void SetUpper(unsigned level, uint64_t va, const DXGK_PTE& entry, HANDLE allocation, uint64_t allocation_offset,
                const Sink& sink, uint64_t driver_protection = 0);
  /// Zero entries, each at the highest level that fits.
  void SetZero(uint64_t va, uint64_t pages, const Sink& sink);
  /// Frees leaf tables that lie in the range as a whole, which is invalid, and tables above that are empty then:
  /// entries of parents become invalid. Tables are retired.
  void FreeTables(uint64_t va, uint64_t pages, const Sink& sink);
  // Of retired tables, which nothing that is queued, and no TLB, may use any more.
  /// Writes the entries of all that still have some in use invalid (DXGK_GPUMMUCAPS.ExplicitPageTableInvalidation).
  /// Says whether there was one.
  bool InvalidateRetired(const Sink& sink);
  /// Gives them back.
  void ReleaseRetired();
  /// What a table says, entry by entry.
  using Contents =
      std::function<std::vector<HeldEntry>(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t first, uint64_t count)>;
  /// The entries of a piece's source pages, each as one of 4 KiB; their table exists (EnsureTables).
  std::vector<HeldEntry> PageEntries(const CopyPiece& piece, const Contents& contents) const;
  /// The GPU has copied a piece from one table of 4 KiB entries to another: the update that would have done it.
  TableUpdate NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries);
  /// Makes these pages invalid where their entries are in use; no table is made but for what is left of a larger
  /// entry. False: nothing was in use.
  bool Clear(uint64_t va, uint64_t pages, const Contents& contents, const Sink& sink);
  // Nothing of the space runs while its tables move or are evicted; old ones are retired.
  /// Every table but the root lies elsewhere afterwards, and says the same.
  void MoveTables(const Contents& contents, const Sink& sink);
  /// Every table but the root goes, after the driver was told (DXGK_UPDATEPAGETABLEFLAGS.NotifyEviction). No entry may
  /// be changed until RestoreTables has brought all of them back; after NoRoom it goes on where it stood.
  void EvictTables(const Contents& contents, const Sink& sink);
  void RestoreTables(const Sink& sink);
  /// The root too, when the tables are evicted: its memory goes; later another one with as many entries, and with what
  /// it said itself (large and zero entries). Links come back with the tables.
  void FreeRoot();
  void RestoreRoot(const Sink& sink);
  bool evicted() const { return !(evicted_.empty() && evicted_64k_.empty()) && !restoring_; }
  /// Writes every entry of every table invalid, of retired ones too (DXGK_GPUMMUCAPS.ExplicitPageTableInvalidation).
  void InvalidateAll(const Sink& sink);
  /// Gives every table back. The GPU must not use the space any more.
  void FreeTables();

  RangeAllocator& va() { return va_; }
  const std::string& name() const { return name_; }
  size_t tables() const { return tables_.size() + leaves_64k_.size(); }
  size_t tables_64k() const { return leaves_64k_.size(); }

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
  Table NewTable(unsigned level, uint64_t slot, uint64_t bytes);
  std::optional<uint64_t> PlaceOf(unsigned level, uint64_t slot, Segment& segment, uint64_t bytes,
                                  const std::string& created_by);
  struct Root {
    Table table;
    uint64_t entries;
  };
  Root NewRoot(uint64_t wanted);
  /// The root from now on; returns the one before.
  Table PutRoot(Root root);
  struct Leaf64k {
    Table table;
    std::vector<HeldEntry> entries;
  };
  // address_space_64k.cc
  bool Fits64k(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries) const;
  void PutLeaf(TableUpdate update, bool fits, const Sink& sink);
  void PutPair(const TableUpdate& update, bool fits, const Sink& sink);
  void PutSmall(TableUpdate update, const Sink& sink);
  void NoteSmall(const TableUpdate& update);
  void PutLarge(TableUpdate update, const Sink& sink);
  void InvalidateSmall(const TableUpdate& update, const Sink& sink);
  void InvalidateLarge(const TableUpdate& update, const Leaf64k& leaf, const Sink& sink);
  Leaf64k& Ensure64k(uint64_t slot, const Sink& sink);
  void Clear64k(uint64_t slot, const Sink& sink);
  const Leaf64k* Find64k(uint64_t slot) const;
  Table New64k();
  /// Single entries: one leaf table of 64 KiB entries becomes one of 4 KiB.
  void Convert(uint64_t slot, const Sink& sink);
  /// Pairs: `blocks`, and the pages of `update`, go from 64 KiB entries to 4 KiB ones.
  void Move(const TableUpdate& update, const std::vector<uint64_t>& blocks, const Sink& sink);
  /// Pages [first, first + count) of a block as they were in its 64 KiB entry.
  TableUpdate Part64k(uint64_t block, const HeldEntry& held, uint64_t first, uint64_t count) const;
  void ForgetBlocks(uint64_t slot);
  DXGK_PTE LinkTo64k(const Table& table) const;
  void Release(Table& table);
  /// All entries of a table, the first one for `va`.
  struct Extent {
    unsigned level;
    uint64_t va;
    uint64_t entries;
    bool use_64k;
  };
  Extent ExtentOf(const Slot& slot, bool use_64k = false) const;
  Extent ExtentOfRoot() const;
  void InvalidateTable(const Table& table, const Extent& extent, bool retired, const Sink& sink);
  struct Retired {
    Table table;
    Extent extent;
    bool cleared;  ///< its entries are invalid
  };
  /// The tables of the slot, and all below them.
  void Retire(Slot slot, bool cleared);
  void OrRelease(Table& table, const std::function<void()>& write);
  /// All entries of a table that lies elsewhere from now on; leaves with what their entries were made with.
  void WriteAll(const Table& table, unsigned level, uint64_t va, const std::vector<HeldEntry>& entries,
                const Sink& sink);
  void WriteLeaf(const Table& table, uint64_t va, const std::vector<HeldEntry>& entries, bool use_64k,
                 const Sink& sink);
  void Evict(const Table& table, unsigned level, uint64_t va, const std::vector<HeldEntry>& entries, bool use_64k,
             const Sink& sink);
  /// The entry of level 1 for the leaf tables that the slot has.
  void WriteLinkOfLeaf(uint64_t slot, const Sink& sink);
  void WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const Sink& sink);
  void WriteRootEntry(const Slot& slot, const DXGK_PTE& entry, const Sink& sink);
  void WriteRootUppers(const Sink& sink);
  DXGK_PTE LinkTo(const Table& table) const;
  static void Aim(TableUpdate& update, const Table& table);
  Table& Ensure(unsigned level, uint64_t va, const Sink& sink);
  bool InRoot(uint64_t va) const;
  /// The root has an entry for the address from now on.
  void ReachInRoot(uint64_t va);
  /// The same in the order of BringUp::kWindows22621.
  Table& EnsureInWindowsOrder(unsigned level, uint64_t va, const Sink& sink);
  Table& TableOf(unsigned level, uint64_t va);
  Table* Find(unsigned level, uint64_t va);
  /// All entries of a table of level > 0, with links to the tables below it that exist.
  void WriteWhole(unsigned level, uint64_t va, const Sink& sink);
  void Initialise(const Table& table, unsigned level, uint64_t count, uint64_t va,
                  const Sink& sink);
  /// A table that says what `upper` said: zeros, or smaller pages of the same data.
  HeldEntry EntryOf(const HeldEntry& upper, unsigned level, uint64_t index) const;
  void Split(const Table& table, unsigned level, uint64_t va, const HeldEntry& upper, const Sink& sink);
  /// A table of this level, or of one above it, that is not there: an entry stands in its place.
  bool UnderUpper(unsigned level, uint64_t va) const;
  /// The slot of the entry above the leaf that maps `va`; nullopt: tables do, or nothing.
  std::optional<Slot> UpperOf(uint64_t va) const;

  PhysicalAdapter& adapter_;
  std::string name_;
  bool paging_;
  const bool windows_;  // BringUp::kWindows22621
  const bool first_;    // the paging process of BringUp::kWindows26100
  Table root_;
  uint64_t root_entries_ = 0;
  std::map<Slot, Table> tables_;     // without the root
  std::map<Slot, HeldEntry> uppers_;  // entries that stand where the table of this slot would
  std::map<uint64_t, Leaf64k> leaves_64k_;  // by va / coverage of a leaf table
  std::map<uint64_t, uint16_t> small_;      // pairs: 4 KiB entries in use, by block of 64 KiB
  ChangeHooks hooks_;
  RootGrower grow_;
  std::vector<Retired> retired_;
  std::map<Slot, std::vector<HeldEntry>> evicted_;  // contents
  std::map<uint64_t, std::vector<HeldEntry>> evicted_64k_;
  bool restoring_ = false;
  TableViews views_;
  Placer placer_;
  RangeAllocator va_;
};

}  // namespace gmmu::os
