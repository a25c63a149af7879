// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/base/ledger.h"
#include "os/base/page_math.h"
#include "os/miniport/allocation.h"
#include "os/miniport/gpu_packet.h"
#include "os/tables/protection.h"

namespace gmmu::os {

class SegmentPages;
class SystemBuffer;
class VidMm;
struct GpuProcess;

/// The addresses of one process at which pages of an allocation are mapped. The allocation keeps its mappings even
/// while it is not resident. Pages are 4 KiB.
struct Mapping {
  GpuProcess* process;
  uint64_t va;
  uint64_t first_page;  // index in the allocation
  uint64_t pages;
  Protection protection;
  bool one_page = false;  // every address maps `first_page`

  /// The number of different pages of the allocation that are mapped, counted from `first_page`.
  uint64_t shown() const { return one_page ? 1 : pages; }
  uint64_t end() const { return va + pages * kPage; }
  /// Returns the part that begins at page `first` of this mapping and has `count` pages.
  Mapping Part(uint64_t first, uint64_t count) const {
    return {process, va + first * kPage, one_page ? first_page : first_page + first, count, protection, one_page};
  }
};

/// Returns `mappings` without [va, va + 4096 * pages) of a process.
std::vector<Mapping> Without(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                             uint64_t pages);
/// Returns the parts of `mappings` that lie in [va, va + bytes) of a process.
std::vector<Mapping> Within(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                            uint64_t bytes);

/// Memory that the GPU accesses: the driver's description of it, its present location, and its mappings.
///
/// Allocations creates and destroys this object. Only Placement allocates and frees its pages in memory segments. Only
/// Residency decides its location, unless a caller makes it resident in VRAM itself. Only Mappings changes `mappings`.
struct Allocation {
  Allocation();
  ~Allocation();

  VidMm* vidmm = nullptr;                // VidMm of the GPU whose memory holds it
  const uint64_t serial = NextSerial();  // unique, never reused
  std::string name;
  uint64_t bytes = 0;       // the driver's DXGK_ALLOCATIONINFO.Size, rounded up to pages of its segments
  HANDLE handle = nullptr;  // the driver's handle
  uint64_t owner = 0;       // serial of the process whose device owns it; 0 if the system owns it
  bool primary = false;
  Ledger::Ticket ticket = 0;
  /// Alignment in bytes of an allocation with contiguous VRAM (AccessedPhysically); 0 if its pages are scattered.
  uint64_t contiguous = 0;
  /// Percentage of a non-contiguous allocation's 64 KiB blocks in VRAM that are scattered single pages; nullopt leaves
  /// the choice to SegmentPages.
  std::optional<unsigned> broken_percent;
  Homes homes;
  bool map_cpu_visible = false;
  bool large_pages = true;              // DisableLargePageMapping is clear
  std::unique_ptr<SegmentPages> local;  // its pages in a memory segment; null if it is in no memory segment
  /// The contents while the allocation is in no memory segment. Created when it first leaves a memory segment or is
  /// placed in system memory.
  std::unique_ptr<SystemBuffer> backing;
  std::optional<uint64_t> aperture_page;  // first page of its range in the aperture segment
  bool in_system = false;                 // page tables map the backing store
  uint64_t used = 0;                      // time at which Residency last needed it; 0: never, so it is not moved
  bool explicit_residency = false;        // the driver requests notifications of its residency
  bool notified = false;                  // the driver knows that it is resident
  std::vector<Mapping> mappings;          // addresses of its pages, kept while it is not resident
  // In the physical model DMA buffers contain the address, so the allocation must not move before they have ended.
  std::vector<PacketId> users;  // DMA buffers that reference it; Unused removes completed ones
  bool bound = false;           // an earlier piece of the DMA buffer being submitted has bound the allocation
  bool clean = false;           // `backing` is current: no DMA buffer submitted since then may write the allocation

  Residence residence() const {
    if (local) return Residence::kMemorySegment;
    if (aperture_page) return Residence::kAperture;
    return in_system ? Residence::kSystem : Residence::kNowhere;
  }
  bool resident() const { return residence() != Residence::kNowhere; }
  /// The segment in which the allocation lives; 0: system memory or none.
  unsigned segment() const;
  /// The driver's device handle for aperture operations on the allocation: that of the owner process, or of the system
  /// if there is no owner or it has been destroyed; null for the primary. Valid between VidMm's Start and Stop.
  HANDLE device() const;
  /// True if no DMA buffer that references the allocation is in flight.
  bool Unused();
  /// Returns whether the byte at `offset` may be mapped at `va`. For a memory segment with pages of 64 KiB, VidMm
  /// guarantees drivers that the low 16 bits of virtual and physical address are equal (GPU virtual address documents,
  /// "physical page size").
  bool MayShow(uint64_t va, uint64_t offset) const { return (va - offset) % homes.page_bytes == 0; }
  /// The driver's protection that all mappings of page `page` share (D3DGPU_UNIQUE_DRIVER_PROTECTION), or 0.
  uint64_t UniqueProtection(uint64_t page) const;

 private:
  static uint64_t NextSerial();
};

}  // namespace gmmu::os
