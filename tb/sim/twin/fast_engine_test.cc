// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "tb/sim/twin/bench.h"
#include "twin/fast_engine.h"

namespace gmmu::sim::twin {
namespace {

TEST(FastEngine, PassesResultsAndExceptionsAndRefusesWaves) {
  EXPECT_EQ(sim::twin::CreateEngine(Config(), {})->Run([](hw::Platform&) { return 42; }), 42);
  const auto throws = [](hw::Platform&) -> int { throw std::out_of_range("x"); };
  EXPECT_THROW(sim::twin::CreateEngine(Config(), {})->Run(throws), std::out_of_range);
  EngineOptions waves;
  waves.waves = "x.fst";
  EXPECT_THROW(sim::twin::CreateEngine(Config(), waves), ConfigError);
}

TEST(FastEngine, RefusesKeysThatItIgnores) {
  MachineConfig config = Config();
  config.gpu.vram_reorder = true;
  EXPECT_THROW(sim::twin::CreateEngine(config, {}), ConfigError);
  config = Config();
  config.pcie.completion_boundary = 128;
  EXPECT_THROW(sim::twin::CreateEngine(config, {}), ConfigError);
}

}  // namespace
}  // namespace gmmu::sim::twin
