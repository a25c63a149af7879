// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

class PagingWork;
class PhysicalAdapter;
struct GpuProcess;

/// The page tables of the processes of one GPU: which exist, where they lie, when the driver learns of a root, and when
/// a table that was replaced is freed. What entries say is decided by Mappings. Addresses are bytes, pages 4 KiB. Calls
/// that make tables throw NoRoom. Call on the VidMm worker thread only.
class ProcessTables {
 public:
  ProcessTables(PhysicalAdapter& gpu, PagingWork& work) : gpu_(gpu), work_(work) {}

  /// Makes the tables that are missing for the pages; `large`: for pages of 64 KiB, where that is still open.
  void Ensure(GpuProcess& process, uint64_t va, uint64_t pages, bool large = false);
  /// The same on all GPUs of a link, because roots are the same there: a page table exists on each or on none. Does
  /// nothing for a process of one GPU, whose tables are made when they are written.
  void EnsureEverywhere(GpuProcess& process, uint64_t va, uint64_t pages, bool large = false);
  /// Makes entries of the range invalid where they are in use, and flushes them; the caller waits. False: there is
  /// nothing to wait for. While the tables are away it is noted, and done when they are back.
  bool Clear(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Flushes the range when entries were in use there before, or when the hardware may hold that they were not
  /// (DXGK_GPUMMUCAPS.InvalidTlbEntriesNotCached).
  void FlushChanges(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Ends a change of entries: flushes, waits, tells the driver a new root, and frees the unused tables.
  void FinishChange(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Frees the unlinked tables. Call when the GPU has done the updates that unlinked them.
  void ReleaseRetired(GpuProcess& process);

  /// Tells the driver of the root, once it is complete and the process has a context.
  void TellRoot(GpuProcess& process);
  /// Another root: of at least `entries` entries where roots are resizable, or elsewhere with as many (0). The process'
  /// contexts must be idle.
  void ReplaceRoot(GpuProcess& process, uint64_t entries);
  /// The same in the middle of a change, which suspends the context itself.
  void ResizeRoot(GpuProcess& process, uint64_t entries);
  /// Where roots are resizable: a smaller one, when the addresses that are reserved or mapped need half of it at most.
  /// Called when addresses became free.
  void ShrinkRoot(GpuProcess& process);

  // Over a link: the tables of all parts, whichever is named.
  /// All tables lie elsewhere afterwards, the root too; the context waits meanwhile. After NoRoom some do, and the
  /// process goes on.
  void Move(GpuProcess& process);
  /// All tables but the root leave memory. The context waits until Restore, and nothing may be mapped.
  void Evict(GpuProcess& process);
  /// They come back, and say what has been mapped meanwhile. Throws NoRoom; another call goes on where this one stopped.
  void Restore(GpuProcess& process);

  // For the sleep of the GPU, during which all tables are away.
  void set_asleep(bool asleep) { asleep_ = asleep; }
  /// No entry may be written. Over a link it is so while the tables of any part are away.
  bool Away(const GpuProcess& process) const;
  /// Clears what was noted while the tables were away, and writes what is resident and mapped there, without a flush.
  /// Throws NoRoom; another call does it all.
  void RenewStale(GpuProcess& process);

 private:
  /// Flushes all of the process, waits, and frees retired tables.
  void FlushSpace(GpuProcess& process);
  void SetRoot(GpuProcess& process);

  PhysicalAdapter& gpu_;
  PagingWork& work_;
  bool asleep_ = false;
};

}  // namespace gmmu::os
