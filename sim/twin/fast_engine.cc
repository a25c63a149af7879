// SPDX-License-Identifier: Apache-2.0
// Builds the fast engine's machine from a configuration.
#include "twin/fast_engine.h"

#include "host/config.h"
#include "host/machine_parts.h"
#include "iommu/remapper.h"
#include "twin/gpu.h"
#include "twin/keyed_policy.h"

namespace gmmu::sim::twin {
namespace {

unsigned Small(uint64_t value) { return static_cast<unsigned>(value); }

}  // namespace

GpuParameters GpuParameters::From(const MachineConfig& c, unsigned unit) {
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

FastMachine::FastMachine(const MachineConfig& config) : FastMachine(config, nullptr) {}

FastMachine::FastMachine(const MachineConfig& config, std::unique_ptr<Remapper> remapper)
    : PlainMachine(config, TimingOf(config), 0, std::move(remapper)) {}

std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const EngineOptions& options) {
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
  return std::make_unique<PlainEngine<FastMachine>>(config);
}

}  // namespace gmmu::sim::twin
