// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gmmu::sim {

/// A configuration that cannot be used. what() is one to three lines: where, what, and the way out.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The complete description of one machine. Defaults are those of the key table in config.cc, which
/// is the only place that lists units, ranges and descriptions; `gmmu config` prints it.
struct MachineConfig {
  struct Gpu {
    uint64_t count;  ///< equal GPUs, linked with each other
    uint64_t clock_mhz;
    uint64_t vram_mib;
    uint64_t aperture_mib;
    uint64_t limit_bits;                    ///< HighestVisibleAddress = 2^limit_bits - 1
    std::vector<uint64_t> page_table_bits;  ///< index bits by level, leaf first
    uint64_t vram_latency;                  ///< cycles
    uint64_t vram_outstanding;              ///< bursts of each direction
    uint64_t vram_beats, vram_beat_cycles;  ///< bandwidth: so many beats in so many cycles
    bool vram_reorder;
    uint64_t mmio_bound_ns;
    // Build keys: must equal what the binary was built with.
    uint64_t clients, rings, spaces, l1_entries, l2_entries, l2_ways, large_entries, walk_cache,
        walks, reads_in_flight, data_bits, va_bits;

    uint64_t vram_bytes() const { return vram_mib << 20; }
    uint64_t aperture_bytes() const { return aperture_mib << 20; }
    uint64_t highest_visible_address() const { return (uint64_t{1} << limit_bits) - 1; }
  } gpu;

  struct Pcie {
    uint64_t generation, lanes, tlp_overhead, link_layer_ppm, max_payload, max_read_request,
        completion_boundary, tags;
    uint64_t posted_headers, posted_data, non_posted_headers, completion_headers, completion_data;
    uint64_t latency_ps;  ///< one way

    /// What the link can carry at best, one direction, packets full.
    double payload_bytes_per_second() const;
  } pcie;

  /// The link between the GPUs: a switch of its own.
  struct Link {
    uint64_t latency_ns;    ///< one way
    uint64_t bytes_per_ns;  ///< of each GPU's port, each direction
  } link;

  struct Host {
    uint64_t memory_gib;
    uint64_t gpu_reserved_kib;
    uint64_t dram_channels, dram_banks, dram_row_bytes, dram_burst_bytes, dram_burst_ps;
    uint64_t dram_trcd_ps, dram_trp_ps, dram_tcas_ps, dram_controller_ps, dram_trefi_ps,
        dram_trfc_ps;

    uint64_t memory_bytes() const { return memory_gib << 30; }
  } host;

  struct Iommu {
    bool present;
    bool caching_mode, write_buffer_flush;
    uint64_t iotlb_sets, iotlb_ways, context_entries, paging_entries;
    uint64_t fault_records, walks, lookup_ps, descriptor_ps;
  } iommu;

  struct Os {
    std::string iommu;  ///< "remap", "needed", "identity" or "physical"
    // os::OpenPoints
    bool destroy_in_use_stops, section_attributes_refused, dummy_page_logical, aperture_writes_back;
    bool highest_visible_inclusive, map_aperture2_missing_refused, reserved_overlap_stops, one_failure_status;
    uint64_t build_stack_kib;
    std::string window_updates;  ///< "cpu_virtual" or "gpu_physical"
    bool flush_end_inclusive, paging_address_is_offset;
    uint64_t iommu_flags;
    bool secure_vm_key;
    std::string isolation_maps, reserved_query;

    bool immediate_updates_have_a_buffer, system_process_has_pasid;
    bool copies_entries, physical_paging, deferred_destroy, root_before_submission;
    uint64_t fill_kib;
    std::string bring_up;  ///< "linked", "windows-22621" or "windows-26100"
    uint64_t window_pages;
    bool system_64k_mapped, eviction_tells_entries;
    bool system_segment_behind_last, both_mmu_models_refused;
    uint64_t quantum_us, tdr_delay_us;
    bool submit_during_preemption;

    bool needs_unit() const { return iommu == "remap" || iommu == "identity"; }
  } os;

  /// What the driver finds in its registry stand-in (GmmuQueryParameter), besides keys of [gpu].
  struct Driver {
    uint64_t paging_buffer_bytes;
    std::string page_tables;  ///< "vram" or "system"
    std::string paging_buffer_segment;  ///< "system" or "aperture"
    uint64_t dma_remapping_compatible;
    bool map_aperture2, coherent_aperture, contiguous_pages;
    std::string update_mode;  ///< "cpu_virtual", "gpu_virtual" or "gpu_physical"
    bool explicit_invalidation;
    uint64_t context_kib, vram_base_mib, aperture_base_mib, paging_private_bytes, own_va_kib;
    bool context_shared, fill_by_byte, no_64bit_atomics, idle_for_updates, invalid_not_cached;
    bool leaf_64k, dual_pte, system_64k;
    std::vector<uint64_t> page_table_bytes;  ///< leaf first; 0: what the entries need
    uint64_t page_table_alignment;
    uint64_t save_area_kib;
    bool save_area_shared;
    bool isolation, isolation_required;

    bool system_tables() const { return page_tables == "system"; }
  } driver;

  struct Sim {
    bool checker;
    uint64_t batch;  ///< cycles
  } sim;

  /// Deliberate faults, for tests of the checks. All off by default.
  struct Inject {
    struct VramFlip {
      uint64_t after_write_bytes;  ///< 0: off
    } vram_flip;
    bool drop_fence;
    uint64_t late_interrupt_ns;
    // The operating system's and the driver's.
    bool table_order, unmapped_page, wrong_pte, wrong_adl, missing_flush, reserved_overlap;
    std::string noisy_device;  ///< "none", "read", "write" or "message"
    uint64_t contiguous_bytes;  ///< 0: off
    uint64_t pin_failures, pin_failures_after, window_failures, window_failures_after, lost_interrupts;
    std::string leak;  ///< kind of object to leak; empty: none
  } inject;

  /// The default machine.
  static MachineConfig Default();
  /// Defaults changed by the TOML text; `file` is the name that errors give. Throws ConfigError for
  /// a syntax error, an unknown key (with the nearest known one), a wrong type, a value out of
  /// range, and keys that contradict. `section`: only that table of the text is read, whose sections are the
  /// configuration's ("machine": [machine.gpu] is [gpu]); errors give the lines of the whole. Absent: defaults.
  static MachineConfig FromToml(std::string_view text, const std::string& file, const std::string& section = "");
  /// The same of a file. Throws ConfigError when it cannot be read.
  static MachineConfig FromFile(const std::string& path);

  /// Loadable TOML of every key, each with its unit, range and description as a comment.
  std::string ToToml() const;
  /// "CMAKE_VARIABLE=value" of every build key that differs from what this binary was built with.
  std::vector<std::string> BuildOptions() const;
  /// Throws ConfigError if there is one, naming the command that builds `file`, the configuration's.
  void CheckBuilt(const std::string& file = "FILE") const;
};

}  // namespace gmmu::sim
