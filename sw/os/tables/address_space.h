// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "os/base/ranges.h"
#include "os/tables/leaf_changes.h"
#include "os/tables/mapping_copies.h"
#include "os/tables/page_entries.h"
#include "os/tables/retired_tables.h"
#include "os/tables/table_memory.h"
#include "os/tables/table_moves.h"
#include "os/tables/table_tree.h"
#include "os/tables/windows_22621.h"

namespace gmmu::os {

enum class BringUp;

/// The page tables and virtual addresses of one GPU process on one GPU. The class combines the
/// other classes of this folder (README.md) for VidMm.
///
/// It decides which tables exist and where they are; the driver encodes entries in the hardware's
/// format. Addresses and sizes are in bytes and are multiples of 4 KiB. Updates are passed to a
/// sink in the order in which they must be performed. Calls that allocate tables throw NoRoom if
/// the segment is full; tables allocated before the failure are kept.
class AddressSpace {
 public:
  /// `va_end` is the end of the virtual addresses that may be allocated. Addresses that the first
  /// leaf table covers are never allocated. `paging` is true for the paging process. Unless a
  /// TableMemory::Placer is set, the settings bring_up and vram_placement determine where tables
  /// are placed: at pseudo-random addresses, or at the start or the end of their segment.
  AddressSpace(PhysicalAdapter& gpu, const std::string& name, bool paging, uint64_t va_end);

  TableMemory& memory() { return memory_; }
  RetiredTables& retired() { return retired_; }
  TableTree& tree() { return tree_; }
  LeafChanges& changes() { return changes_; }
  MappingCopies& copies() { return copies_; }
  PageEntries& entries() { return entries_; }
  TableMoves& moves() { return moves_; }
  Windows22621& windows_22621() { return windows_22621_; }
  RangeAllocator& va() { return va_; }

  /// For the paging process: call with true before its tables are built, and with false afterwards.
  /// The bring-up orders of Windows builds place these tables at the start of the segment. With
  /// VramPlacement::kFirstFit, later tables are placed at the end of the segment.
  void SetBringUp(bool in_progress);
  /// Allocates the root and makes its entries invalid. If a Windows build writes the root only
  /// together with its first entries, this call only allocates it. `entries` is the number of
  /// entries of a resizable root; 0 selects the maximum.
  void CreateRoot(const UpdateSink& sink, uint64_t entries = 0);
  /// Frees the root's memory and the retired tables. All other tables must be evicted.
  /// TableMoves::RestoreRoot allocates a new root.
  void FreeRoot();
  /// True if the root has been written, so that the hardware may use it.
  bool ready() const { return tree_.root().table().written; }
  D3DGPU_PHYSICAL_ADDRESS root() const { return tree_.root().table().gpu; }
  uint64_t root_entries() const { return tree_.root().entries(); }

  /// Makes all entries of all tables invalid, including those of retired tables
  /// (DXGK_GPUMMUCAPS.ExplicitPageTableInvalidation).
  void InvalidateAll(const UpdateSink& sink);
  /// Frees every table, including the root. Call when the GPU no longer uses the address space.
  void FreeTables();
  /// Calls `visit` for every table that has memory, including the root and retired tables.
  void ForEachTable(const std::function<void(const PageTable&)>& visit) const;
  bool evicted() const { return tree_.evicted(); }
  bool Is64k(uint64_t va) const { return tree_.leaves_64k().Is64k(va); }
  /// Number of tables, not counting the root.
  size_t tables() const { return tree_.tables().size() + tables_64k(); }
  size_t tables_64k() const { return tree_.leaves_64k().all().size(); }

 private:
  const BringUp order_;
  const bool root_is_written_later_;
  TableMemory memory_;
  RetiredTables retired_;
  TableTree tree_;
  LeafChanges changes_;
  MappingCopies copies_;
  PageEntries entries_;
  TableMoves moves_;
  Windows22621 windows_22621_;
  RangeAllocator va_;
};

}  // namespace gmmu::os
