// SPDX-License-Identifier: Apache-2.0
#include "platform/config_keys.h"

#include <cstring>

// What the RTL was built with; the build passes its own values.
#ifndef GMMU_CLIENTS
#define GMMU_CLIENTS 4
#endif
#ifndef GMMU_RINGS
#define GMMU_RINGS 2
#endif
#ifndef GMMU_SPACES
#define GMMU_SPACES 16
#endif
#ifndef GMMU_L1_ENTRIES
#define GMMU_L1_ENTRIES 16
#endif
#ifndef GMMU_L2_ENTRIES
#define GMMU_L2_ENTRIES 512
#endif
#ifndef GMMU_L2_WAYS
#define GMMU_L2_WAYS 4
#endif
#ifndef GMMU_LARGE_ENTRIES
#define GMMU_LARGE_ENTRIES 8
#endif
#ifndef GMMU_WALK_CACHE
#define GMMU_WALK_CACHE 16
#endif
#ifndef GMMU_WALKS
#define GMMU_WALKS 8
#endif
#ifndef GMMU_READS_IN_FLIGHT
#define GMMU_READS_IN_FLIGHT 32
#endif
#ifndef GMMU_DATA_BITS
#define GMMU_DATA_BITS 64
#endif
#ifndef GMMU_VA_BITS
#define GMMU_VA_BITS 48
#endif

