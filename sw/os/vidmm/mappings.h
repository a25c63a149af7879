// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "os/vidmm/allocation.h"

namespace gmmu::os {

class SystemBuffer;
class VidMm;

/// What is mapped where: writes the entries of processes for allocations, system memory and zeros, and keeps for each
/// allocation where its pages are. Entries of a linked GPU's tables are written by that GPU's own paging work, whoever
/// has the memory.
///
/// Calls return when the GPU has done the work. A range takes the place of whatever was mapped there before; its TLB
/// entries are flushed where they may be stale. Addresses are bytes, pages 4 KiB. Worker's.
class Mappings {
 public:
  explicit Mappings(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Entries for pages of the allocation at `va`. When it is not resident they are invalid, and are written when it is
  /// made resident.
  void Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection = Protection::All());
  /// One large page of `level` at `va`, from the allocation's first page on; the allocation is contiguous and aligned,
  /// in a memory segment.
  void MapLarge(GpuProcess& process, uint64_t va, unsigned level, Allocation& allocation,
                const Protection& protection = Protection::All());
  /// What a large page of level 1 holds, bytes, when the allocation may be mapped so; else 0.
  static uint64_t LargePageBytes(const Allocation& allocation);
  /// Page `page` of the allocation, which is resident, at every one of `pages` addresses.
  void MapOnePage(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages);
  /// Reads give zeros, writes are dropped; entries are at the highest levels that fit.
  void MapZero(GpuProcess& process, uint64_t va, uint64_t pages);
  void MapToAperture(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t aperture_page, uint64_t pages);
  /// System memory, read and written at its own pages; `pages` 0: all from `first_page` on.
  void MapSystem(GpuProcess& process, uint64_t va, const SystemBuffer& buffer, uint64_t first_page = 0,
                 uint64_t pages = 0);
  void Unmap(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Unmaps, and gives page tables back that only served the range.
  void UnmapAndFreeTables(GpuProcess& process, uint64_t va, uint64_t pages);

  /// Maps at `target` what a process has mapped in [source, source + bytes), with `driver_protection` for the pages at
  /// `target`; the ranges may overlap. Over a link: in the tables of this GPU.
  void Copy(GpuProcess& process, uint64_t source, uint64_t target, uint64_t bytes, uint64_t driver_protection = 0);

  // An allocation that comes and goes, in all its mappings.
  /// Makes the page tables that the mappings need when the allocation lives in the segment. Throws NoRoom.
  void EnsureTables(Allocation& allocation, unsigned segment);
  /// Makes the entries invalid; Restore lets them lead to where the allocation lives.
  void Invalidate(Allocation& allocation);
  void Restore(Allocation& allocation);
  /// Entries of what is resident and mapped in the ranges (address, pages) of one process; the caller flushes.
  void RestoreIn(GpuProcess& process, const std::vector<std::pair<uint64_t, uint64_t>>& ranges);
  /// Makes the entries invalid and forgets the mappings. What is not resident has no entries, unless they are in tables
  /// that are away.
  void Clear(Allocation& allocation);

  // The record of what is mapped; no entry is changed.
  /// Takes [va, va + 4096 * pages) out of the mappings of every allocation on every linked GPU.
  void Forget(GpuProcess& process, uint64_t va, uint64_t pages);
  /// The same for all addresses of the process.
  void ForgetAll(GpuProcess& process);
  /// The same for all addresses of the allocation; returns its mappings.
  static std::vector<Mapping> ForgetAll(Allocation& allocation);
  /// What of [va, va + bytes) shows which allocation of this GPU.
  std::vector<std::pair<Allocation*, Mapping>> Of(const GpuProcess& process, uint64_t va, uint64_t bytes) const;

 private:
  void BringTables(GpuProcess& process);
  /// The allocations of every linked GPU that [va, end) shows, in the order of their making.
  static std::vector<Allocation*> ShownIn(const GpuProcess& process, uint64_t va, uint64_t end);
  static void Add(Allocation& allocation, const Mapping& mapping);
  /// Pages of 64 KiB may show the mapping when its allocation lives in the segment.
  bool MayBeLarge(const Mapping& mapping, unsigned segment);
  void MapResident(Allocation& allocation, const Mapping& mapping);
  void WriteEntries(Allocation& allocation, const Mapping& mapping);
  /// The range shows something else from now on: forgets what it showed, then finishes the change of its tables.
  void Replace(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Waits for the paging work of this GPU and of those in `touched`.
  void Finish(const std::vector<VidMm*>& touched);

  VidMm& vidmm_;
  bool wrong_pte_done_ = false;
};

}  // namespace gmmu::os
