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

/// A mapping of consecutive pages of an allocation into the address space of one process. The
/// allocation keeps its mappings even while it is not resident. Pages are 4 KiB.
struct Mapping {
  GpuProcess* process;
  uint64_t va;
  uint64_t first_page;  // page index in the allocation
  uint64_t pages;
  Protection protection;
  bool one_page = false;  // all addresses map the same page, `first_page`

  /// The number of distinct pages of the allocation that the mapping covers, starting at
  /// `first_page`.
  uint64_t shown() const { return one_page ? 1 : pages; }
  uint64_t end() const { return va + pages * kPage; }
  /// Returns the part of this mapping that starts `first` pages into it and spans `count` pages.
  Mapping Part(uint64_t first, uint64_t count) const {
    return {process, va + first * kPage, one_page ? first_page : first_page + first, count, protection, one_page};
  }
};

/// Returns `mappings` with the range [va, va + 4096 * pages) of `process` removed.
std::vector<Mapping> Without(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                             uint64_t pages);
/// Returns the parts of `mappings` that lie within [va, va + bytes) of `process`.
std::vector<Mapping> Within(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                            uint64_t bytes);

/// An allocation (GPU memory): the driver's description, its residency and its mappings. The class
/// Allocations creates and destroys it. Only Placement allocates and frees its pages in memory
/// segments. Only Residency decides where it is resident, unless a caller explicitly makes it
/// resident in VRAM (VidMm::MakeResident). Only Mappings changes `mappings`.
struct Allocation {
  Allocation();
  ~Allocation();

  VidMm* vidmm = nullptr;                // VidMm of the GPU whose memory holds the allocation
  const uint64_t serial = NextSerial();  // unique, never reused
  std::string name;
  uint64_t bytes = 0;       // DXGK_ALLOCATIONINFO.Size, rounded up to the page size of its segments
  HANDLE handle = nullptr;  // the driver's handle
  uint64_t owner = 0;       // serial of the process whose device owns the allocation; 0: the system owns it
  bool primary = false;
  Ledger::Ticket ticket = 0;
  /// Required alignment in bytes if the allocation must be contiguous in VRAM (AccessedPhysically),
  /// or 0 if its pages may be scattered.
  uint64_t contiguous = 0;
  /// For a non-contiguous allocation: the percentage of its 64 KiB blocks in VRAM that consist of scattered single
  /// pages; nullopt leaves the choice to SegmentPages.
  std::optional<unsigned> broken_percent;
  Homes homes;
  bool map_cpu_visible = false;
  bool large_pages = true;              // DisableLargePageMapping is clear
  std::unique_ptr<SegmentPages> local;  // pages in a memory segment; null if there are none
  /// The backing store, which holds the contents while the allocation is not in a memory segment.
  /// It is allocated when the allocation is first evicted or first placed in system memory.
  std::unique_ptr<SystemBuffer> backing;
  std::optional<uint64_t> aperture_page;  // first page of its range in the aperture segment
  bool in_system = false;                 // page tables map the backing store
  // Time stamp (NextUse) of the last request through Residency. 0: never requested, so Residency
  // does not move the allocation.
  uint64_t used = 0;
  /// Free bytes of the segment when Residency last tried to move the allocation to more large blocks.
  /// While they are the same, another attempt would fail again.
  uint64_t free_at_collapse = ~uint64_t{0};
  /// The application has offered the allocation (Residency::Offer): its page-table entries are
  /// invalid, and its contents may be dropped.
  bool offered = false;
  bool locked = false;              // the CPU may access it (CpuLocks), so it stays where it is
  bool dropped = false;             // its contents were dropped while it was offered
  bool explicit_residency = false;  // the driver requests residency notifications
  bool notified = false;            // last notification to the driver: the allocation is resident
  std::vector<Mapping> mappings;    // kept even while the allocation is not resident
  // In the physical model, DMA buffers contain the allocation's address, so the allocation must not
  // move until they have completed. `users` lists their packets; Unused() removes completed ones.
  std::vector<PacketId> users;
  // An earlier piece of the DMA buffer that is being submitted has bound the allocation to a slot.
  bool bound = false;
  // `backing` is current: no DMA buffer can have written to the allocation since its page-in.
  bool clean = false;

  Residence residence() const {
    if (local) return Residence::kMemorySegment;
    if (aperture_page) return Residence::kAperture;
    return in_system ? Residence::kSystem : Residence::kNowhere;
  }
  bool resident() const { return residence() != Residence::kNowhere; }
  /// True if page-table entries may currently map the allocation.
  bool accessible() const { return resident() && !offered; }
  /// The segment in which the allocation is resident, or 0 if it is in system memory or not resident.
  unsigned segment() const;
  /// The driver's handle of the device that owns the allocation, for aperture operations: the
  /// device of the owner process, or the system's device if there is no owner or the owner was
  /// destroyed. Null for the primary. Valid between VidMm's Start and Stop.
  HANDLE device() const;
  /// Throws OsError if the allocation is locked (CpuLocks).
  void RequireUnlocked() const;
  /// True if no DMA buffer that references the allocation is in flight.
  bool Unused();
  /// Whether the byte at `offset` may be mapped at `va`. For a memory segment with 64 KiB pages,
  /// VidMm guarantees that the low 16 bits of the virtual and the physical address are equal (GPU
  /// virtual address documents, "physical page size").
  bool MayShow(uint64_t va, uint64_t offset) const { return (va - offset) % homes.page_bytes == 0; }
  /// The driver protection that all mappings of page `page` share
  /// (D3DGPU_UNIQUE_DRIVER_PROTECTION), or 0 if they may differ.
  uint64_t UniqueProtection(uint64_t page) const;

 private:
  static uint64_t NextSerial();
};

}  // namespace gmmu::os
