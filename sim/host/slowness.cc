// SPDX-License-Identifier: Apache-2.0
#include "host/slowness.h"

#include <algorithm>
#include <cmath>

#include "host/config.h"
#include "settings/keys.h"

namespace gmmu::sim {
namespace {

/// Returns the time of one access that misses every cache, in ns.
double AccessNs(const MachineConfig& c) {
  const double cycle_ns = 1000.0 / static_cast<double>(c.gpu.clock_mhz);
  const uint64_t cycles = c.gpu.vram_latency + c.policy.step_cycles + c.policy.l1_cycles + c.policy.l2_cycles +
                          c.policy.l3_cycles + c.policy.pte_cache_cycles;
  const uint64_t dram_ps = c.host.dram_controller_ps + c.host.dram_trcd_ps + c.host.dram_trp_ps + c.host.dram_tcas_ps +
                           c.host.dram_burst_ps;
  const uint64_t iommu_ps = c.iommu.lookup_ps + c.iommu.descriptor_ps + 4 * dram_ps;
  return static_cast<double>(cycles) * cycle_ns +
         static_cast<double>(2 * c.pcie.latency_ps + dram_ps + iommu_ps) / 1000.0 +
         static_cast<double>(c.link.latency_ns);
}

/// Returns the time per byte of a long transfer over the slowest bus, in ns.
double ByteNs(const MachineConfig& c) {
  const double cycle_ns = 1000.0 / static_cast<double>(c.gpu.clock_mhz);
  const double vram = cycle_ns * static_cast<double>(c.gpu.vram_beat_cycles) /
                      static_cast<double>(c.gpu.vram_beats * c.gpu.data_bits / 8);
  const double refresh = c.host.dram_trefi_ps == 0
                             ? 1
                             : static_cast<double>(c.host.dram_trefi_ps) /
                                   static_cast<double>(c.host.dram_trefi_ps - c.host.dram_trfc_ps);
  const double dram = refresh * static_cast<double>(c.host.dram_burst_ps) / 1000.0 /
                      static_cast<double>(c.host.dram_burst_bytes);
  const double small = static_cast<double>(c.pcie.tlp_overhead + c.pcie.completion_boundary) /
                       static_cast<double>(c.pcie.completion_boundary);
  return std::max(
      {vram, dram, small * 1e9 / c.pcie.payload_bytes_per_second(), 1.0 / static_cast<double>(c.link.bytes_per_ns)});
}

/// Returns how many accesses can be in flight, limited by the scarcest resource.
double InFlight(const MachineConfig& c) {
  return static_cast<double>(
      std::min({c.gpu.vram_outstanding, c.gpu.reads_in_flight, c.pcie.tags, c.pcie.posted_headers,
                c.pcie.non_posted_headers, c.pcie.completion_headers, c.pcie.posted_data / 4,
                c.pcie.completion_data / 4, 4 * c.gpu.walks, 4 * c.iommu.walks}));
}

}  // namespace

uint64_t Slowness(const MachineConfig& config) {
  const MachineConfig usual = MachineConfig::Default();
  const double access = AccessNs(config) / AccessNs(usual);
  const double turns = access * std::max(1.0, InFlight(usual) / InFlight(config));
  return static_cast<uint64_t>(std::ceil(std::max({1.0, turns, ByteNs(config) / ByteNs(usual)})));
}

std::string KeysOfSpeed(const MachineConfig& config) {
  MachineConfig copy = config;
  std::string list;
  const settings::Keys keys = copy.Keys();
  for (const settings::Key* key : keys.all()) {
    const bool machine = key->section != "sim" && std::holds_alternative<uint64_t*>(key->place);
    if (machine && key->value() != key->initial) list += (list.empty() ? "" : ", ") + key->full_name();
  }
  return list;
}

}  // namespace gmmu::sim
