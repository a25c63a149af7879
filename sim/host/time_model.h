// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "host/servers.h"
#include "memory/dram.h"

namespace gmmu::sim {

/// The inputs of the estimates: latencies and rates from the configuration. Times are in
/// picoseconds unless a comment states another unit.
struct TimeParameters {
  uint64_t period_ps = 1000;
  unsigned bus_bytes = 8;
  unsigned vram_latency = 100;     ///< cycles
  unsigned vram_outstanding = 64;  ///< bursts in flight in each direction
  unsigned vram_beats = 1, vram_beat_cycles = 1;
  unsigned engine_reads = 32;  ///< bursts of 256 bytes in flight
  unsigned client_slots = 64;  ///< lines in flight
  double pcie_ps_per_byte = 0.136;
  unsigned tlp_overhead = 24, max_payload = 256, max_read_request = 512;
  unsigned tags = 64, posted_headers = 64, posted_data = 1024, non_posted_headers = 64;
  unsigned completion_headers = 128, completion_data = 2048;
  uint64_t pcie_latency_ps = 250'000;
  DramParameters dram;
  uint64_t iommu_lookup_ps = 10'000, iommu_descriptor_ps = 20'000;
  unsigned iommu_walks = 8;
};

/// When an access can start and when it is complete.
struct Cost {
  uint64_t at = 0;        ///< earliest start; a time in the past means now
  uint64_t done = 0;      ///< end of all parts of the access
  uint32_t group = 0;     ///< accesses of the same group wait for each other
  bool may_wait = false;  ///< may get a ticket while the end of the translation is unknown
  uint64_t ticket = 0;    ///< nonzero: TlbTiming::WhenReady reports the translation's time
  void Ends(uint64_t ps) { done = std::max(done, ps); }
};

/// ESTIMATED times of one GPU, its VRAM and its PCIe link. The estimates decide when events happen,
/// never which events happen.
///
/// Each bus is a Calendar. Each limit on accesses in flight is a Places (servers.h).
class TimeModel {
 public:
  explicit TimeModel(const TimeParameters& parameters);
  const TimeParameters& parameters() const { return p_; }

  uint64_t Cycles(uint64_t cycles) const { return cycles * p_.period_ps; }
  uint64_t CycleAt(uint64_t ps) const { return period_.Quotient(ps); }
  /// Returns the number of bus beats that [address, address + bytes) takes.
  uint64_t BeatsOf(uint64_t address, uint64_t bytes) const {
    return bus_.Quotient(address + bytes + p_.bus_bytes - 1) - bus_.Quotient(address);
  }
  /// Returns how long `bytes` occupy the bus.
  uint64_t BusPs(uint64_t bytes) const { return Cycles(BeatsOf(0, bytes)); }

  /// Issues a VRAM burst of at most 256 bytes that is ready at `at`. Returns the time of its last
  /// data beat or of its write response. `alone`: the requester has few bursts in flight, so the
  /// arbiter lets it overtake bursts that wait for the port.
  uint64_t VramRead(uint64_t at, uint64_t bytes, bool alone = false);
  uint64_t VramWrite(uint64_t at, uint64_t bytes);
  /// Returns the time at which the VRAM or host port accepted the most recent burst. Table reads do
  /// not count.
  uint64_t begun_ps() const { return begun_ps_; }
  /// Returns the first time, at or after `at`, when VRAM can accept another read burst.
  uint64_t VramReadFree(uint64_t at) const { return vram_reads_.Free(at); }

  /// Allocates the tags for a host read that is split into `requests` requests, and returns the
  /// time at which enough tags are free. The tags are freed when the read's last completion
  /// arrives, so call TagsEnd after the last Completion.
  uint64_t Tags(uint64_t at, uint64_t requests);
  void TagsEnd(uint64_t requests);
  /// Request sends a read request of at most `max_read_request` bytes, whose tag is already
  /// allocated, and returns its arrival time at the host. Then call Completion with the time at
  /// which the host has the data; it returns the time at which the GPU has the data. On the wire, a
  /// request waits only for packets that were ready before it, even if writes are already booked
  /// for later times. The same applies to the completion of a table read (`alone`).
  uint64_t Request(uint64_t at);
  uint64_t Completion(uint64_t at, uint64_t bytes, bool alone = false);
  /// Sends a write of at most `max_payload` bytes to the host. Returns the time at which the PCIe
  /// link has accepted the write, which arrives one link latency later. Then call Written with the
  /// time at which memory has the data.
  uint64_t Posted(uint64_t at, uint64_t bytes);
  void Written(uint64_t at) { posted_.End(at); }

  /// Down returns when a TLP from the CPU arrives at the device, Up when the device's response
  /// arrives at the CPU.
  uint64_t Down(uint64_t now, uint64_t bytes);
  uint64_t Up(uint64_t now, uint64_t bytes);
  /// Returns the time at which the CPU's store buffer can take another posted write.
  uint64_t RoomForPost(uint64_t now) const { return stores_.Free(now); }
  /// Issues a posted write from the CPU at `now`, or as soon as the store buffer has space. Returns
  /// the write's arrival time. The CPU continues PostPs after `now`.
  uint64_t Post(uint64_t now, uint64_t bytes);
  uint64_t PostPs() const;

  uint64_t CommandPs() const;       ///< from reading a command's header to starting its job
  uint64_t EntryPs() const;         ///< a ring entry without its reads and writes
  uint64_t InvalidationPs() const;  ///< an invalidation without the wait for accesses in flight
  /// Sets how many steps an invalidation takes to sweep the caches: the number of rows of the
  /// largest cache.
  void set_sweep_steps(uint64_t steps) { sweep_steps_ = steps; }
  uint64_t RegisterPs() const;  ///< a CPU access to a register; ConfigPs: to configuration space
  uint64_t ConfigPs() const;
  uint64_t PciePs(uint64_t bytes) const {
    return static_cast<uint64_t>(static_cast<double>(bytes + p_.tlp_overhead) * p_.pcie_ps_per_byte);
  }

 private:
  uint64_t Beats(uint64_t bytes) const;

  const TimeParameters p_;
  const Divisor period_, bus_, vram_beats_;
  uint64_t sweep_steps_ = 16;
  Calendar vram_read_, vram_write_;
  Wire up_, down_;
  Places vram_reads_, vram_writes_, tags_, requests_, completions_, write_buffer_, posted_;
  RecentEnds vram_ends_;
  Window stores_;
  uint64_t begun_ps_ = 0;
  uint64_t arrived_ps_ = 0;  ///< arrival time of the current read's last completion
};

}  // namespace gmmu::sim
