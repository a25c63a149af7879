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
  bool accessed_physically = true;  ///< engines use its physical addresses besides GPU VAs
  bool cpu_visible = false;
  bool map_cpu_visible = false;     ///< the driver wants CPU addresses of its aperture mappings
  bool system_only = false;         ///< never in VRAM
  bool local_only = false;          ///< never in system memory
  bool no_large_pages = false;      ///< DisableLargePageMapping
  bool explicit_residency = false;  ///< the driver is notified of its address; needs accessed_physically
  bool shareable = false;
  bool primary = false;
  UINT priority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  unsigned physical_adapter = 0;  ///< the linked adapter whose VRAM may hold it
};

/// The places where VidMm may put an allocation, and how it is evicted.
struct Homes {
  UINT memory = 0;               ///< segment set, memory segments
  UINT aperture = 0;             ///< segment set, the aperture segment
  bool implicit_system = false;  ///< may be in system memory without an aperture range, so no map operation
  bool contiguous = false;       ///< its pages in a memory segment must be consecutive
  uint64_t alignment = 0;        ///< alignment in bytes of its first page there; 0: page alignment
  /// Largest page size of its memory segments. The allocation's size is a multiple of it. Modulo page_bytes, a GPU
  /// virtual address of the allocation equals its offset and its physical address.
  uint64_t page_bytes = 4096;
  UINT eviction = 0;  ///< segment set: apertures through which it is evicted; 0: straight to system memory
  UINT priority = 0;  ///< AllocationPriority: lower priorities are evicted first
  /// Segments of the set in the order in which they are tried: the preferred ones first (the implicit system memory
  /// segment too, by the id of AdapterAnswers::system_segment), then memory segments, the
  /// aperture segment, the implicit system memory segment.
  struct Place {
    UINT segment = 0;  ///< 0: the implicit system memory segment
    bool from_end = false;
  };
  std::vector<Place> places;
};

/// Where an allocation lives. The GPU reaches it unless it is kNowhere.
enum class Residence {
  kNowhere,  ///< its contents, if any, are in the backing store
  kMemorySegment,
  kAperture,  ///< the aperture segment maps its backing store
  kSystem,    ///< in the implicit system memory segment: page tables map its backing store
};

/// An allocation that the driver made and Dxgkrnl admitted.
struct DriverAllocation {
  HANDLE handle = nullptr;
  uint64_t bytes = 0;
  DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 flags{};
  Homes homes;
  unsigned adapter = 0;  ///< PhysicalAdapterIndex
  Ledger::Ticket ticket = 0;
};

/// Checks the driver's answer to DxgkDdiCreateAllocation against the rules of Dxgkrnl; returns the broken ones. Sources
/// by rule: allocation.cc.
std::vector<Refusal> AdmitAllocation(const AllocationRequest& request, const DXGK_ALLOCATIONINFO& info,
                                     const AdapterAnswers& answers);

/// Without AccessedPhysically an aperture segment in the set becomes the implicit system memory segment. In the
/// physical model every allocation is accessed physically.
Homes HomesOf(const DXGK_ALLOCATIONINFO& info, const AdapterAnswers& answers);

}  // namespace gmmu::os
