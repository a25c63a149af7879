// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ddi/ntdef.h"

namespace gmmu::os {

class VidMm;
struct Allocation;
struct GpuProcess;

/// Decides where the allocations of one GPU are resident, and moves them.
///
/// A wanted allocation is placed in the first of its segments (Homes) that has room. To make room in a memory segment,
/// the least recently wanted allocation of no higher priority is moved to its next segment and finally to system
/// memory, where the GPU can still access it, or it is evicted if the driver does not permit system memory. An
/// allocation that is not in its first segment is promoted when it is wanted and there is room, or if only allocations
/// of lower priority are in the way. Allocations that are wanted in the same call are not moved. If no allocation can
/// be moved, the page tables of a process without wanted allocations are evicted. A process over its budget (`[os]
/// local_budget_kib`) first moves its own allocations; an allocation belongs to the process that mapped it first.
///
/// With VramPlacement::kFirstFit, an allocation with room for large pages (Mappings::LargePageBytes) gets large blocks of
/// VRAM. If too few are free, pages of allocations that are not wanted are moved within the segment first.
///
/// A move allocates the new memory, invalidates and flushes the entries, moves the contents out, frees the old memory,
/// moves the contents in, and writes the entries. A page-in provides page tables, memory, contents and entries, in this
/// order (GPU virtual address documents, "examples"). New memory contains zeros; VRAM is filled with zeros (as observed
/// on build 22621).
///
/// In the physical model an allocation is not moved while a DMA buffer that references it is in flight; making room
/// waits for the buffer. If no DMA buffer can have written an allocation since its page-in, the allocation is evicted
/// without a copy (DISCARD_CONTENT).
///
/// Call on the VidMm worker thread only. Calls return when the GPU has completed the work. Contexts that might use a
/// moving allocation are suspended meanwhile; clients must not use it.
class Residency {
 public:
  explicit Residency(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Makes all allocations in `wanted` resident, and restores the page tables that they need. Throws OsError if they do
  /// not fit together; other allocations may then already have been moved or evicted.
  void MakeResident(const std::vector<Allocation*>& wanted);
  /// Waits until no DMA buffer that references the allocation is in flight. Only the physical model has such buffers.
  void WaitUnused(Allocation& allocation);
  /// Moves the contents to the backing store, where the GPU cannot access them.
  void Evict(Allocation& allocation);

  /// D3DKMTOfferAllocations: the application does not need the contents for now. The entries become invalid until
  /// Reclaim. An offered allocation is the first to lose its memory, whatever its priority, and without a copy.
  void Offer(Allocation& allocation);
  /// D3DKMTReclaimAllocations2: ends the offer. Returns false if the contents were dropped; the allocation then contains
  /// zeros when it is made resident again.
  bool Reclaim(Allocation& allocation);
  /// Registers the application's trim notification (D3DKMTRegisterTrimNotification), which receives the bytes that the
  /// process has above its budget. It may offer or evict allocations.
  static void OnTrim(GpuProcess& process, std::function<void(uint64_t bytes)> trim);
  /// Changes what the allocations of a process may have in this GPU's memory segments. If they have more, the
  /// application is notified; then VidMm moves the least recently wanted ones to their next place.
  void SetBudget(GpuProcess& process, uint64_t bytes);

  /// Performs `unmap`, which may need page tables to split a large page. Evicts other allocations, or tables of other
  /// processes, while there is no room for them. Throws OsError if nothing more can be evicted. `mapped`: what the range
  /// maps before the change, which stays. If it is empty, nothing is evicted and NoRoom is thrown.
  void Unmap(const GpuProcess& process, const std::vector<Allocation*>& mapped, const std::function<void()>& unmap);

  /// Restores page tables that were evicted, with the current mappings, and resumes the process's context.
  void RestoreTables(GpuProcess& process) { RestoreTables(process, {}); }

  // Operations for the GPU's sleep, during which contexts are suspended and tables evicted. Leave moves the contents
  // from a segment to the backing store and frees the memory in the segment. Entries are not changed.
  void Leave(Allocation& allocation);
  /// Moves the allocation to the first of its segments that has room. Throws OsError if no segment has room.
  void Return(Allocation& allocation);

  struct Counts {
    uint64_t evictions = 0, restores = 0, fills = 0;
    uint64_t bytes_out = 0, bytes_in = 0, bytes_filled = 0;  // copied out of and into memory segments, and filled
    uint64_t demotions = 0, promotions = 0;                  // moves to a later and to an earlier place
    uint64_t table_evictions = 0, table_restores = 0;        // processes whose tables (except the root) were moved
    uint64_t moves = 0, bytes_moved = 0;                     // within a memory segment, to free large blocks
    uint64_t drops = 0;                                      // offered allocations that lost their contents
    uint64_t discards = 0;                                   // evictions without a copy
  };
  const Counts& counts() const { return counts_; }

 private:
  using Wanted = std::vector<Allocation*>;
  struct Room;

  void Bring(Allocation& allocation, const Wanted& wanted);
  void RestoreTables(GpuProcess& process, const Wanted& wanted);
  /// Returns false if the place has no room; the allocation then stays where it was. If `wanted` is null, no other
  /// allocation is moved to make room. Throws NoRoom if there is no room for the page tables; the allocation then has
  /// no memory.
  bool TryPlace(Allocation& allocation, size_t place, const Wanted* wanted);
  bool TakeRoom(Allocation& allocation, size_t place, const Wanted* wanted, Room& room);
  bool MakeRoom(Allocation& allocation, size_t place, const Wanted& wanted);
  /// Moves pages of other allocations within a memory segment until `count` aligned blocks of `block` bytes are free, or
  /// until no more can be freed.
  void Compact(unsigned segment, uint64_t block, uint64_t count, const Wanted& wanted);
  /// Moves the pages that the allocation has in the bytes [start, end) of its memory segment. Returns false if they have
  /// to stay.
  bool MoveOutOf(Allocation& allocation, uint64_t start, uint64_t end);
  bool KeepToBudget(Allocation& allocation, const Wanted& wanted);
  /// Moves allocations of the process, of at most this priority, until `more` bytes fit into its budget. Returns false
  /// if no other allocation may be moved.
  bool Trim(const GpuProcess& process, uint64_t more, UINT priority, const Wanted& wanted);
  /// Frees the memory of an offered allocation, without its contents.
  void Drop(Allocation& allocation);
  /// Moves an allocation from its memory segment to the next of its places that has room.
  void Demote(Allocation& allocation);
  void FillIn(Allocation& allocation);
  /// Moves the ownership of the allocation's pages in a memory segment to the object `old`, from which the contents are
  /// copied.
  void HandOver(Allocation& allocation, Allocation& old);
  /// Repeats `work`, which allocates page tables, until there is room for them. Evicts other allocations or tables on
  /// the linked GPU that is full. `stays` is never evicted; it may be null.
  void WithRoom(const std::string& for_this, const Wanted* wanted, Allocation* stays,
                const std::function<void()>& work);
  /// Makes room for page tables in a memory segment of this GPU by moving an allocation out of the segment, by evicting
  /// the tables of a process or, as a last resort, by moving a wanted allocation elsewhere. Returns false if nothing
  /// can be moved.
  bool MakeRoomForTables(unsigned segment, const Wanted& wanted, Allocation* stays);
  /// Evicts the page tables of one process on all linked GPUs. Returns false if every process needs its tables.
  bool EvictTables(const Wanted& wanted);

  VidMm& vidmm_;
  /// Counts an event here and for the run.
  void Count(uint64_t& count, const char* what);

  Counts counts_;
};

}  // namespace gmmu::os
