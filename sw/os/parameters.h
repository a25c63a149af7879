// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os/bring_up.h"
#include "os/dma_policy.h"
#include "os/isolation.h"

namespace gmmu::os {

/// Deliberate faults of the operating system's side, by the names of the configuration's [inject]
/// table.
struct Inject {
  bool unmapped_page = false;  ///< one logical page of the page-in source is not mapped
  bool wrong_pte = false;      ///< one leaf entry names another page
  bool wrong_adl = false;      ///< one page of an ADL's page array is another one (physical mode)
  bool missing_flush = false;  ///< FLUSH_TLB operations are not executed but believed
  /// Contiguous memory of so many bytes or more is refused once memory has been used; 0: never.
  uint64_t contiguous_bytes = 0;
  bool noisy_device = false;   ///< the device reads memory while Dxgkrnl has it for itself
  uint64_t pin_failures = 0;     ///< so many first calls to pin the frame buffer fail
  uint64_t window_failures = 0;  ///< so many first calls to map a window of it fail
  bool reserved_overlap = false;  ///< firmware tells the driver a reserved range that is the system's memory
  std::string leak;            ///< kind of object that is not given back

  /// Kinds that `leak` knows.
  static const std::vector<std::string>& LeakKinds();
};

/// What no document says about memory, so a user can choose (configuration [os], the same names).
struct OpenPoints {
  /// DxgkCbDestroyPhysicalMemoryObject while the CPU has a view, or the object is open and its adapter
  /// object is not given: a bug check. Else it is closed, and the memory goes with its last view.
  bool destroy_in_use_stops = true;
  /// A SECTION with other AllocationAttributes than SEC_COMMIT is refused; else they are ignored.
  bool section_attributes_refused = true;
  /// DummyPage of UNMAP_APERTURE_SEGMENT is a logical address while the GPU is remapped; else the
  /// host's physical one.
  bool dummy_page_logical = true;
  /// Mapping cached memory into an aperture that is not cache coherent writes the CPU's caches back.
  bool aperture_writes_back = true;
};

/// What the operating system is told about machine and policy.
struct Parameters {
  RemapPolicy remap = RemapPolicy::kWhenPossible;
  uint64_t aperture_bytes = 0;  ///< handed to the driver
  uint64_t limit_bits = 33;     ///< handed to the driver: HighestVisibleAddress = 2^limit_bits - 1
  std::map<std::string, uint64_t> driver;  ///< further parameters of the driver, by its own names
  std::vector<uint64_t> page_table_bits;  ///< handed to the driver: index bits by level, leaf first
  /// CPU_VIRTUAL updates come with a DMA buffer and private data that they must not use (seen on build 26100), or with
  /// null pointers (documents).
  bool immediate_updates_have_a_buffer = false;
  /// The system's process brings NumPasid = 1 and its device a Pasid, whatever the IOMMU model (seen on build 26100).
  bool system_process_has_pasid = false;
  BringUp bring_up = BringUp::kLinked;
  /// A copy of an application's mappings is done by COPY_PAGE_TABLE_ENTRIES (documents), or by UPDATE_PAGE_TABLE with
  /// the same entries (seen on build 22621).
  bool copies_entries = false;
  /// Memory is moved and filled by the operations of WDDM 1, with segment addresses and MDLs, which drivers of
  /// WDDM 2 may still get; else by virtual addresses in scratch windows.
  bool physical_paging = false;
  uint64_t fill_bytes = 1 << 20;  ///< of one fill operation at most (256 MiB on build 22621); whole pages
  /// DxgkDdiDestroyAllocation comes later, with other paging work (seen on build 22621); else at once.
  bool deferred_destroy = false;
  bool root_before_submission = false;  ///< SetRootPageTable comes before each render packet too (seen on build 22621)
  uint64_t quantum_ns = 1'000'000;        ///< a packet may run so long while others wait for its node
  uint64_t tdr_delay_ns = 2'000'000'000;  ///< TdrDelay: until a packet is preempted, and until that is answered
  /// DxgkDdiSubmitCommandVirtual is called while the report of a preemption is on the driver's stack
  /// (seen on build 26100).
  bool submit_while_preemption_is_told = false;
  uint32_t iommu_flags = 0;    ///< the value IOMMUFlags of the GraphicsDrivers key (isolation.h)
  bool secure_vm_key = false;  ///< velocity staging key 14688597
  IsolationScope isolation_scope = IsolationScope::kTracked;
  ReservedQuery reserved_query = ReservedQuery::kNullPointer;
  uint64_t seed = 0;
  OpenPoints open;
  Inject inject;
};

}  // namespace gmmu::os
