// SPDX-License-Identifier: Apache-2.0
// The fast engine: it makes a Machine with the parameters that follow from a configuration.
#include <string>

#include "platform/engine.h"
#include "platform/host_image.h"
#include "platform/machine_parts.h"
#include "twin/keyed_policy.h"
#include "twin/machine.h"

namespace gmmu::sim::twin {
namespace {

unsigned Small(uint64_t value) { return static_cast<unsigned>(value); }

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

GpuParameters GpuOf(const MachineConfig& c, unsigned unit) {
  GpuParameters p;
  p.built.clients = Small(c.gpu.clients);
  p.built.rings = Small(c.gpu.rings);
  p.built.spaces = Small(c.gpu.spaces);
  p.built.l1_entries = Small(c.gpu.l1_entries);
  p.built.l2_entries = Small(c.gpu.l2_entries);
  p.built.l2_ways = Small(c.gpu.l2_ways);
  p.built.walk_cache = Small(c.gpu.walk_cache);
  p.built.walks = Small(c.gpu.walks);
  p.built.reads_in_flight = Small(c.gpu.reads_in_flight);
  p.built.data_bits = Small(c.gpu.data_bits);
  p.built.va_bits = Small(c.gpu.va_bits);
  p.vram_bytes = c.gpu.vram_bytes(unit);
  p.config = ConfigSpaceOf(c.pcie);
  p.config.bar2_bytes = static_cast<uint32_t>(c.gpu.window_bytes(unit));
  p.timing = TimingOf(c);
  p.faults.flip_after = c.inject.vram_flip.after_write_bytes;
  p.faults.drop_fence = c.inject.drop_fence;
  p.checker = c.sim.checker;
  p.policy = PolicyOf(c);
  return p;
}

class FastEngine : public Engine {
 public:
  explicit FastEngine(const MachineConfig& config) : machine_(MachineParameters::From(config)) {}

  int Run(const std::function<int(hw::Platform&)>& software) override { return software(machine_); }
  void DumpHost(std::ostream& out) override { WriteHostImage(machine_.ram(), out); }
  std::string DumpMappings() override { return MappingsAsJson(machine_.iommu(), machine_.ram()); }

 private:
  Machine machine_;
};

}  // namespace

MachineParameters MachineParameters::From(const MachineConfig& config) {
  MachineParameters p;
  p.ram_bytes = config.host.memory_bytes();
  p.iommu = config.iommu.present;
  p.vtd = VtdOf(config.iommu);
  for (unsigned unit = 0; unit < config.gpu.count; ++unit) p.gpus.push_back(GpuOf(config, unit));
  p.gpu_link_latency_ps = config.link.latency_ns * 1000;
  p.gpu_link_bytes_per_ns = config.link.bytes_per_ns;
  p.mmio_bound_ns = config.gpu.mmio_bound_ns;
  p.reserved_bytes = config.host.gpu_reserved_kib << 10;
  p.late_interrupt_ns = config.inject.late_interrupt_ns;
  if (config.inject.lose_tag) p.in_use.push_back({"pcie_tag", "1 of the GPU's reads"});
  return p;
}

}  // namespace gmmu::sim::twin

namespace gmmu::sim {

std::unique_ptr<Engine> Engine::CreateFast(const MachineConfig& config, const EngineOptions& options) {
  if (!options.waves.empty()) {
    throw ConfigError(
        "the fast engine has no waves: it has no signals\n"
        "Give --engine rtl for them.");
  }
  const auto refuse = [](const char* key, const char* why) {
    throw ConfigError(std::string(key) + " means nothing on the fast engine: " + why + "\nGive --engine rtl for it.");
  };
  if (config.gpu.vram_reorder) refuse("gpu.vram_reorder", "its accesses are done in the order of their acts");
  if (config.pcie.completion_boundary != MachineConfig::Default().pcie.completion_boundary)
    refuse("pcie.completion_boundary", "it does not cut completions at addresses");
  return std::make_unique<twin::FastEngine>(config);
}

}  // namespace gmmu::sim
