// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

class PagingWork;
class PhysicalAdapter;
struct GpuProcess;

/// Manages the page tables of the processes of one GPU: which tables exist, where they are, when
/// the driver receives a root, and when replaced tables are freed. Mappings writes the entries.
/// Addresses are in bytes, pages are 4 KiB. Calls that allocate tables throw NoRoom. Call on the
/// VidMm worker thread only.
class ProcessTables {
 public:
  ProcessTables(PhysicalAdapter& gpu, PagingWork& work) : gpu_(gpu), work_(work) {}

  /// Allocates the tables that are missing for the pages. If `large` is true, a missing leaf table
  /// is created with 64 KiB entries where that is possible (PageEntries::EnsureTables).
  void Ensure(GpuProcess& process, uint64_t va, uint64_t pages, bool large = false);
  /// Calls Ensure on all linked GPUs, because a page table exists on all linked GPUs or on none.
  /// Does nothing for a process on a single GPU, whose tables are allocated when their entries are
  /// written.
  void EnsureEverywhere(GpuProcess& process, uint64_t va, uint64_t pages, bool large = false);
  /// Allocates the leaf tables that `other`, another part of the process, already has. A new part
  /// needs them if a context allocation is already mapped in the process.
  void EnsureLike(GpuProcess& process, GpuProcess& other);
  /// Invalidates the range's entries that are in use and queues a flush; the caller must wait for
  /// it. Returns false if there is nothing to wait for. While the tables are evicted, it only
  /// records the range, whose entries are cleared when the tables are restored.
  bool Clear(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Flushes the range if entries in it were in use, or if the hardware may cache invalid entries
  /// (DXGK_GPUMMUCAPS.InvalidTlbEntriesNotCached).
  void FlushChanges(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Completes a change of entries: flushes, waits, passes a new root to the driver, and frees
  /// replaced tables.
  void FinishChange(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Frees the tables that are no longer linked. Call when the GPU has completed the updates that
  /// unlinked them.
  void ReleaseRetired(GpuProcess& process);

  /// Passes the root to the driver, unless the root is incomplete or the process has no context.
  void TellRoot(GpuProcess& process);
  /// Replaces a resizable root by one with at least `entries` entries. If `entries` is 0, the root
  /// moves and keeps its size. The process's contexts must be idle.
  void ReplaceRoot(GpuProcess& process, uint64_t entries);
  /// Like ReplaceRoot, but suspends the context, for use in the middle of a change of entries.
  void ResizeRoot(GpuProcess& process, uint64_t entries);
  /// Call after addresses have been freed. Shrinks a resizable root if the reserved and mapped
  /// addresses need at most half of its entries.
  void ShrinkRoot(GpuProcess& process);

  // On linked adapters, the calls below apply to the tables of all parts; `process` can be any
  // part. Move moves all tables, including the root, while the context is suspended. If it throws
  // NoRoom, some tables may have moved, and the process can continue to run.
  void Move(GpuProcess& process);
  /// Evicts all tables except the root. The context stays suspended and nothing may be mapped until
  /// Restore.
  void Evict(GpuProcess& process);
  /// Restores the tables and applies the mapping changes made since Evict. If it throws NoRoom, a
  /// further call continues with the first table that was not restored.
  void Restore(GpuProcess& process);

  // Call when the GPU's sleep begins and ends. All tables are evicted during sleep.
  void set_asleep(bool asleep) { asleep_ = asleep; }
  /// True if no entry may be written because the tables of the process, or of any of its parts, are
  /// evicted.
  bool Away(const GpuProcess& process) const;
  /// For the ranges that changed while the tables were evicted: clears the entries and writes those
  /// of resident allocations, without a flush. If it throws NoRoom, a further call starts from the
  /// beginning.
  void RenewStale(GpuProcess& process);

 private:
  /// Flushes the process's whole address space, waits, and frees replaced tables.
  void FlushSpace(GpuProcess& process);
  void SetRoot(GpuProcess& process);

  PhysicalAdapter& gpu_;
  PagingWork& work_;
  bool asleep_ = false;
};

}  // namespace gmmu::os
