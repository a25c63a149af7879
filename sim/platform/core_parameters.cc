// SPDX-License-Identifier: Apache-2.0
#include "platform/core_parameters.h"

namespace gmmu::sim {
namespace {

unsigned Small(uint64_t value) { return static_cast<unsigned>(value); }

}  // namespace

PcieParameters PcieOf(const MachineConfig::Pcie& config) {
  PcieParameters p;
  p.generation = Small(config.generation);
  p.lanes = Small(config.lanes);
  p.tlp_overhead = Small(config.tlp_overhead);
  p.link_layer_ppm = Small(config.link_layer_ppm);
  p.max_payload = Small(config.max_payload);
  p.max_read_request = Small(config.max_read_request);
  p.read_completion_boundary = Small(config.completion_boundary);
  p.tags = Small(config.tags);
  p.latency_ps = config.latency_ps;
  const auto credits = [](uint64_t headers, uint64_t data) {
    return PcieCredits{Small(headers), Small(data)};
  };
  p.credits[static_cast<size_t>(TlpKind::kPosted)] = credits(config.posted_headers, config.posted_data);
  p.credits[static_cast<size_t>(TlpKind::kNonPosted)] =
      credits(config.non_posted_headers, config.non_posted_headers);
  p.credits[static_cast<size_t>(TlpKind::kCompletion)] =
      credits(config.completion_headers, config.completion_data);
  return p;
}

DramParameters DramOf(const MachineConfig::Host& config) {
  DramParameters p;
  p.channels = Small(config.dram_channels);
  p.banks = Small(config.dram_banks);
  p.row_bytes = Small(config.dram_row_bytes);
  p.burst_bytes = Small(config.dram_burst_bytes);
  p.burst_ps = config.dram_burst_ps;
  p.trcd_ps = config.dram_trcd_ps;
  p.trp_ps = config.dram_trp_ps;
  p.tcas_ps = config.dram_tcas_ps;
  p.controller_ps = config.dram_controller_ps;
  p.trefi_ps = config.dram_trefi_ps;
  p.trfc_ps = config.dram_trfc_ps;
  return p;
}

VtdParameters VtdOf(const MachineConfig::Iommu& config) {
  VtdParameters p;
  p.caching_mode = config.caching_mode;
  p.rwbf = config.write_buffer_flush;
  p.num_fault_records = Small(config.fault_records);
  p.context_entries = Small(config.context_entries);
  p.iotlb_sets = Small(config.iotlb_sets);
  p.iotlb_ways = Small(config.iotlb_ways);
  p.psc_entries = Small(config.paging_entries);
  return p;
}

}  // namespace gmmu::sim
