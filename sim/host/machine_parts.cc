// SPDX-License-Identifier: Apache-2.0
#include "host/machine_parts.h"

namespace gmmu::sim {
namespace {

unsigned Small(uint64_t value) { return static_cast<unsigned>(value); }

}  // namespace

hw::Bdf BdfOf(unsigned unit) {
  hw::Bdf bdf;
  bdf.bus = static_cast<uint8_t>(1 + unit);
  return bdf;
}

uint64_t PeriodPs(const MachineConfig::Gpu& c) { return (1'000'000 + c.clock_mhz / 2) / c.clock_mhz; }

PcieParameters PcieOf(const MachineConfig::Pcie& c) {
  PcieParameters p;
  p.generation = Small(c.generation);
  p.lanes = Small(c.lanes);
  p.tlp_overhead = Small(c.tlp_overhead);
  p.link_layer_ppm = Small(c.link_layer_ppm);
  p.max_payload = Small(c.max_payload);
  p.max_read_request = Small(c.max_read_request);
  p.read_completion_boundary = Small(c.completion_boundary);
  p.tags = Small(c.tags);
  p.latency_ps = c.latency_ps;
  const auto credits = [](uint64_t headers, uint64_t data) { return PcieCredits{Small(headers), Small(data)}; };
  p.credits[static_cast<size_t>(TlpKind::kPosted)] = credits(c.posted_headers, c.posted_data);
  p.credits[static_cast<size_t>(TlpKind::kNonPosted)] = credits(c.non_posted_headers, c.non_posted_headers);
  p.credits[static_cast<size_t>(TlpKind::kCompletion)] = credits(c.completion_headers, c.completion_data);
  return p;
}

ConfigSpaceParameters ConfigSpaceOf(const MachineConfig::Pcie& c) {
  ConfigSpaceParameters p;
  p.max_payload = Small(c.max_payload);
  p.max_read_request = Small(c.max_read_request);
  p.link_generation = Small(c.generation);
  p.link_lanes = Small(c.lanes);
  return p;
}

DramParameters DramOf(const MachineConfig::Host& c) {
  DramParameters p;
  p.channels = Small(c.dram_channels);
  p.banks = Small(c.dram_banks);
  p.row_bytes = Small(c.dram_row_bytes);
  p.burst_bytes = Small(c.dram_burst_bytes);
  p.burst_ps = c.dram_burst_ps;
  p.trcd_ps = c.dram_trcd_ps;
  p.trp_ps = c.dram_trp_ps;
  p.tcas_ps = c.dram_tcas_ps;
  p.controller_ps = c.dram_controller_ps;
  p.trefi_ps = c.dram_trefi_ps;
  p.trfc_ps = c.dram_trfc_ps;
  return p;
}

RemapperParameters RemapperParametersOf(const MachineConfig::Iommu& c) {
  RemapperParameters p;
  p.caches_refusals = c.caching_mode;
  p.write_buffer = c.write_buffer_flush;
  p.largest_page_lg2 = c.largest_page == IommuPage::k4k ? 12 : c.largest_page == IommuPage::k2m ? 21 : 30;
  p.fault_records = Small(c.fault_records);
  p.device_entries = Small(c.context_entries);
  p.tlb_sets = Small(c.iotlb_sets);
  p.tlb_ways = Small(c.iotlb_ways);
  p.table_entries = Small(c.paging_entries);
  p.interrupt_remapping = c.interrupt_remapping;
  return p;
}

std::unique_ptr<Remapper> RemapperOf(const MachineConfig::Iommu& c) {
  return c.present ? Remapper::Make(RemapperParametersOf(c)) : nullptr;
}

TimeParameters TimingOf(const MachineConfig& c) {
  TimeParameters t;
  t.period_ps = PeriodPs(c.gpu);
  t.bus_bytes = Small(c.gpu.data_bits / 8);
  t.vram_latency = Small(c.gpu.vram_latency);
  t.vram_beats = Small(c.gpu.vram_beats);
  t.vram_beat_cycles = Small(c.gpu.vram_beat_cycles);
  t.vram_outstanding = Small(c.gpu.vram_outstanding);
  t.engine_reads = Small(c.gpu.reads_in_flight);
  t.pcie_ps_per_byte = 8e12 / TlpBitsPerSecond(PcieOf(c.pcie));
  t.tlp_overhead = Small(c.pcie.tlp_overhead);
  t.max_payload = Small(c.pcie.max_payload);
  t.max_read_request = Small(c.pcie.max_read_request);
  t.pcie_latency_ps = c.pcie.latency_ps;
  t.tags = Small(c.pcie.tags);
  t.posted_headers = Small(c.pcie.posted_headers);
  t.posted_data = Small(c.pcie.posted_data);
  t.completion_headers = Small(c.pcie.completion_headers);
  t.completion_data = Small(c.pcie.completion_data);
  t.non_posted_headers = Small(c.pcie.non_posted_headers);
  t.dram = DramOf(c.host);
  t.iommu_lookup_ps = c.iommu.lookup_ps;
  t.iommu_descriptor_ps = c.iommu.descriptor_ps;
  t.iommu_walks = Small(c.iommu.walks);
  return t;
}

hw::InUse LostTag() { return {"pcie_tag", "1 of the GPU's reads"}; }

void AddCpuCounters(uint64_t requests, uint64_t writes, std::vector<hw::Counter>& all) {
  all.push_back(
      {"root_complex", "cpu_requests", requests, "requests", "Register, window and configuration reads of the CPU."});
  all.push_back({"root_complex", "cpu_writes", writes, "requests", "Posted writes of the CPU."});
}

}  // namespace gmmu::sim
