// SPDX-License-Identifier: Apache-2.0
#include "app/simulated.h"

#include <algorithm>

#include "app/commit.h"
#include "app/engines.h"
#include "host/machine_parts.h"
#include "hw/unit_names.h"
#include "replay/replay.h"
#include "workload/job.h"

namespace gmmu::app {

report::Limits SimulatedLimits(const sim::MachineConfig& config, const EngineKind& engine, uint64_t seed) {
  report::Limits limits;
  limits.clock_mhz = config.gpu.clock_mhz;
  limits.bus_bits = config.gpu.data_bits;
  if (engine.name != std::string(kDevice)) {
    limits.bus_bytes_per_second = static_cast<double>(config.gpu.data_bits) / 8 *
                                  static_cast<double>(config.gpu.clock_mhz) * 1e6;
    limits.link_bytes_per_second = config.pcie.payload_bytes_per_second();
  }
  limits.version = GMMU_VERSION;
  limits.commit = kCommit;
  limits.engine = engine.name;
  limits.timing = engine.timing;
  limits.seed = seed;
  return limits;
}

void Conclude(const sim::MachineConfig& config, workload::JobResult& result) {
  const uint64_t flip_after = config.inject.vram_flip.after_write_bytes;
  if (result.faults.empty() && result.not_applicable.empty() && flip_after != 0 &&
      hw::SumOfUnits(result.counters, "vram", "bits_flipped") == 0) {
    result.findings.push_back({"inject", "inject.vram_flip.after_write_bytes = " + std::to_string(flip_after) +
                                             ": fewer were written through the VRAM port"});
  }
  result.verified = result.verified && result.faults.empty();
}

void PreparePages(const replay::Options& options, Configuration& configuration) {
  if (options.page_size != replay::PageSize::k64k) return;
  configuration.driver.leaf_64k = true;
  if (options.memory == replay::Memory::kSystem) configuration.driver.system_64k = true;
}

replay::MachineFacts FactsOf(const Configuration& configuration) {
  const sim::MachineConfig::Gpu& gpu = configuration.machine.gpu;
  const DriverSettings& driver = configuration.driver;
  const uint64_t page = driver.leaf_64k && !driver.system_tables() ? 65'536 : 4096;
  const auto pages = [page](uint64_t bytes) { return (bytes + page - 1) / page * page; };
  const uint64_t save_area = driver.isolation ? driver.save_area_kib << 10 : 0;
  const uint64_t own = pages(gpu.aperture_bytes() / 512) + save_area;  // 8 bytes per 4 KiB page

  replay::MachineFacts facts;
  facts.client_ports = static_cast<unsigned>(gpu.clients);
  facts.va_bits = static_cast<unsigned>(gpu.va_bits);
  facts.period_ps = sim::PeriodPs(gpu);
  facts.vram_bytes = gpu.vram_bytes() - std::min(own, gpu.vram_bytes());
  facts.visible_bytes = std::min(facts.vram_bytes, gpu.window_bytes());
  if (driver.system_segment_kib != 0) facts.vram_bytes = facts.visible_bytes = driver.system_segment_kib << 10;
  if (driver.visible_vram_kib != 0) facts.visible_bytes = std::min(facts.visible_bytes, driver.visible_vram_kib << 10);
  unsigned shift = 12;
  for (size_t level = 0; level < gpu.page_table_bits.size(); ++level) {
    const uint64_t entries = uint64_t{8} << gpu.page_table_bits[level] << (driver.dual_pte && level == 1 ? 1 : 0);
    shift += static_cast<unsigned>(gpu.page_table_bits[level]);
    const uint64_t bytes =
        pages(std::max(entries, level < driver.page_table_bytes.size() ? driver.page_table_bytes[level] : 0));
    facts.levels.push_back({uint64_t{1} << shift, driver.system_tables() ? 0 : bytes});
  }
  return facts;
}

}  // namespace gmmu::app
