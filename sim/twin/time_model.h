// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace gmmu::sim::twin {

/// What the estimates are made from: latencies and rates of the configuration. Times are in
/// picoseconds unless a comment says otherwise.
struct TimeParameters {
  uint64_t period_ps = 1000;
  unsigned bus_bytes = 8;
  unsigned vram_latency = 100;  ///< cycles
  unsigned vram_beats = 1, vram_beat_cycles = 1;
  unsigned walks = 8;          ///< table walks in flight
  unsigned engine_reads = 32;  ///< bursts of 256 bytes in flight
  unsigned client_slots = 64;  ///< lines in flight
  unsigned l2_sets = 8;        ///< sets that an invalidation sweeps
  double pcie_ps_per_byte = 0.136;
  unsigned tlp_overhead = 24, max_payload = 256, max_read_request = 512;
  uint64_t pcie_latency_ps = 250'000;
  uint64_t dram_ps = 60'000;  ///< latency of one access of host memory
  uint64_t iommu_lookup_ps = 10'000, iommu_descriptor_ps = 20'000;
  unsigned iommu_walks = 8;
};

/// When an access is over, and when the next of the same kind may begin.
struct Cost {
  uint64_t next = 0;
  uint64_t done = 0;
  void Add(const Cost& other) {
    next = std::max(next, other.next);
    done = std::max(done, other.done);
  }
};

/// ESTIMATED times of one GPU, its VRAM and its PCIe link. Every formula of the fast engine stands in
/// time_model.cc; none of them decides what happens, only when.
///
/// Each bus is a queue: an access begins when the bus is free and keeps it for its bytes.
class TimeModel {
 public:
  explicit TimeModel(const TimeParameters& parameters) : p_(parameters) {}
  const TimeParameters& parameters() const { return p_; }

  uint64_t Cycles(uint64_t cycles) const { return cycles * p_.period_ps; }
  uint64_t CycleAt(uint64_t ps) const { return ps / p_.period_ps; }

  /// An access of `bytes` at VRAM that is asked for at `now`.
  Cost Vram(uint64_t now, uint64_t bytes, bool write);
  /// An access of `bytes` at host memory. `window` is how many bytes the requester may have in flight,
  /// `walk_reads` how many reads the IOMMU made for it.
  Cost HostRead(uint64_t now, uint64_t bytes, uint64_t window, unsigned walk_reads);
  Cost HostWrite(uint64_t now, uint64_t bytes, unsigned walk_reads);
  /// A TLB miss whose walk read this many table entries.
  Cost Walk(uint64_t now, unsigned vram_reads, unsigned host_reads) const;

  /// Return when a TLP of the CPU arrives at the device, and when the device's answer arrives at the CPU.
  uint64_t Down(uint64_t now, uint64_t bytes);
  uint64_t Up(uint64_t now, uint64_t bytes);
  /// Returns when the CPU may go on after a posted write at `now`: at once while few wait for the link.
  uint64_t AfterPost(uint64_t now, uint64_t bytes) const;

  uint64_t CommandPs() const;       ///< a command, from its header to its job
  uint64_t EntryPs() const;         ///< a ring entry, beside its reads and writes
  uint64_t InvalidationPs() const;  ///< without what is in flight
  uint64_t RegisterPs() const;      ///< an access of the CPU
  uint64_t MessagePs() const;       ///< an interrupt message, to the CPU

 private:
  uint64_t Beats(uint64_t bytes) const;
  uint64_t PciePs(uint64_t bytes, uint64_t packet) const;
  static uint64_t Take(uint64_t& free, uint64_t now, uint64_t ps);

  const TimeParameters p_;
  uint64_t vram_read_free_ = 0, vram_write_free_ = 0, up_free_ = 0, down_free_ = 0;
};

}  // namespace gmmu::sim::twin
