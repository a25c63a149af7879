// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

class PagingWork;
class PhysicalAdapter;
struct GpuProcess;

/// The page tables of the processes of one GPU. It decides which tables exist, where they are, when a root is passed to
/// the driver, and when a replaced table is freed; Mappings decides the entries. Addresses are in bytes, pages are 4
/// KiB. Calls that allocate tables throw NoRoom. Call on the VidMm worker thread only.
class ProcessTables {
 public:
  ProcessTables(PhysicalAdapter& gpu, PagingWork& work) : gpu_(gpu), work_(work) {}

  /// Allocates the missing tables for the pages. If `large` is true, they get 64 KiB pages wherever the page size is
  /// not yet decided.
  void Ensure(GpuProcess& process, uint64_t va, uint64_t pages, bool large = false);
  /// Calls Ensure on all linked GPUs. Their roots are the same, so a page table exists on each GPU or on none. Does
  /// nothing for a process on a single GPU, whose tables are allocated when they are written.
  void EnsureEverywhere(GpuProcess& process, uint64_t va, uint64_t pages, bool large = false);
  /// Allocates the leaf tables that another part of the process has: the part joins one whose context allocation is
  /// mapped already.
  void EnsureLike(GpuProcess& process, GpuProcess& other);
  /// Invalidates the entries of the range that are in use, and flushes them; the caller must wait. Returns false if
  /// there is nothing to wait for. While the tables are evicted, the range is only recorded, and cleared when the
  /// tables are restored.
  bool Clear(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Flushes the range if its entries were in use, or if the hardware might have cached invalid entries
  /// (DXGK_GPUMMUCAPS.InvalidTlbEntriesNotCached).
  void FlushChanges(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Completes an entry change: flushes, waits, passes a new root to the driver, and frees the replaced tables.
  void FinishChange(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Frees the unlinked tables. Call when the GPU has completed the updates that unlinked them.
  void ReleaseRetired(GpuProcess& process);

  /// Passes the root to the driver, if the root is complete and the process has a context.
  void TellRoot(GpuProcess& process);
  /// Replaces the root by one of at least `entries` entries if roots are resizable. 0 moves the root without changing
  /// its size. The process's contexts must be idle.
  void ReplaceRoot(GpuProcess& process, uint64_t entries);
  /// Like ReplaceRoot, but for use in the middle of an entry change. Suspends the context itself.
  void ResizeRoot(GpuProcess& process, uint64_t entries);
  /// If roots are resizable, makes the root smaller when the reserved or mapped addresses need at most half of its
  /// entries. Call when addresses were freed.
  void ShrinkRoot(GpuProcess& process);

  // The calls below apply to the tables of all parts on linked adapters; `process` can be any part. Move moves all
  // tables, including the root. The context is suspended during the move. If it throws NoRoom, some tables have already
  // moved, and the process continues.
  void Move(GpuProcess& process);
  /// Evicts all tables except the root. The context is suspended until Restore, and nothing may be mapped until then.
  void Evict(GpuProcess& process);
  /// Restores the tables and applies the mappings that have changed since Evict. After NoRoom, another call continues
  /// at the first table that was not restored.
  void Restore(GpuProcess& process);

  // Call at the start and at the end of the GPU's sleep, during which all tables are evicted.
  void set_asleep(bool asleep) { asleep_ = asleep; }
  /// True if no entry may be written, because the tables are evicted (on linked GPUs, those of any part).
  bool Away(const GpuProcess& process) const;
  /// Clears the ranges that changed while the tables were evicted, and writes the entries of resident allocations that
  /// are mapped in them, without a flush. After NoRoom, call it again; it then starts over.
  void RenewStale(GpuProcess& process);

 private:
  /// Flushes the whole process, waits, and frees retired tables.
  void FlushSpace(GpuProcess& process);
  void SetRoot(GpuProcess& process);

  PhysicalAdapter& gpu_;
  PagingWork& work_;
  bool asleep_ = false;
};

}  // namespace gmmu::os
