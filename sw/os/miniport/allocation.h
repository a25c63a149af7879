// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/base/ledger.h"

namespace gmmu::os {

struct AdapterAnswers;
struct Refusal;

/// An application's request for an allocation.
struct AllocationRequest {
  std::string name;
  uint64_t bytes = 0;
  bool accessed_physically = true;  ///< engines use its physical addresses as well as its GPU VAs
  bool cpu_visible = false;
  bool map_cpu_visible = false;     ///< the driver needs CPU addresses for the allocation's aperture mappings
  bool system_only = false;         ///< the allocation must never be placed in VRAM
  bool local_only = false;          ///< the allocation must never be placed in system memory
  bool no_large_pages = false;      ///< DisableLargePageMapping
  bool explicit_residency = false;  ///< the driver is notified of the address; requires accessed_physically
  bool shareable = false;
  bool primary = false;
  UINT priority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  unsigned physical_adapter = 0;  ///< the linked adapter whose VRAM can hold the allocation
};

/// The segments in which VidMm may place an allocation, and how it evicts the allocation.
struct Homes {
  UINT memory = 0;               ///< the set of memory segments
  UINT aperture = 0;             ///< the aperture segment, as a set
  bool implicit_system = false;  ///< may be in system memory without an aperture range and a map operation
  bool contiguous = false;       ///< pages in a memory segment must be consecutive
  uint64_t alignment = 0;        ///< alignment in bytes of the first page in a memory segment; 0: none beyond a page
  /// The largest page size among the allocation's memory segments. The allocation's size is a
  /// multiple of page_bytes. The allocation's GPU virtual address, allocation offset and physical
  /// address are equal modulo page_bytes.
  uint64_t page_bytes = 4096;
  UINT eviction = 0;  ///< apertures for eviction, as a set; 0: evicted directly to system memory
  UINT priority = 0;  ///< AllocationPriority: lower priorities are evicted first
  /// The segments in the order in which VidMm tries them: first the segments that the driver
  /// prefers (possibly the implicit system memory segment, with the id
  /// AdapterAnswers::system_segment), then the memory segments, the aperture segment, and the
  /// implicit system memory segment.
  struct Place {
    UINT segment = 0;  ///< 0: the implicit system memory segment
    bool from_end = false;
  };
  std::vector<Place> places;
};

/// Where an allocation is resident. The GPU can access the allocation in every place except
/// kNowhere.
enum class Residence {
  kNowhere,  ///< not resident; its contents, if any, are in the backing store
  kMemorySegment,
  kAperture,  ///< the aperture segment maps its backing store
  kSystem,    ///< in the implicit system memory segment: page tables map its backing store
};

/// An allocation that the driver created and whose parameters Dxgkrnl accepted.
struct DriverAllocation {
  HANDLE handle = nullptr;
  uint64_t bytes = 0;
  DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 flags{};
  Homes homes;
  unsigned adapter = 0;  ///< PhysicalAdapterIndex
  Ledger::Ticket ticket = 0;
};

/// Checks the driver's output of DxgkDdiCreateAllocation against the rules of Dxgkrnl. Returns the violations.
/// allocation.cc cites the source of each rule.
std::vector<Refusal> AdmitAllocation(const AllocationRequest& request, const DXGK_ALLOCATIONINFO& info,
                                     const AdapterAnswers& answers);

/// Returns the segments that `info` permits. If the allocation is not AccessedPhysically, the
/// implicit system memory segment replaces an aperture segment in the set. In the physical model,
/// every allocation counts as accessed physically.
Homes HomesOf(const DXGK_ALLOCATIONINFO& info, const AdapterAnswers& answers);

}  // namespace gmmu::os
