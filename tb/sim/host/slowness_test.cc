// SPDX-License-Identifier: Apache-2.0
// Tests the estimate of how much slower a machine is than the default machine.
#include "host/slowness.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "host/config.h"

namespace gmmu::sim {
namespace {

uint64_t With(const std::function<void(MachineConfig&)>& change) {
  MachineConfig config = MachineConfig::Default();
  change(config);
  return Slowness(config);
}

TEST(Slowness, IsOneForTheDefaultMachineAndForFasterOnes) {
  EXPECT_EQ(Slowness(MachineConfig::Default()), 1u);
  EXPECT_EQ(With([](auto& c) { c.gpu.clock_mhz = 10'000, c.pcie.latency_ps = 1'000, c.pcie.generation = 5; }), 1u);
}

// A change by a factor of 64 slows the machine down by a factor of at least 6, not 64, because the
// other parts of an access also take time.
TEST(Slowness, GrowsWithEveryPartOfAnAccess) {
  const std::vector<std::function<void(MachineConfig&)>> changes = {
      [](auto& c) { c.gpu.clock_mhz /= 64; },      [](auto& c) { c.gpu.vram_latency *= 64; },
      [](auto& c) { c.gpu.vram_outstanding = 1; }, [](auto& c) { c.gpu.vram_beat_cycles = 64; },
      [](auto& c) { c.pcie.latency_ps *= 64; },    [](auto& c) { c.pcie.tags = 1; },
      [](auto& c) { c.pcie.posted_headers = 1; },  [](auto& c) { c.pcie.link_layer_ppm /= 64; },
      [](auto& c) { c.link.latency_ns *= 640; },   [](auto& c) { c.host.dram_controller_ps *= 64; },
      [](auto& c) { c.iommu.lookup_ps *= 640; },   [](auto& c) { c.policy.step_cycles = 6'400; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_GE(With(changes[i]), 6u) << i;
    EXPECT_LE(With(changes[i]), 640u) << i;
  }
}

}  // namespace
}  // namespace gmmu::sim
