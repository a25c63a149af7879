// SPDX-License-Identifier: Apache-2.0
#include "twin/time_model.h"

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kPostPs = 5'000;       // a posted write leaves the core
constexpr uint64_t kStoreBuffer = 16;     // posted writes that wait for the link
constexpr uint64_t kCommandCycles = 9;    // between the 7 of copies in a row and the 12 of one alone
constexpr uint64_t kEntryCycles = 30;     // entry judged, head and fence moved
constexpr uint64_t kRegisterCycles = 10;  // port, register file, answer
constexpr uint64_t kSweepCycles = 25;     // of an invalidation, beside the sets of the L2
constexpr uint64_t kWalkCycles = 10;      // of a walk, beside its reads
constexpr uint64_t kAnswerCycles = 20;    // slices and arbiters between a requester and its memory

}  // namespace

uint64_t TimeModel::Take(uint64_t& free, uint64_t now, uint64_t ps) {
  free = std::max(free, now) + ps;
  return free;
}

uint64_t TimeModel::Beats(uint64_t bytes) const {
  const uint64_t beats = (bytes + p_.bus_bytes - 1) / p_.bus_bytes;
  return beats * p_.vram_beat_cycles / p_.vram_beats;
}

/// Returns the PCIe link's time for `bytes` of payload in packets of `packet` bytes.
uint64_t TimeModel::PciePs(uint64_t bytes, uint64_t packet) const {
  const uint64_t packets = std::max<uint64_t>(1, (bytes + packet - 1) / packet);
  return static_cast<uint64_t>(static_cast<double>(bytes + packets * p_.tlp_overhead) * p_.pcie_ps_per_byte);
}

Cost TimeModel::Vram(uint64_t now, uint64_t bytes, bool write) {
  const uint64_t free = Take(write ? vram_write_free_ : vram_read_free_, now, Cycles(Beats(bytes)));
  return {free, free + Cycles(p_.vram_latency + kAnswerCycles)};
}

/// A read runs at the PCIe link's rate, or at what the reads in flight allow in a round trip, whichever is less.
Cost TimeModel::HostRead(uint64_t now, uint64_t bytes, uint64_t window, unsigned walk_reads) {
  const uint64_t requests = (bytes + p_.max_read_request - 1) / p_.max_read_request;
  const uint64_t up = Take(up_free_, now, PciePs(0, 1) * std::max<uint64_t>(1, requests));
  const uint64_t down = Take(down_free_, now, PciePs(bytes, p_.max_payload));
  const uint64_t trip = 2 * p_.pcie_latency_ps + p_.dram_ps + p_.iommu_lookup_ps + Cycles(kAnswerCycles) +
                        walk_reads * p_.dram_ps;
  const uint64_t allowed = now + trip * bytes / std::max<uint64_t>(window, 1);
  return {std::max(down, allowed), std::max(down, up) + trip};
}

/// A write is done when the PCIe link has taken it. Translations of the IOMMU overlap.
Cost TimeModel::HostWrite(uint64_t now, uint64_t bytes, unsigned walk_reads) {
  const uint64_t walk = walk_reads * p_.dram_ps / p_.iommu_walks;
  const uint64_t free = Take(up_free_, now, PciePs(bytes, p_.max_payload));
  return {std::max(free, now + walk), free + Cycles(kAnswerCycles)};
}

Cost TimeModel::Walk(uint64_t now, unsigned vram_reads, unsigned host_reads) const {
  const uint64_t host = 2 * p_.pcie_latency_ps + p_.dram_ps + p_.iommu_lookup_ps;
  const uint64_t ps = Cycles(kWalkCycles + uint64_t{vram_reads} * p_.vram_latency) + host_reads * host;
  return {now + ps / p_.walks, now + ps};
}

uint64_t TimeModel::Down(uint64_t now, uint64_t bytes) {
  return Take(down_free_, now, PciePs(bytes, p_.max_payload)) + p_.pcie_latency_ps;
}

uint64_t TimeModel::Up(uint64_t now, uint64_t bytes) {
  return Take(up_free_, now, PciePs(bytes, p_.max_payload)) + p_.pcie_latency_ps;
}

uint64_t TimeModel::AfterPost(uint64_t now, uint64_t bytes) const {
  const uint64_t queued = kStoreBuffer * PciePs(bytes, p_.max_payload);
  return std::max(now + kPostPs, down_free_ > queued ? down_free_ - queued : 0);
}

uint64_t TimeModel::CommandPs() const { return Cycles(kCommandCycles); }
uint64_t TimeModel::EntryPs() const { return Cycles(kEntryCycles); }
uint64_t TimeModel::InvalidationPs() const { return Cycles(kSweepCycles + p_.l2_sets); }
uint64_t TimeModel::RegisterPs() const { return Cycles(kRegisterCycles); }
uint64_t TimeModel::MessagePs() const { return p_.pcie_latency_ps + p_.iommu_lookup_ps; }

}  // namespace gmmu::sim::twin
