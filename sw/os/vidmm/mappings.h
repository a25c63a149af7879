// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/tables/protection.h"

namespace gmmu::os {

class SegmentPages;
class SystemBuffer;
class VidMm;
struct Allocation;
struct GpuProcess;
struct Mapping;

/// Writes the page-table entries of processes for allocations, system memory and zeros, and records for each allocation
/// where it is mapped. The entries in a linked GPU's tables are written by that GPU's own paging work, whichever GPU
/// owns the memory.
///
/// Calls return when the GPU has completed the work. A new mapping replaces what was mapped in its range. TLB entries
/// that could be stale are flushed. Addresses are in bytes, pages are 4 KiB. Call on the VidMm worker thread only.
class Mappings {
 public:
  explicit Mappings(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Maps pages of the allocation at `va`. While the allocation is not resident, the entries are invalid; they are
  /// written when it is made resident.
  void Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection = Protection::All());
  /// Maps a large page of `level` at `va`, starting with the allocation's first page. The allocation must be
  /// contiguous, aligned and in a memory segment.
  void MapLarge(GpuProcess& process, uint64_t va, unsigned level, Allocation& allocation,
                const Protection& protection = Protection::All());
  /// Returns the size of a level-1 large page if such pages may map parts of the allocation; otherwise 0. With
  /// Parameters::vram_placement kScattered, only a contiguous allocation has blocks of that size.
  static uint64_t LargePageBytes(const Allocation& allocation);
  /// Maps page `page` of the resident allocation at each of `pages` consecutive addresses.
  void MapOnePage(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages);
  /// Maps zero pages: reads return 0, writes are dropped. The entries are at the highest levels that fit; on linked
  /// GPUs, whose table trees must stay the same, they are leaf entries.
  void MapZero(GpuProcess& process, uint64_t va, uint64_t pages);
  void MapToAperture(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t aperture_page, uint64_t pages);
  /// Maps system memory, starting at `first_page`. `pages` is the number of pages; 0 means all pages to the end.
  void MapSystem(GpuProcess& process, uint64_t va, const SystemBuffer& buffer, uint64_t first_page = 0,
                 uint64_t pages = 0);
  void Unmap(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Unmaps the range, and frees page tables that served only this range.
  void UnmapAndFreeTables(GpuProcess& process, uint64_t va, uint64_t pages);

  /// Copies the mappings of [source, source + bytes) to `target`, with `driver_protection` for the pages at `target`.
  /// The ranges may overlap. On linked GPUs, only the tables of this GPU change.
  void Copy(GpuProcess& process, uint64_t source, uint64_t target, uint64_t bytes, uint64_t driver_protection = 0);

  // Operations for residency changes of an allocation. Each applies to all mappings of the allocation. EnsureTables
  // allocates the page tables that the mappings need when the allocation is resident in `segment`, on the pages `at`.
  // If `at` is null, the pages are not known yet, and no table is allocated for what could be a large page. Throws
  // NoRoom.
  void EnsureTables(Allocation& allocation, unsigned segment, const SegmentPages* at);
  /// Invalidate makes the entries invalid. Restore points them to the allocation's current memory.
  void Invalidate(Allocation& allocation);
  void Restore(Allocation& allocation);
  /// Writes the entries of resident allocations that are mapped in the ranges (address, pages) of one process. The
  /// caller must flush.
  void RestoreIn(GpuProcess& process, const std::vector<std::pair<uint64_t, uint64_t>>& ranges);
  /// Invalidates the entries and forgets the mappings. An allocation that is not resident has no valid entries, except
  /// in evicted tables.
  void Clear(Allocation& allocation);

  // Operations on the record of mappings. They do not change entries. Forget removes [va, va + 4096 * pages) from the
  // mappings of every allocation on every linked GPU.
  void Forget(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Like Forget, but for all addresses of the process.
  void ForgetAll(GpuProcess& process);
  /// Removes all mappings of the allocation and returns them.
  static std::vector<Mapping> ForgetAll(Allocation& allocation);
  /// Returns the allocations of this GPU that are mapped in [va, va + bytes), each with the part of its mapping in this
  /// range.
  std::vector<std::pair<Allocation*, Mapping>> Of(const GpuProcess& process, uint64_t va, uint64_t bytes) const;

 private:
  void BringTables(GpuProcess& process);
  /// Returns the allocations of every linked GPU that are mapped in [va, end), in order of creation.
  static std::vector<Allocation*> ShownIn(const GpuProcess& process, uint64_t va, uint64_t end);
  static void Add(Allocation& allocation, const Mapping& mapping);
  /// True if the mapping may use 64 KiB pages while its allocation is in the segment.
  /// `segment`: the segment, of the GPU whose memory contains the allocation, in which the allocation is or will be.
  static bool MayBeLarge(const Allocation& allocation, const Mapping& mapping, unsigned segment);
  void MapResident(Allocation& allocation, const Mapping& mapping);
  void WriteEntries(Allocation& allocation, const Mapping& mapping);
  void WriteLarge(GpuProcess& process, uint64_t va, unsigned level, const Allocation& allocation, uint64_t offset,
                  DXGK_PTE entry, uint64_t driver_protection);
  /// Call when the range has a new mapping. Forgets the old mappings, then completes the change of the tables.
  void Replace(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Waits for the paging work of this GPU and of the GPUs in `touched`.
  void Finish(const std::vector<VidMm*>& touched);

  VidMm& vidmm_;
  bool wrong_pte_done_ = false;
};

}  // namespace gmmu::os
