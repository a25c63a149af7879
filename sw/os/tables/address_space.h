// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/kernel/ranges.h"
#include "os/tables/leaf_changes.h"
#include "os/tables/mapping_copies.h"
#include "os/tables/root_table.h"
#include "os/tables/table_memory.h"

namespace gmmu::os {

/// The page tables of one GPU process on one GPU, and its virtual addresses, as VidMm keeps them: the front of the
/// classes of this folder (README.md).
///
/// Knows which tables exist and where they lie; what an entry looks like in hardware is the driver's. Addresses and
/// sizes are bytes, multiples of 4 KiB. Updates go to a sink in the order in which they must be done. Calls that make
/// tables throw NoRoom when their segment is full; what was made stays.
class AddressSpace {
 public:
  using Sink = UpdateSink;
  using Contents = TableContents;
  using Placer = TableMemory::Placer;
  using TableViews = TableMemory::Views;
  using RootGrower = RootTable::Grower;
  using ChangeHooks = LeafChanges::Hooks;
  using CopyPiece = os::CopyPiece;
  using LeafPlace = MappingCopies::LeafPlace;

  /// `va_end`: bytes of virtual addresses that may be given out. The first leaf table's coverage never is. `paging`:
  /// of the paging process.
  AddressSpace(PhysicalAdapter& gpu, const std::string& name, bool paging, uint64_t va_end);
  ~AddressSpace();

  // Before the root is made. Without a placer tables lie by seed, or in the order of a build of Windows.
  void set_placer(Placer placer);
  void set_table_views(TableViews views);
  void set_change_hooks(ChangeHooks hooks);
  void set_root_grower(RootGrower grower);

  // The root (RootTable).
  /// Makes and initialises the root; in an order of Windows it is written with its first entries instead. `entries`: of
  /// a resizable root, 0 for all of them.
  void CreateRoot(const Sink& sink, uint64_t entries = 0);
  /// The hardware must be told of the new root. What leaves the kept part must be invalid, and its tables freed.
  void ReplaceRoot(uint64_t entries, const Sink& sink);
  /// The root's memory goes too, when the tables are evicted; RestoreRoot brings one back, before the tables.
  void FreeRoot();
  void RestoreRoot(const Sink& sink);
  /// The root has been written: the hardware may be told of it.
  bool ready() const;
  D3DGPU_PHYSICAL_ADDRESS root() const;
  uint64_t root_entries() const;

  // First tables of the paging process in the orders of Windows (Windows22621, Windows26100).
  void MakeWhole(uint64_t va_end, const Sink& sink);
  /// Returns the entries that map the leaf table of `va`.
  std::vector<DXGK_PTE> MakeFirst(uint64_t va, uint64_t large, const Sink& sink);
  void MakeWholeRoot(const Sink& sink);

  // Entries of pages (os::PageEntries), and entries above the leaves (TableTree::WriteUpper).
  void SetEntries(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries, HANDLE allocation,
                  uint64_t allocation_offset, const Sink& sink, uint64_t driver_protection = 0);
  void Invalidate(uint64_t va, uint64_t pages, const Sink& sink);
  void SetUpper(unsigned level, uint64_t va, const DXGK_PTE& entry, HANDLE allocation, uint64_t allocation_offset,
                const Sink& sink, uint64_t driver_protection = 0);
  void SetZero(uint64_t va, uint64_t pages, const Sink& sink);
  bool Clear(uint64_t va, uint64_t pages, const Contents& contents, const Sink& sink);
  void EnsureTables(uint64_t va, uint64_t pages, const Sink& sink, bool large = false);
  bool Is64k(uint64_t va) const;
  bool Any64k(uint64_t va, uint64_t pages) const;

  // Copies of mappings (MappingCopies).
  std::vector<CopyPiece> CopyPieces(uint64_t source, uint64_t target, uint64_t bytes) const;
  LeafPlace PlaceOfLeaf(uint64_t va) const;
  std::vector<HeldEntry> PageEntries(const CopyPiece& piece, const Contents& contents) const;
  TableUpdate NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries);

  // Tables that go (TableTree, RetiredTables).
  void FreeTables(uint64_t va, uint64_t pages, const Sink& sink);
  bool InvalidateRetired(const Sink& sink);
  void ReleaseRetired();
  /// Makes every entry of every table invalid, of retired ones too (DXGK_GPUMMUCAPS.ExplicitPageTableInvalidation).
  void InvalidateAll(const Sink& sink);
  /// Gives every table back, the root too. The GPU must not use the space any more.
  void FreeTables();

  // Tables that move, are evicted and come back (TableMoves).
  void MoveTables(const Contents& contents, const Sink& sink);
  void EvictTables(const Contents& contents, const Sink& sink);
  void RestoreTables(const Sink& sink);
  bool evicted() const;

  RangeAllocator& va();
  /// All but the root.
  size_t tables() const;
  size_t tables_64k() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::os
