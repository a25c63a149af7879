// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class Kernel;
class MemoryObjects;
class SystemBuffer;
struct Allocation;
struct Segment;

/// Allocates ranges of the aperture segment and queues the operations that map system memory into them.
///
/// A range can be mapped piece by piece, from several ADLs, and unmapped in pieces of other sizes.
/// An operation changes only the pages of its piece, so the GPU may keep using the rest of the
/// range. The driver receives the memory as an ADL (operation 17). A driver without
/// MapAperture2Supported, whose DMA is never remapped, receives an MDL (operation 5). Unmapping
/// (operation 6) makes the aperture pages point to the dummy page.
///
/// Pages are 4 KiB. Mapping a mapped page, or unmapping an unmapped one, triggers a bug check.
class Aperture {
 public:
  struct Facts {
    bool map_aperture2 = false;  ///< DXGK_VIDMMCAPS.MapAperture2Supported
    bool remapped = false;       ///< the GPU uses logical addresses
    uint64_t commit_limit = 0;   ///< DXGK_SEGMENTDESCRIPTOR4.CommitLimit, bytes; 0: none
    uint64_t dummy_logical = 0;  ///< logical address of the dummy page
  };
  /// The functions that pass operations to the driver. `add` returns after
  /// DxgkDdiBuildPagingBuffer; `finish` returns after the GPU has completed all operations.
  struct Work {
    std::function<void(DXGKARG_BUILDPAGINGBUFFER&)> add;
    std::function<void()> finish;
  };
  /// The owner of the memory that a range maps.
  struct Owner {
    HANDLE device = nullptr;      ///< null for the primary and for DMA buffers
    HANDLE allocation = nullptr;  ///< null: the range maps a DMA buffer
    bool cpu_visible = false;     ///< MapApertureCpuVisible: the driver receives a CPU address
  };

  Aperture(Kernel& kernel, MemoryObjects& objects, Segment& segment, const Facts& facts, Work work);
  ~Aperture();

  /// Reserves a range and returns its first page. Throws OsError if there is no room in the segment or within its
  /// commit limit.
  uint64_t Reserve(uint64_t pages);
  /// Reserves a range of `pages`; if there is no room, tries half as many, a quarter and so on.
  /// Returns the range's first page and its size, or nullopt if there is no room for a single page.
  std::optional<std::pair<uint64_t, uint64_t>> ReserveSome(uint64_t pages);
  /// Like Reserve, but returns nullopt if there is no room.
  std::optional<uint64_t> TryReserve(uint64_t pages);
  /// Frees a range, in which no page may be mapped.
  void Free(uint64_t first);

  /// Maps pages of a live ADL, starting with page `adl_offset`, at the aperture pages [first, first
  /// + pages). Under DMA remapping, the driver accepts only contiguous ADLs (IOMMU DMA remapping
  /// documentation), so scattered logical pages need several operations.
  void Map(const Owner& owner, uint64_t first, uint64_t pages, const DXGK_ADL& adl, uint64_t adl_offset);
  /// Maps the dummy page at the aperture pages [first, first + pages). The CPU addresses of the
  /// previous mappings become invalid when the driver returns.
  void Unmap(const Owner& owner, uint64_t first, uint64_t pages);

  /// Maps pages of `buffer`, starting with page `adl_offset` of its ADL. `allocation` is an
  /// allocation whose Homes include the aperture segment.
  void Bind(uint64_t first, uint64_t pages, const Allocation& allocation, const SystemBuffer& buffer,
            uint64_t adl_offset);
  void Unbind(uint64_t first, uint64_t pages, const Allocation& allocation);
  /// Writes the CPU's caches back for cached pages that are mapped in the segment, unless the
  /// segment is cache coherent. Call it after the CPU has written to mapped pages. Earlier writes
  /// need no call, because Bind writes the caches back.
  void WriteBack(const SystemBuffer& buffer, uint64_t first, uint64_t pages);

  /// Call after a reset of the GPU, which discards all aperture mappings. Returns the operations
  /// that notify the driver of the loss: one for each run of pages of an allocation, with the
  /// device that `device_of` returns. CPU addresses stay valid until the driver has been notified.
  /// Then call ForgetAll, which drops all mappings.
  std::vector<DXGKARG_BUILDPAGINGBUFFER> Lost(const std::function<HANDLE(HANDLE allocation)>& device_of) const;
  void ForgetAll();

  uint64_t mapped_pages() const { return mapped_.size(); }
  bool mapped(uint64_t page) const { return mapped_.count(page) != 0; }
  uint64_t map_operations() const { return maps_; }

 private:
  struct Mapping;
  struct Origin;
  bool WithinCommitLimit(uint64_t pages) const;
  DXGKARG_BUILDPAGINGBUFFER UnmapOf(const Owner& owner, uint64_t first, uint64_t pages) const;
  void Forget(uint64_t first, uint64_t pages);
  void CheckReserved(const char* what, uint64_t first, uint64_t pages) const;
  void WriteBackCaches(const std::vector<uint64_t>& pfns, uint64_t first, uint64_t pages);
  /// Performs one map operation. `adl_offset` is the page offset in `adl`, the list that the driver
  /// receives; `origin_offset` is the page offset in the ADL that Map received.
  void MapPiece(const Owner& owner, uint64_t first, uint64_t pages, const DXGK_ADL& adl, uint64_t adl_offset,
                const Origin& origin, uint64_t origin_offset);
  void* CpuAddress(Mapping& mapping, const Origin& origin, uint64_t adl_offset, uint64_t pages);

  Kernel& kernel_;
  MemoryObjects& objects_;
  Segment& segment_;
  const Facts facts_;
  const Work work_;
  std::map<uint64_t, uint64_t> ranges_;  // first page -> number of pages
  std::map<uint64_t, std::shared_ptr<Mapping>> mapped_;
  uint64_t reserved_ = 0, maps_ = 0;
};

}  // namespace gmmu::os
