// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "os/kernel/bring_up.h"
#include "os/kernel/dma_policy.h"
#include "os/kernel/isolation.h"

namespace gmmu::os {

/// Deliberate faults of the operating system's side, by the names of the configuration's [inject]
/// table.
struct Inject {
  bool unmapped_page = false;  ///< one logical page of the page-in source is not mapped
  bool wrong_pte = false;      ///< one leaf entry names another page
  bool wrong_adl = false;      ///< one page of an ADL's page array is another one (physical mode)
  bool table_order = false;  ///< 64 KiB pages become 4 KiB ones in the wrong order
  bool missing_flush = false;  ///< FLUSH_TLB operations are not executed but believed
  /// Contiguous memory of so many bytes or more is refused once memory has been used; 0: never.
  uint64_t contiguous_bytes = 0;
  uint64_t lost_interrupts = 0;  ///< so many first interrupt messages of the GPU do not reach its driver
  /// What the device does by itself while Dxgkrnl has it for itself.
  std::optional<hw::Stray> noisy_device;
  /// Of the calls to pin the frame buffer, and of those to map a window of it: the first `after` succeed, so many
  /// after them fail.
  uint64_t pin_failures = 0, pin_failures_after = 0;
  uint64_t window_failures = 0, window_failures_after = 0;
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
  /// HighestVisibleAddress equal to the last installed byte reaches all memory; else it must be above it.
  bool highest_visible_inclusive = true;
  /// A driver that supports remapping without MapAperture2Supported is refused while it is remapped; else it is started
  /// again without remapping.
  bool map_aperture2_missing_refused = true;
  /// Hardware-reserved ranges that overlap one another or the system's memory: a bug check; else the start is refused.
  bool reserved_overlap_stops = false;
  /// Memory callbacks answer every failure with STATUS_UNSUCCESSFUL; else each with its own status.
  bool one_failure_status = false;
  /// SysMem64KBPageSupported: system memory that is aligned and consecutive is mapped with pages of 64 KiB; else
  /// it is only managed in them, and mapped with 4 KiB.
  bool system_64k_mapped = true;
  /// Updates with NotifyEviction carry the entries that the table has; else invalid ones.
  bool eviction_tells_entries = false;
  /// In segment sets of an allocation the bit behind the last segment names system memory (an open driver does it so);
  /// else DXGK_SEGMENT_SET_SYSTEMMEMORY, a constant of the headers, does.
  bool system_segment_behind_last = true;
  /// A driver that declares GpuMmuSupported and IoMmuSupported is refused (header); else it is one of the first model
  /// (documents: either or both).
  bool both_mmu_models_refused = true;
};

/// What the operating system is told about machine and policy.
struct Parameters {
  RemapPolicy remap = RemapPolicy::kWhenPossible;
  uint64_t aperture_bytes = 0;  ///< handed to the driver
  uint64_t limit_bits = 33;     ///< handed to the driver: HighestVisibleAddress = 2^limit_bits - 1
  uint64_t dma_remapping_compatible = 3;   ///< device parameter of the driver's INF
  std::map<std::string, uint64_t> driver;  ///< further parameters of the driver, by its own names
  std::vector<uint64_t> page_table_bits;  ///< handed to the driver: index bits by level, leaf first
  /// CPU_VIRTUAL updates come with a DMA buffer and private data that they must not use (seen on build 26100), or with
  /// null pointers (documents).
  bool immediate_updates_have_a_buffer = false;
  /// The system's process brings NumPasid = 1 and its device a Pasid, whatever the IOMMU model (seen on build 26100).
  bool system_process_has_pasid = false;
  /// Stack of the VidMm worker, which calls DxgkDdiBuildPagingBuffer (24 KiB on build 22621); 0: not measured.
  uint64_t build_stack_bytes = 24 << 10;
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
  uint64_t window_pages = 256;  ///< of a scratch window of the paging process, 4 KiB each, a multiple of 16
  uint64_t quantum_ns = 1'000'000;        ///< a packet may run so long while others wait for its node
  uint64_t tdr_delay_ns = 2'000'000'000;  ///< TdrDelay: until a packet is preempted, and until that is answered
  /// DxgkDdiSubmitCommandVirtual is called while the report of a preemption is on the driver's stack
  /// (seen on build 26100).
  bool submit_while_preemption_is_told = false;
  uint32_t iommu_flags = 0;    ///< the value IOMMUFlags of the GraphicsDrivers key (isolation.h)
  bool secure_vm_key = false;  ///< velocity staging key 14688597
  IsolationScope isolation_scope = IsolationScope::kTracked;
  ReservedQuery reserved_query = ReservedQuery::kNullPointer;
  /// Gets a line for each call of DxgkDdiBuildPagingBuffer (paging_trace.h); empty: nobody does.
  std::function<void(const std::string&)> trace_paging;
  /// Gets what the driver prints (DbgPrintEx), as it comes; empty: nobody does.
  std::function<void(const std::string&)> debug_print;
  /// DmaBufferGpuVirtualAddress of paging buffers is 0 and a submission's address is the byte offset in its buffer
  /// (seen on build 22621 with paging buffers in segment 0); else both are the address for the GPU.
  bool paging_address_is_offset = false;
  /// The two ends of FLUSH_TLB: the second is the last byte, else one behind it.
  bool flush_end_inclusive = false;
  /// The paging process' entries are written by paging buffers once it has come up (seen on build 26100), else by the
  /// CPU.
  bool paging_updates_by_gpu = false;
  uint64_t seed = 0;
  OpenPoints open;
  Inject inject;
};

}  // namespace gmmu::os
