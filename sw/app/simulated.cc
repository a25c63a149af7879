// SPDX-License-Identifier: Apache-2.0
#include "app/simulated.h"

#include "app/commit.h"

namespace gmmu::app {

report::Limits SimulatedLimits(const sim::MachineConfig& config, const std::string& engine, uint64_t seed) {
  report::Limits limits;
  limits.clock_mhz = config.gpu.clock_mhz;
  limits.bus_bits = config.gpu.data_bits;
  limits.bus_bytes_per_second = static_cast<double>(config.gpu.data_bits) / 8 *
                                static_cast<double>(config.gpu.clock_mhz) * 1e6;
  limits.link_bytes_per_second = config.pcie.payload_bytes_per_second();
  limits.version = GMMU_VERSION;
  limits.commit = kCommit;
  limits.engine = engine;
  limits.timing = engine == kFast || engine == kDevice ? "estimated" : "exact";
  limits.seed = seed;
  return limits;
}

void PreparePages(const replay::Options& options, const std::string& file, Configuration& configuration) {
  if (options.page_size != replay::PageSize::k64k) return;
  if (configuration.stated.count("driver.leaf_64k") != 0 && !configuration.driver.leaf_64k)
    throw settings::Error("pages of 64k need driver.leaf_64k = true, which " + file + " sets to false");
  configuration.driver.leaf_64k = true;
  if (options.memory == replay::Memory::kSystem) configuration.driver.system_64k = true;
}

std::unique_ptr<sim::Engine> MakeSimulated(const std::string& engine, const sim::MachineConfig& config,
                                           const sim::EngineOptions& options) {
#ifdef GMMU_RTL_ENGINE
  if (engine != kFast) return sim::Engine::CreateRtl(config, options);
#endif
  (void)engine;
  return sim::Engine::CreateFast(config, options);
}

}  // namespace gmmu::app
