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

/// Writes the page-table entries that map allocations, system memory and zero pages, and records
/// the mappings of each allocation. On linked GPUs, each GPU's paging work writes that GPU's
/// tables, regardless of which GPU owns the memory.
///
/// Calls return when the GPU has completed the work. A new mapping replaces all earlier mappings in
/// its range. TLB entries that may be stale are flushed. Addresses are in bytes, pages are 4 KiB.
/// Call on the VidMm worker thread only.
class Mappings {
 public:
  explicit Mappings(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Maps pages of the allocation at `va`. If the allocation is not resident, the entries stay
  /// invalid until it is made resident.
  void Map(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection = Protection::All());
  /// Maps one level-`level` large page at `va`. It maps the start of the allocation, which must be
  /// contiguous, aligned and in a memory segment.
  void MapLarge(GpuProcess& process, uint64_t va, unsigned level, Allocation& allocation,
                const Protection& protection = Protection::All());
  /// Returns the size of a level-1 large page if such pages may map the allocation; otherwise 0.
  /// With Parameters::vram_placement kScattered, only a contiguous allocation has blocks of that
  /// size.
  static uint64_t LargePageBytes(const Allocation& allocation);
  /// Maps the same page, `page` of the resident allocation, at `pages` consecutive page addresses.
  void MapOnePage(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages);
  /// Maps zero pages: reads return 0, and writes are dropped. Entries are written at the highest
  /// possible levels, except on linked GPUs, where only leaf entries are written because the table
  /// trees must keep the same shape.
  void MapZero(GpuProcess& process, uint64_t va, uint64_t pages);
  void MapToAperture(GpuProcess& process, uint64_t va, Allocation& allocation, uint64_t aperture_page, uint64_t pages);
  /// Maps `pages` pages of a system buffer, starting with `first_page`. If `pages` is 0, maps all
  /// pages up to the buffer's end.
  void MapSystem(GpuProcess& process, uint64_t va, const SystemBuffer& buffer, uint64_t first_page = 0,
                 uint64_t pages = 0);
  void Unmap(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Unmaps the range and frees the page tables that no other range needs.
  void UnmapAndFreeTables(GpuProcess& process, uint64_t va, uint64_t pages);

  /// Copies the mappings of [source, source + bytes) to `target`, and gives the pages at `target`
  /// the driver protection `driver_protection`. The ranges may overlap. On linked GPUs, only the
  /// tables of this GPU change.
  void Copy(GpuProcess& process, uint64_t source, uint64_t target, uint64_t bytes, uint64_t driver_protection = 0);

  // Operations for residency changes. Each applies to all mappings of the allocation. EnsureTables
  // allocates the page tables that the mappings will need when the allocation occupies the pages
  // `at` of `segment`. If `at` is null, the pages are not known yet, and ranges that large pages
  // might map get no table. Throws NoRoom.
  void EnsureTables(Allocation& allocation, unsigned segment, const SegmentPages* at);
  /// Invalidate makes the entries invalid. Restore makes them map the allocation's current memory.
  void Invalidate(Allocation& allocation);
  void Restore(Allocation& allocation);
  /// Writes the entries of resident allocations that are mapped in the ranges (address, pages) of one process. The
  /// caller must flush.
  void RestoreIn(GpuProcess& process, const std::vector<std::pair<uint64_t, uint64_t>>& ranges);
  /// Invalidates the entries and removes the mappings from the record. An allocation that is not
  /// resident has no valid entries, except in evicted tables.
  void Clear(Allocation& allocation);

  // Operations on the record of mappings, which do not change entries. Forget removes the process's
  // range [va, va + 4096 * pages) from the mappings of all allocations, on all linked GPUs.
  void Forget(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Like Forget, but for all addresses of the process.
  void ForgetAll(GpuProcess& process);
  /// Removes all mappings of the allocation and returns them.
  static std::vector<Mapping> ForgetAll(Allocation& allocation);
  /// Returns the allocations of this GPU that are mapped in [va, va + bytes), each with the part of
  /// the mapping that lies in the range.
  std::vector<std::pair<Allocation*, Mapping>> Of(const GpuProcess& process, uint64_t va, uint64_t bytes) const;

 private:
  void BringTables(GpuProcess& process);
  /// Returns the allocations of all linked GPUs that are mapped in [va, end), in creation order.
  static std::vector<Allocation*> ShownIn(const GpuProcess& process, uint64_t va, uint64_t end);
  static void Add(Allocation& allocation, const Mapping& mapping);
  /// True if the mapping may use 64 KiB pages while the allocation is in segment `segment` of the
  /// GPU that holds it.
  static bool MayBeLarge(const Allocation& allocation, const Mapping& mapping, unsigned segment);
  void MapResident(Allocation& allocation, const Mapping& mapping);
  void WriteEntries(Allocation& allocation, const Mapping& mapping);
  void WriteLarge(GpuProcess& process, uint64_t va, unsigned level, const Allocation& allocation, uint64_t offset,
                  DXGK_PTE entry, uint64_t driver_protection);
  /// Call after the entries of a new mapping have been written. Removes the range's old mappings
  /// from the record, then completes the table change (FinishChange).
  void Replace(GpuProcess& process, uint64_t va, uint64_t pages);
  /// Waits for the paging work of this GPU and of the GPUs in `touched`.
  void Finish(const std::vector<VidMm*>& touched);

  VidMm& vidmm_;
  bool wrong_pte_done_ = false;
};

}  // namespace gmmu::os
