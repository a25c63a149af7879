// SPDX-License-Identifier: Apache-2.0
// Tests several GPUs and the link between them in the co-simulation. tb/sim/twin has the same tests for the fast
// engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "platform/sc_engine.h"
#include "tb/sim/host/linked.h"

namespace gmmu::sim {
namespace {

MachineConfig Gpus(unsigned count) {
  MachineConfig config = MachineConfig::Default();
  config.gpu.count = count;
  return config;
}

void RunOn(const MachineConfig& config, const std::function<void(hw::Platform&)>& software,
           const EngineOptions& options = {}) {
  const auto engine = CreateRtl(config, options);
  engine->Run([&](hw::Platform& p) {
    software(p);
    EXPECT_THAT(p.instruments()->Findings(), ::testing::IsEmpty());
    EXPECT_FALSE(p.WaitForMessage(10'000));  // lets messages in flight arrive
    EXPECT_THAT(p.instruments()->ResourcesInUse(), ::testing::IsEmpty());
    return 0;
  });
}

class RtlLinked : public ::testing::TestWithParam<unsigned> {
 protected:
  const MachineConfig config = Gpus(GetParam());
};

TEST_P(RtlLinked, RegistersAndVramAreEachGpusOwn) { RunOn(config, RegistersAndVramAreEachGpusOwn); }
TEST_P(RtlLinked, InterruptsAndRequestersAreEachGpusOwn) { RunOn(config, InterruptsAndRequestersAreEachGpusOwn); }
TEST_P(RtlLinked, CopiesGoToThePeersVramAndBack) { RunOn(config, CopiesGoToThePeersVramAndBack); }
TEST_P(RtlLinked, ClientsReadThePeersVram) { RunOn(config, ClientsReadThePeersVram); }
TEST_P(RtlLinked, TheFenceComesBehindThePeersAnswer) {
  MachineConfig slow = config;
  slow.gpu.vram_latency = 3'000;
  slow.link.latency_ns = 4'000;
  RunOn(slow, [&](hw::Platform& p) { TheFenceComesBehindThePeersAnswer(p, 2 * 4'000 + 3'000); });
}
TEST_P(RtlLinked, PeersThatAreNotLinkedAreAbsent) { RunOn(config, PeersThatAreNotLinkedAreAbsent); }
TEST_P(RtlLinked, WhatTheLinkDoesNotReachIsABusError) {
  RunOn(config, [&](hw::Platform& p) { WhatTheLinkDoesNotReachIsABusError(p, config.gpu.vram_bytes()); });
}
TEST_P(RtlLinked, ARingSwitchedOnTakesWhatIsBelowItsTail) { RunOn(config, ARingSwitchedOnTakesWhatIsBelowItsTail); }
TEST_P(RtlLinked, AllWriteIntoEachOtherAtOnce) { RunOn(config, AllWriteIntoEachOtherAtOnce); }
TEST_P(RtlLinked, ANarrowLinkEndsToo) {
  MachineConfig narrow = config;
  narrow.link.bytes_per_ns = 1;
  narrow.gpu.vram_outstanding = 2;
  RunOn(narrow, AllWriteIntoEachOtherAtOnce);
}

INSTANTIATE_TEST_SUITE_P(Gpus, RtlLinked, ::testing::Values(2u, 4u), ::testing::PrintToStringParamName());

struct Figures {
  uint64_t cycles = 0, evaluated = 0;
  std::map<std::string, uint64_t> counters;
};

Figures Job(const MachineConfig& config, unsigned shuffle) {
  Figures figures;
  EngineOptions options;
  options.shuffle = shuffle;
  options.seed = 3;
  RunOn(
      config,
      [&](hw::Platform& p) {
        AllWriteIntoEachOtherAtOnce(p);
        figures.cycles = p.instruments()->Cycles();
        figures.evaluated = p.instruments()->CyclesEvaluated();
        for (const hw::Counter& c : p.instruments()->Counters()) figures.counters[c.block + "." + c.name] = c.value;
      },
      options);
  return figures;
}

TEST(RtlMachineOfTwo, RepeatsItselfInWhateverOrderItsModulesAreMade) {
  MachineConfig config = Gpus(2);
  config.gpu.vram_reorder = true;
  const Figures first = Job(config, 0);
  EXPECT_EQ(first.counters.count("unit1.gpu_engine.commands"), 1u);
  for (const unsigned shuffle : {1u, 7u, 23u}) {
    const Figures again = Job(config, shuffle);
    EXPECT_EQ(again.cycles, first.cycles) << shuffle;
    EXPECT_EQ(again.evaluated, first.evaluated) << shuffle;
    EXPECT_EQ(again.counters, first.counters) << shuffle;
  }
}

TEST(RtlMachineOfTwo, AQuietGpuCostsNothing) {
  const auto evaluated = [](unsigned gpus) {
    uint64_t cycles = 0;
    RunOn(Gpus(gpus), [&](hw::Platform& p) {
      BareMachine m(p);
      m.PowerOn();
      m.StartRing();
      EXPECT_TRUE(m.Execute(BareMachine::Copy(regs::Target::kSystem, 0x400000, regs::Target::kVram, 0, 65536)));
      cycles = p.instruments()->CyclesEvaluated();
    });
    return cycles;
  };
  EXPECT_LE(evaluated(4), evaluated(1) + 3 * 2'000);  // allows for the cache sweeps after reset
}

}  // namespace
}  // namespace gmmu::sim
