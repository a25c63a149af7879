// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ddi/ntdef.h"

namespace gmmu::os {

class SegmentPages;
class VidMm;
struct Allocation;
struct GpuProcess;

/// Decides where the allocations of one GPU are resident, and moves them.
///
/// An allocation is "wanted" while a call requests that it be resident. It is placed in the first
/// of its segments (Homes) that has room. To make room in a memory segment, the least recently
/// wanted allocation of equal or lower priority is moved to its next segment and finally to system
/// memory, where the GPU can still access it, or it is evicted if the driver does not permit system
/// memory. A wanted allocation that is not in its first segment is promoted if that segment has
/// room, or if evicting allocations of lower priority makes room. Allocations that are wanted in
/// the same call are not moved. If no allocation can be moved, the page tables of a process without
/// wanted allocations are evicted. If a process would exceed its budget (`[os] local_budget_kib`),
/// its own allocations are moved first; an allocation is charged to the process that mapped it
/// first.
///
/// With VramPlacement::kFirstFit, an allocation that large pages can map (Mappings::LargePageBytes)
/// receives large blocks of VRAM. If too few blocks are free, pages of allocations that are not
/// wanted are first moved within the segment. A wanted allocation that has fewer blocks than it
/// could is moved to more of them if the segment has room for a second copy.
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
/// Call on the VidMm worker thread only. Calls return when the GPU has completed the work. While an
/// allocation moves, contexts that might use it are suspended, and clients must not access it.
class Residency {
 public:
  explicit Residency(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Makes all allocations in `wanted` resident, and restores the page tables that they need.
  /// Throws OsError if they do not all fit; other allocations may have been moved or evicted by
  /// then.
  void MakeResident(const std::vector<Allocation*>& wanted);
  /// Waits until no DMA buffer that references the allocation is in flight. Only the physical model has such buffers.
  void WaitUnused(Allocation& allocation);
  /// Moves the contents to the backing store and invalidates the entries, so the GPU cannot access
  /// the allocation.
  void Evict(Allocation& allocation);

  /// D3DKMTOfferAllocations: the application does not need the contents for now. The entries are
  /// invalid until Reclaim. Offered allocations are the first to be evicted, regardless of
  /// priority, and their contents are not copied.
  void Offer(Allocation& allocation);
  /// D3DKMTReclaimAllocations2: ends the offer. Returns false if the contents were dropped; the allocation then contains
  /// zeros when it is made resident again.
  bool Reclaim(Allocation& allocation);
  /// Registers the application's trim notification (D3DKMTRegisterTrimNotification). It receives
  /// the number of bytes by which the process exceeds its budget, and may offer or evict
  /// allocations.
  static void OnTrim(GpuProcess& process, std::function<void(uint64_t bytes)> trim);
  /// Sets the process's budget in this GPU's memory segments. If the process exceeds it, the
  /// application is notified; then VidMm moves the least recently wanted allocations to their next
  /// places.
  void SetBudget(GpuProcess& process, uint64_t bytes);

  /// Performs `unmap`, which may allocate page tables in order to split a large page. If there is
  /// no room for a table, evicts other allocations or tables of other processes, and throws OsError
  /// if nothing more can be evicted. `mapped`: the allocations that the range maps before the
  /// change; they are not evicted. If `mapped` is empty, nothing is evicted and NoRoom is thrown.
  void Unmap(const GpuProcess& process, const std::vector<Allocation*>& mapped, const std::function<void()>& unmap);

  /// Restores the evicted page tables of the process with the current mappings, and resumes its
  /// context.
  void RestoreTables(GpuProcess& process) { RestoreTables(process, {}); }

  // Leave and Return save and restore an allocation around the GPU's sleep, while contexts are
  // suspended. Leave moves the contents from the segment to the backing store and frees the memory
  // in the segment; it does not change page-table entries.
  void Leave(Allocation& allocation);
  /// Makes the allocation resident in the first of its segments that has room, without evicting
  /// other allocations. Throws OsError if no segment has room.
  void Return(Allocation& allocation);

  struct Counts {
    uint64_t evictions = 0, restores = 0, fills = 0;
    // Bytes copied out of, copied into and filled in memory segments.
    uint64_t bytes_out = 0, bytes_in = 0, bytes_filled = 0;
    uint64_t demotions = 0, promotions = 0;  // moves to a later or an earlier place
    // Number of times that the page tables of a process were evicted or restored.
    uint64_t table_evictions = 0, table_restores = 0;
    // Moves within a memory segment that free large blocks.
    uint64_t moves = 0, bytes_moved = 0;
    uint64_t collapses = 0;  // moves of an allocation to more large blocks
    uint64_t drops = 0;      // offered allocations that lost their contents
    uint64_t discards = 0;   // evictions without a copy
  };
  const Counts& counts() const { return counts_; }

 private:
  using Wanted = std::vector<Allocation*>;
  struct Room;

  /// Returns the index of the allocation's current place in Homes::places, or the size of that list
  /// if the allocation is not resident.
  static size_t PlaceOf(const Allocation& allocation);
  void Bring(Allocation& allocation, const Wanted& wanted);
  void RestoreTables(GpuProcess& process, const Wanted& wanted);
  /// Moves the allocation to element `place` of its Homes::places. Returns false if that place has
  /// no room; the allocation then stays where it was. If `wanted` is null, nothing is evicted to
  /// make room. Throws NoRoom if there is no room for the page tables; the allocation may then have
  /// lost its memory.
  bool TryPlace(Allocation& allocation, size_t place, const Wanted* wanted);
  bool TakeRoom(Allocation& allocation, size_t place, const Wanted* wanted, Room& room);
  bool MakeRoom(Allocation& allocation, size_t place, const Wanted& wanted);
  /// Moves pages of other allocations within a memory segment until `count` aligned blocks of `block` bytes are free, or
  /// until no more can be freed.
  void Compact(unsigned segment, uint64_t block, uint64_t count, const Wanted& wanted);
  /// Moves the allocation's pages out of the bytes [start, end) of its memory segment. Returns
  /// false if there is no other room for them.
  bool MoveOutOf(Allocation& allocation, uint64_t start, uint64_t end);
  /// Moves a resident allocation within its memory segment if it then consists of more large blocks.
  /// Does nothing unless the segment has room for a second copy.
  void Collapse(Allocation& allocation, const Wanted& wanted);
  /// Moves the contents to other pages of the segment and frees the old ones.
  void MoveTo(Allocation& allocation, SegmentPages pages);
  bool KeepToBudget(Allocation& allocation, const Wanted& wanted);
  /// Moves allocations of the process with at most priority `priority` until `more` further bytes
  /// fit into its budget. Returns false if no further allocation may be moved.
  bool Trim(const GpuProcess& process, uint64_t more, UINT priority, const Wanted& wanted);
  /// Frees the memory of an offered allocation and discards its contents.
  void Drop(Allocation& allocation);
  /// Moves an allocation from its memory segment to the next of its places that has room.
  void Demote(Allocation& allocation);
  void FillIn(Allocation& allocation);
  /// Passes the ownership of the allocation's pages in its memory segment to `old`, from which the
  /// contents will be copied.
  void HandOver(Allocation& allocation, Allocation& old);
  /// Runs `work`, which allocates page tables. While it throws NoRoom, evicts other allocations or
  /// tables on the GPU that is full and repeats `work`. `stays` is never evicted; it may be null.
  /// Returns the highest priority among the allocations that were moved, or 0.
  UINT WithRoom(const std::string& for_this, const Wanted* wanted, Allocation* stays,
                const std::function<void()>& work);
  /// Makes room for page tables in a memory segment of this GPU: moves an unwanted allocation out
  /// of the segment, or evicts the tables of a process, or, as a last resort, moves a wanted
  /// allocation to another place. Returns false if nothing can be moved. Raises `moved` to the
  /// priority of the allocation that was moved.
  bool MakeRoomForTables(unsigned segment, const Wanted& wanted, Allocation* stays, UINT& moved);
  /// Evicts the page tables of one process on all linked GPUs. Returns false if every process needs its tables.
  bool EvictTables(const Wanted& wanted);

  VidMm& vidmm_;
  /// Increments `count`, and the run's counter for the event `what`.
  void Count(uint64_t& count, const char* what);

  Counts counts_;
};

}  // namespace gmmu::os