namespace gmmu::sim {
namespace {

constexpr uint64_t kNoMax = INT64_MAX;

#define SLOT(member) [](MachineConfig& c) -> KeySlot { return &c.member; }
#define NUMBER(section, name, initial, unit, min, max, text)                                     \
  Key {                                                                                          \
#section, #name, SLOT(section.name), uint64_t{initial }, unit, min, max, KeyKind::kRun, text \
  }
#define SWITCH(section, name, initial, text) \
  Key { #section, #name, SLOT(section.name), bool{initial }, "", 0, 1, KeyKind::kRun, text }
#define BUILD(section, name, option, min, max, text)                        \
  Key {                                                                     \
#section, #name, SLOT(section.name),                                    \
        uint64_t{option }, "", min, max, KeyKind::kBuild, text, {}, #option \
  }

std::vector<Key> MakeKeys() {
  return {
      NUMBER(gpu, count, 1, "", 1, 4,
             "GPUs of the machine, all equal and linked with each other."),
      NUMBER(gpu, clock_mhz, 1000, "MHz", 1, 10'000, "GPU clock."),
      NUMBER(gpu, vram_mib, 64, "MiB", 1, 65'536, "Local memory."),
      NUMBER(gpu, aperture_mib, 16, "MiB", 0, 4'096,
             "Aperture segment; its map of 8 bytes a page lies in VRAM."),
      NUMBER(gpu, limit_bits, 33, "bits", 32, 48,
             "The GPU reaches addresses below 2^limit_bits of the bus."),
      Key{"gpu", "page_table_bits", SLOT(gpu.page_table_bits), std::vector<uint64_t>{9, 9, 9, 9},
          "bits", 1, 13, KeyKind::kRun,
          "Index bits of each page table level, leaf first; 2 to 6 levels."},
      NUMBER(gpu, vram_latency, 100, "cycles", 1, 100'000,
             "VRAM: accepted address to first beat, last write beat to B."),
      NUMBER(gpu, vram_outstanding, 64, "bursts", 1, 4'096,
             "VRAM: bursts of each direction at once."),
      NUMBER(gpu, vram_beats, 1, "beats", 1, 1'024,
             "VRAM bandwidth of each direction: beats in vram_beat_cycles."),
      NUMBER(gpu, vram_beat_cycles, 1, "cycles", 1, 1'024,
             "See vram_beats, which it must not be below."),
      SWITCH(gpu, vram_reorder, false,
             "VRAM answers reads that are ready in an order drawn from the seed."),
      NUMBER(gpu, mmio_bound_ns, 10'000'000, "ns", 1'000, kNoMax,
             "Longest a CPU access to a device may take."),
      BUILD(gpu, clients, GMMU_CLIENTS, 1, 64, "Client ports."),
      BUILD(gpu, rings, GMMU_RINGS, 1, 4, "Submission rings."),
      BUILD(gpu, spaces, GMMU_SPACES, 2, 64, "Address spaces."),
      BUILD(gpu, l1_entries, GMMU_L1_ENTRIES, 2, 64, "L1 TLB entries of each translation port."),
      BUILD(gpu, l2_entries, GMMU_L2_ENTRIES, 32, 4'096, "L2 TLB entries (4 KiB)."),
      BUILD(gpu, l2_ways, GMMU_L2_WAYS, 1, 16, "L2 TLB ways."),
      BUILD(gpu, large_entries, GMMU_LARGE_ENTRIES, 1, 64,
            "L2 TLB entries for translations above 64 KiB."),
      BUILD(gpu, walk_cache, GMMU_WALK_CACHE, 2, 256, "Walk cache entries of each level."),
      BUILD(gpu, walks, GMMU_WALKS, 1, 32, "Page table walks at once."),
      BUILD(gpu, reads_in_flight, GMMU_READS_IN_FLIGHT, 2, 128,
            "Reads in flight of the copy engine."),
      BUILD(gpu, data_bits, GMMU_DATA_BITS, 64, 512, "Data width of the VRAM and host ports."),
      BUILD(gpu, va_bits, GMMU_VA_BITS, 30, 57, "GPU virtual address width."),

      NUMBER(pcie, generation, 3, "", 1, 5, "Link generation."),
      NUMBER(pcie, lanes, 8, "", 1, 16, "Link width: 1, 2, 4, 8 or 16."),
      NUMBER(pcie, tlp_overhead, 24, "bytes", 8, 64,
             "Framing, sequence number, header and CRC of a TLP."),
      NUMBER(pcie, link_layer_ppm, 919'300, "ppm", 1, 1'000'000,
             "Share of the raw rate left by acknowledgements and credits."),
      NUMBER(pcie, max_payload, 256, "bytes", 128, 4'096, "Largest TLP payload; a power of two."),
      NUMBER(pcie, max_read_request, 512, "bytes", 128, 4'096,
             "Largest read request; a power of two."),
      NUMBER(pcie, completion_boundary, 64, "bytes", 64, 128,
             "Read completion boundary: 64 or 128."),
      NUMBER(pcie, tags, 64, "", 1, 1'024, "Reads in flight of the device."),
      NUMBER(pcie, posted_headers, 64, "credits", 1, 1'024,
             "Posted header credits of each direction."),
      NUMBER(pcie, posted_data, 1'024, "credits", 256, 65'536, "Posted data credits of 16 bytes."),
      NUMBER(pcie, non_posted_headers, 64, "credits", 1, 1'024, "Non-posted header credits."),
      NUMBER(pcie, completion_headers, 128, "credits", 1, 1'024, "Completion header credits."),
      NUMBER(pcie, completion_data, 2'048, "credits", 256, 65'536,
             "Completion data credits of 16 bytes."),
      NUMBER(pcie, latency_ps, 250'000, "ps", 1'000, 1'000'000'000,
             "Each way: last byte sent to last byte taken."),

      NUMBER(link, latency_ns, 200, "ns", 1, 1'000'000,
             "Each way between two GPUs: last byte sent to last byte taken."),
      NUMBER(link, bytes_per_ns, 16, "bytes", 1, 1'024,
             "What each GPU's port of the link carries in a nanosecond, each direction."),

      NUMBER(host, memory_gib, 16, "GiB", 1, 131'072,
             "Installed memory: up to 2 GiB below the devices, the rest from 4 GiB on."),
      NUMBER(host, gpu_reserved_kib, 0, "KiB", 0, 65'536,
             "Memory below 2 GiB that firmware keeps for the GPU; a multiple of 4."),
      NUMBER(host, dram_channels, 2, "", 1, 64, "Channels, interleaved every burst."),
      NUMBER(host, dram_banks, 16, "", 1, 256, "Banks of a channel."),
      NUMBER(host, dram_row_bytes, 8'192, "bytes", 64, 1'048'576,
             "Open row of a bank; a multiple of dram_burst_bytes."),
      NUMBER(host, dram_burst_bytes, 64, "bytes", 8, 1'024,
             "Bytes of a column command; a power of two."),
      NUMBER(host, dram_burst_ps, 3'333, "ps", 1, 1'000'000, "A burst on the channel's data bus."),
      NUMBER(host, dram_trcd_ps, 13'750, "ps", 0, 1'000'000, "Activate to column command."),
      NUMBER(host, dram_trp_ps, 13'750, "ps", 0, 1'000'000, "Precharge to activate."),
      NUMBER(host, dram_tcas_ps, 13'750, "ps", 0, 1'000'000, "Column command to first data."),
      NUMBER(host, dram_controller_ps, 20'000, "ps", 0, 10'000'000,
             "Queues and fabric, once an access."),
      NUMBER(host, dram_trefi_ps, 7'800'000, "ps", 0, kNoMax, "Between refreshes; 0: never."),
      NUMBER(host, dram_trfc_ps, 350'000, "ps", 0, kNoMax,
             "Length of a refresh; below dram_trefi_ps."),

      SWITCH(iommu, present, true, "The machine has a VT-d unit between the link and memory."),
      SWITCH(iommu, caching_mode, false,
             "The unit may cache entries that are not present (CAP.CM)."),
      SWITCH(iommu, write_buffer_flush, false,
             "Software must flush the write buffer after table changes (CAP.RWBF)."),
      NUMBER(iommu, iotlb_sets, 16, "", 1, 65'536, "IOTLB sets; a power of two."),
      NUMBER(iommu, iotlb_ways, 4, "", 1, 64, "IOTLB ways."),
      NUMBER(iommu, context_entries, 16, "", 1, 65'536, "Context cache entries."),
      NUMBER(iommu, paging_entries, 16, "", 0, 65'536,
             "Paging-structure cache entries of each level."),
      NUMBER(iommu, fault_records, 8, "", 1, 256, "Fault recording registers."),
      NUMBER(iommu, walks, 8, "", 1, 256, "Translations in the walker at once; hits pass them."),
      NUMBER(iommu, lookup_ps, 10'000, "ps", 1, 10'000'000, "A lookup in the unit's caches."),
      NUMBER(iommu, descriptor_ps, 20'000, "ps", 1, 10'000'000,
             "Execution of one invalidation descriptor."),

      Key{"os",
          "iommu",
          SLOT(os.iommu),
          std::string("remap"),
          "",
          0,
          0,
          KeyKind::kRun,
          "When DMA remapping is on: for every device that supports it, or for one that cannot reach "
          "all memory; or a 1:1 domain, or no translation (both give physical pages to the device).",
          {"remap", "needed", "identity", "physical"}},
      SWITCH(os, immediate_updates_have_a_buffer, false,
             "CPU_VIRTUAL updates come with DMA buffer pointers, as seen on build 26100; off: null, as documented."),
      SWITCH(os, system_process_has_pasid, false,
             "The system's process and device bring a PASID, as seen on build 26100."),
      Key{"os", "bring_up", SLOT(os.bring_up), std::string("linked"), "", 0, 0,
          KeyKind::kRun,
          "Order in which page tables are made: each where the seed says, or as seen on build 22621 or 26100.",
          {"linked", "windows-22621", "windows-26100"}},
      SWITCH(os, copies_entries, false,
             "Copies of an application's mappings are COPY_PAGE_TABLE_ENTRIES, as documented (needs "
             "driver.contiguous_pages "
             "off); off: UPDATE_PAGE_TABLE, as seen on build 22621."),
      SWITCH(os, physical_paging, false,
             "Memory is moved and filled by TRANSFER and FILL with segment addresses and MDLs; off: by virtual "
             "addresses."),
      NUMBER(os, fill_kib, 1'024, "KiB", 4, 262'144,
             "Largest fill operation; a multiple of 4. 262144 (256 MiB) on build 22621."),
      SWITCH(os, deferred_destroy, false,
             "Allocations are destroyed later, with other paging work, as seen on build 22621."),
      SWITCH(os, root_before_submission, false,
             "The root page table is set before every render packet, as seen on build 22621."),
      NUMBER(os, window_pages, 256, "pages", 16, 16'384,
             "Size of a scratch window of the paging process; a multiple of 16. 1024 as seen on build 26100."),
      SWITCH(os, system_64k_mapped, true,
             "With driver.system_64k, system memory that is aligned and consecutive is mapped with pages of 64 KiB; "
             "else with 4 KiB. Not documented."),
      SWITCH(os, eviction_tells_entries, false,
             "Updates with NotifyEviction carry the entries that the page table has; off: invalid ones. Not "
             "documented."),
      NUMBER(os, iommu_flags, 0, "", 0, 31,
             "IOMMUFlags of GPU isolation: 1 domain, 2 mappings, 4 attach, 8 without the driver's cap, "
             "16 failure allowed."),
      SWITCH(os, secure_vm_key, false, "A secure virtual machine switches GPU isolation on."),
      Key{"os", "isolation_maps", SLOT(os.isolation_maps), std::string("tracked"), "", 0, 0, KeyKind::kRun,
          "What GPU isolation maps when it is switched on: what the GPU was given, or all memory.",
          {"tracked", "all"}},
      Key{"os", "reserved_query", SLOT(os.reserved_query), std::string("null"), "", 0, 0, KeyKind::kRun,
          "First query for hardware-reserved ranges: with a null pointer, or with a count of 0.",
          {"null", "zero_count"}},
      NUMBER(os, quantum_us, 1'000, "us", 1, 1'000'000'000,
             "So long a packet may run while others wait for its node; then it is preempted."),
      NUMBER(os, tdr_delay_us, 2'000'000, "us", 10, 1'000'000'000,
             "TdrDelay: until a packet alone is preempted, and until a preemption must be answered; then the engine is "
             "reset."),
      SWITCH(os, submit_during_preemption, false,
             "The next packet is submitted while the driver still reports a preemption, as seen on build 26100."),
      SWITCH(os, destroy_in_use_stops, true,
             "A memory object that is destroyed while the CPU has a view, or it is open, is a bug check; else "
             "the memory goes with its last view. Not documented."),
      SWITCH(os, section_attributes_refused, true,
             "A section with other allocation attributes than SEC_COMMIT is refused; else they are ignored. "
             "Not documented."),
      SWITCH(os, dummy_page_logical, true,
             "The dummy page of an aperture unmap is a logical address while the GPU is remapped; else a "
             "physical one. Not documented."),
      SWITCH(os, aperture_writes_back, true,
             "Mapping cached memory into an aperture that is not cache coherent writes the CPU's caches back."),
      SWITCH(os, highest_visible_inclusive, true,
             "A GPU whose highest visible address is the last installed byte reaches all memory; else it must be "
             "above it. Not documented."),
      SWITCH(os, map_aperture2_missing_refused, true,
             "A driver that supports DMA remapping without MapAperture2Supported is refused when it would be "
             "remapped; else it is started without remapping. Not documented."),
      SWITCH(os, reserved_overlap_stops, false,
             "Hardware-reserved ranges that overlap one another or the system's memory stop the system; else the "
             "start is refused. Not documented."),
      SWITCH(os, one_failure_status, false,
             "Memory callbacks answer every failure with STATUS_UNSUCCESSFUL; else each with a status of its own. Not "
             "documented."),
      SWITCH(os, system_segment_behind_last, true,
             "In segment sets of an allocation the bit behind the last segment names system memory; else bit 31 does. "
             "Not documented."),
      SWITCH(os, both_mmu_models_refused, true,
             "A driver that declares both models of an MMU, GpuMmu and IoMmu, is refused; else it is one of the first. "
             "Headers and documents differ."),
      SWITCH(os, flush_end_inclusive, false,
             "FLUSH_TLB ends with its last byte; else one byte behind it. Not documented."),
      Key{"os", "window_updates", SLOT(os.window_updates), std::string("cpu_virtual"), "", 0, 0, KeyKind::kRun,
          "Who writes the entries of the paging process once it has come up: the CPU, as documented, or the paging "
          "engine as seen on build 26100.",
          {"cpu_virtual", "gpu_physical"}},
      SWITCH(os, paging_address_is_offset, false,
             "DmaBufferGpuVirtualAddress of paging buffers is 0 and their submissions name the byte offset, as seen on "
             "build 22621; not with DMA remapping. Else both are the address for the GPU."),
      NUMBER(os, build_stack_kib, 24, "KiB", 0, 64,
             "Stack of the thread that has paging buffers built, as seen on build 22621; 0: not measured."),

      NUMBER(driver, dma_remapping_compatible, 3, "", 0, 3,
             "DmaRemappingCompatible of the driver's INF; DMA remapping needs 3."),
      NUMBER(driver, paging_buffer_bytes, 65'536, "bytes", 64, 1'048'576,
             "Size of a paging buffer; a multiple of 64. In a small one operations take several passes."),
      Key{"driver", "paging_buffer_segment", SLOT(driver.paging_buffer_segment), std::string("system"), "", 0, 0,
          KeyKind::kRun,
          "PagingBufferSegmentId: 0, with buffers by their bus address; or the aperture's, with buffers by an address "
          "of the paging process, as seen on build 22621.",
          {"system", "aperture"}},
      Key{"driver", "page_tables", SLOT(driver.page_tables), std::string("vram"), "", 0, 0,
          KeyKind::kRun,
          "Where page tables lie. In system memory a table has one page: at most 9 index bits.",
          {"vram", "system"}},
      SWITCH(driver, map_aperture2, true,
             "MapAperture2Supported: aperture maps come with an ADL. DMA remapping needs it; without it they come "
             "with an MDL."),
      SWITCH(driver, coherent_aperture, true, "The aperture segment is cache coherent with the CPU."),
      NUMBER(driver, save_area_kib, 16, "KiB", 0, 65'536,
             "VRAM of the driver's own that survives power transitions; a multiple of 4."),
      SWITCH(driver, save_area_shared, false,
             "Adapter 0 of linked GPUs reports the room for what all of them keep, in one section; else each its own."),
      SWITCH(driver, isolation, true, "The driver reports support for GPU isolation."),
      SWITCH(driver, isolation_required, false, "The driver reports that the GPU must not run without it."),
      SWITCH(driver, contiguous_pages, true,
             "Blocks of 16 consecutive pages are marked, so that one TLB entry holds them."),
      Key{"driver", "update_mode", SLOT(driver.update_mode), std::string("gpu_physical"), "", 0, 0,
          KeyKind::kRun,
          "Who writes the page tables of processes: the CPU, or paging buffers by virtual or physical address.",
          {"cpu_virtual", "gpu_virtual", "gpu_physical"}},
      SWITCH(driver, explicit_invalidation, false,
             "Page tables are made invalid before they are freed."),
      NUMBER(driver, context_kib, 0, "KiB", 0, 1'024,
             "Context allocation of every context; a multiple of 4, 0: none."),
      SWITCH(driver, context_shared, false, "The contexts of a device share one context allocation."),
      NUMBER(driver, own_va_kib, 0, "KiB", 0, 1'048'576,
             "Addresses that the driver keeps in every process, rounded up to whole leaf tables; 0: none."),
      NUMBER(driver, vram_base_mib, 0, "MiB", 0, 1'048'576, "BaseAddress of the memory segment."),
      NUMBER(driver, aperture_base_mib, 0, "MiB", 0, 1'048'576, "BaseAddress of the aperture segment."),
      NUMBER(driver, paging_private_bytes, 0, "bytes", 0, 65'536,
             "Private data of a paging buffer; the driver keeps a record of 16 bytes for each operation. 0: none."),
      SWITCH(driver, fill_by_byte, false,
             "FillPattern is one byte in its field of 32 bits; off: 32 bits. Not documented."),
      SWITCH(driver, no_64bit_atomics, false, "No64BitAtomics: the GPU writes only the low half of monitored fences."),
      SWITCH(driver, idle_for_updates, false,
             "PageTableUpdateRequireAddressSpaceIdle: contexts are suspended while their page tables change."),
      SWITCH(driver, invalid_not_cached, true,
             "InvalidTlbEntriesNotCached: entries that become valid are not flushed: the hardware caches no invalid "
             "ones; off: they are."),
      SWITCH(driver, leaf_64k, false,
             "Use64KBPages: VRAM has pages of 64 KiB, and leaf tables of their entries exist. Needs 4 index bits of "
             "level 0."),
      SWITCH(driver, dual_pte, false,
             "DualPteSupported: an entry of level 1 names a leaf table of 4 KiB and one of 64 KiB entries. Needs "
             "leaf_64k."),
      SWITCH(driver, system_64k, false,
             "SysMem64KBPageSupported: system memory too has pages of 64 KiB. Needs leaf_64k."),
      Key{"driver", "page_table_bytes", SLOT(driver.page_table_bytes), std::vector<uint64_t>{0, 0}, "bytes", 0,
          1'048'576,
          KeyKind::kRun,
          "PageTableSizeInBytes of each level, leaf first, where it is more than the entries need; multiples of 4096, "
          "0: not."},
      NUMBER(driver, page_table_alignment, 0, "bytes", 0, 1'048'576,
             "PageTableAlignmentInBytes, a power of two from 4096 on; 0: a page of the tables' segment."),

      SWITCH(sim, checker, true,
             "Every translation of the GPU is compared with the reference walk."),
      NUMBER(sim, batch, 10'000, "cycles", 1, 1'000'000'000,
             "Most GPU cycles that run without a look at the event queue."),

      NUMBER(inject, late_interrupt_ns, 0, "ns", 0, kNoMax,
             "Interrupt messages reach the CPU so much later; 0: off."),
      SWITCH(inject, drop_fence, false, "16-byte fence records are lost at the GPU's host port."),
      SWITCH(inject, unmapped_page, false,
             "One logical page of the page-in source is left unmapped."),
      SWITCH(inject, wrong_pte, false, "One page table entry names another page."),
      SWITCH(inject, wrong_adl, false, "One page of an ADL's page array is another one."),
      SWITCH(inject, table_order, false,
             "Pages of 64 KiB become pages of 4 KiB in the wrong order."),
      SWITCH(inject, missing_flush, false, "FLUSH_TLB operations are skipped, and believed done."),
      NUMBER(inject, contiguous_bytes, 0, "bytes", 0, kNoMax,
             "Contiguous memory of so many bytes or more is refused once memory has been used; 0: off."),
      NUMBER(inject, lost_interrupts, 0, "messages", 0, kNoMax,
             "So many first interrupt messages of the GPU do not reach its driver."),
      Key{"inject", "noisy_device", SLOT(inject.noisy_device), std::string("none"), "", 0, 0, KeyKind::kRun,
          "What the device does on the bus while the operating system has exclusive access.",
          {"none", "read", "write", "message"}},
      SWITCH(inject, reserved_overlap, false,
             "Firmware tells the driver a reserved range that reaches into the system's memory."),
      NUMBER(inject, pin_failures, 0, "calls", 0, kNoMax,
             "So many attempts of the driver to pin its frame buffer's save memory fail."),
      NUMBER(inject, pin_failures_after, 0, "calls", 0, kNoMax, "Attempts before them that succeed."),
      NUMBER(inject, window_failures, 0, "calls", 0, kNoMax,
             "So many attempts to map a window of it fail."),
      NUMBER(inject, window_failures_after, 0, "calls", 0, kNoMax, "Attempts before them that succeed."),
      Key{"inject", "leak", SLOT(inject.leak), std::string(), "", 0, 0, KeyKind::kRun,
          "Kind of object that is not given back, or pcie_tag; empty: none."},
      Key{"inject.vram_flip", "after_write_bytes", SLOT(inject.vram_flip.after_write_bytes),
          uint64_t{0}, "bytes", 0, kNoMax, KeyKind::kRun,
          "One VRAM bit flips when so many bytes have been written through the VRAM port; 0: off."},
  };
}

}  // namespace

const std::vector<Key>& ConfigKeys() {
  static const std::vector<Key> keys = MakeKeys();
  return keys;
}

const char* SectionDescription(const std::string& section) {
  if (section == "gpu") return "The GPU and its local memory.";
  if (section == "pcie") return "The link between the GPU and the root complex.";
  if (section == "link") return "The link between the GPUs of a machine: it reaches their VRAM and nothing else.";
  if (section == "host") return "Host memory.";
  if (section == "iommu") return "The VT-d unit.";
  if (section == "os") return "Policy of the operating system model.";
  if (section == "driver") return "Parameters of the display driver.";
  if (section == "sim") return "The simulation itself.";
  if (section == "inject")
    return "Deliberate faults, for tests of the checks. All off in a sound machine.";
  return "";
}

}  // namespace gmmu::sim
