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
/// A range may be mapped in pieces, from several lists, and unmapped in different pieces. An operation affects only the
/// pages of its piece, so the GPU may use the others. Memory is passed as an ADL (operation 17). A driver without
/// MapAperture2Supported, whose GPU is never remapped, gets an MDL (operation 5). Unmapping (operation 6) maps the
/// dummy page.
///
/// Pages are 4 KiB. Mapping a page twice, or unmapping one that is not mapped, triggers a bug check.
class Aperture {
 public:
  struct Facts {
    bool map_aperture2 = false;  ///< DXGK_VIDMMCAPS.MapAperture2Supported
    bool remapped = false;       ///< the GPU uses logical addresses
    uint64_t commit_limit = 0;   ///< DXGK_SEGMENTDESCRIPTOR4.CommitLimit, bytes; 0: none
    uint64_t dummy_logical = 0;  ///< logical address of the dummy page
    uint64_t dummy_host = 0;     ///< host physical address of the dummy page
  };
  /// How operations reach the driver. `add` returns after DxgkDdiBuildPagingBuffer; `finish` returns when the GPU has
  /// completed all of them.
  struct Work {
    std::function<void(DXGKARG_BUILDPAGINGBUFFER&)> add;
    std::function<void()> finish;
  };
  /// The owner of the mapped memory.
  struct Owner {
    HANDLE device = nullptr;      ///< null: the device of the primary
    HANDLE allocation = nullptr;  ///< null: the range maps a DMA buffer
    bool cpu_visible = false;     ///< MapApertureCpuVisible is set: the driver gets a CPU address
  };

  Aperture(Kernel& kernel, MemoryObjects& objects, Segment& segment, const Facts& facts, Work work);
  ~Aperture();

  /// Reserves a range and returns its first page. Throws OsError if the segment or its commit limit has no room.
  uint64_t Reserve(uint64_t pages);
  /// Reserves a range of `pages`, or of a half, a quarter and so on if there is less room. Returns its first page and
  /// size; nullopt if there is no room for a single page.
  std::optional<std::pair<uint64_t, uint64_t>> ReserveSome(uint64_t pages);
  /// Like Reserve, but returns nullopt if there is no room.
  std::optional<uint64_t> TryReserve(uint64_t pages);
  /// Frees a range. None of its pages may be mapped.
  void Free(uint64_t first);

  /// Maps the live ADL, from its page `adl_offset` on, at aperture pages [first, first + pages). The driver of a
  /// remapped GPU accepts only contiguous lists (IOMMU DMA remapping), so scattered logical pages take several
  /// operations.
  void Map(const Owner& owner, uint64_t first, uint64_t pages, const DXGK_ADL& adl, uint64_t adl_offset);
  /// Maps the dummy page at the aperture pages. CPU addresses of the old mappings become invalid when the driver
  /// returns.
  void Unmap(const Owner& owner, uint64_t first, uint64_t pages);

  /// Maps pages of `buffer`, from page `adl_offset` of its ADL on, for an allocation whose Homes include the aperture
  /// segment.
  void Bind(uint64_t first, uint64_t pages, const Allocation& allocation, const SystemBuffer& buffer,
            uint64_t adl_offset);
  void Unbind(uint64_t first, uint64_t pages, const Allocation& allocation);

  /// Call after a reset of the GPU, which loses the aperture map. Returns the operations that notify the driver: one
  /// for each run of an allocation's pages, with the device from `device_of`. CPU addresses stay valid until the driver
  /// has been notified; then call ForgetAll, after which no page is mapped.
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
  void WriteBackCaches(const Origin& origin, uint64_t adl_offset, uint64_t pages);
  /// Builds one map operation. `adl_offset` is an index in the list that is passed to the driver, `origin_offset` one
  /// in the list from which that list was made.
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
