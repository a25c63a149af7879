// SPDX-License-Identifier: Apache-2.0
// Tests several GPUs and the link between them. tb/sim/platform has the same tests for the co-simulation.
#include "twin/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sim/host/linked.h"
#include "tb/sim/twin/bench.h"
#include "twin/gpu.h"

namespace gmmu::sim::twin {
namespace {

class Linked : public ::testing::TestWithParam<unsigned> {
 protected:
  ~Linked() override {
    for (const hw::Finding& finding : machine.Findings())  // some tests omit waits on purpose
      EXPECT_THAT(finding.probe, ::testing::EndsWith(".waits")) << finding.text;
    EXPECT_FALSE(machine.WaitForMessage(10'000));  // lets messages in flight arrive
    EXPECT_THAT(machine.ResourcesInUse(), ::testing::IsEmpty());
  }
  MachineConfig config = Config(1, GetParam());
  FastMachine machine{config};
};

TEST_P(Linked, RegistersAndVramAreEachGpusOwn) { RegistersAndVramAreEachGpusOwn(machine); }
TEST_P(Linked, CopiesGoToThePeersVramAndBack) { CopiesGoToThePeersVramAndBack(machine); }
TEST_P(Linked, ClientsReadThePeersVram) { ClientsReadThePeersVram(machine); }
TEST_P(Linked, TheFenceComesBehindThePeersAnswer) {
  TheFenceComesBehindThePeersAnswer(machine, 2 * config.link.latency_ns + config.gpu.vram_latency);
}
TEST_P(Linked, PeersThatAreNotLinkedAreAbsent) { PeersThatAreNotLinkedAreAbsent(machine); }
TEST_P(Linked, WhatTheLinkDoesNotReachIsABusError) {
  WhatTheLinkDoesNotReachIsABusError(machine, config.gpu.vram_bytes());
}
TEST_P(Linked, ARingSwitchedOnTakesWhatIsBelowItsTail) { ARingSwitchedOnTakesWhatIsBelowItsTail(machine); }
TEST_P(Linked, AllWriteIntoEachOtherAtOnce) { AllWriteIntoEachOtherAtOnce(machine); }
TEST_P(Linked, InterruptsAndRequestersAreEachGpusOwn) { InterruptsAndRequestersAreEachGpusOwn(machine); }

INSTANTIATE_TEST_SUITE_P(Gpus, Linked, ::testing::Values(2u, 3u, 4u), ::testing::PrintToStringParamName());

TEST(Peers, AnOutgoingAccessWaitsWhileTheHostPortIsClosedAndAnIncomingOneDoesNot) {
  FastMachine machine(Config(1, 2));
  LinkedMachine m(machine);
  m.FillVram(0, 1);
  machine.gpu(1).Silence(true);
  m.gpu(1).Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).set_silence(1).raw);
  EXPECT_TRUE(m.gpu(0).Execute(m.Copy(m.Own(), m.Of(1), 64)));  // a silenced GPU still accepts writes
  EXPECT_EQ(m.Vram(1, 0, 64), LinkedMachine::Pattern(1, 64));
  machine.gpu(1).Silence(false);
  m.gpu(1).Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).raw);
  machine.gpu(0).Silence(true);
  m.gpu(0).Submit(m.Copy(m.Own(), m.Of(1, 64), 64));
  EXPECT_FALSE(machine.WaitForMessage(100'000));
  machine.gpu(0).Silence(false);
  EXPECT_TRUE(m.gpu(0).Await());
  machine.gpu(0).Reset();
  EXPECT_EQ(m.gpu(0).Read(regs::Link::kOffset), 0u);
}

TEST(Peers, TheLinksRateAndLatencyAreTheConfigurations) {
  const auto time = [](uint64_t latency_ns, uint64_t bytes_per_ns) {
    MachineConfig config = Config(1, 2);
    config.link.latency_ns = latency_ns;
    config.link.bytes_per_ns = bytes_per_ns;
    FastMachine machine(config);
    LinkedMachine m(machine);
    const uint64_t began = machine.NowNs();
    std::vector<uint64_t> commands;
    for (int i = 0; i < 8; ++i) {
      const auto copy = m.Copy(m.Own(), m.Of(1), LinkedMachine::kBytes);
      commands.insert(commands.end(), copy.begin(), copy.end());
    }
    EXPECT_TRUE(m.gpu(0).Execute(commands));
    return machine.NowNs() - began;
  };
  const uint64_t fast = time(100, 64);
  EXPECT_GE(time(100, 1), 65'536u);
  EXPECT_LT(fast, 30'000u);
  EXPECT_GE(time(5'000, 64), fast + 9'000);
}

TEST(Peers, CountersAndFindingsNameTheUnit) {
  const uint64_t moved = regs::PteEntry().set_valid(1).set_target(regs::Target::kVram).set_page(0x11).raw;
  FastMachine machine(Config(1, 2));
  LinkedMachine m(machine);
  ASSERT_TRUE(m.gpu(0).Execute(m.Copy(m.Own(), m.Of(1), 4096)));
  uint64_t sent = 0, answered = 0, single = 0;
  for (const hw::Counter& c : machine.Counters()) {
    if (c.block == "unit0.link" && c.name == "payload") sent = c.value;
    if (c.block == "unit1.link" && c.name == "packets") answered = c.value;
  }
  EXPECT_EQ(sent, 4096u);
  EXPECT_EQ(answered, 0u);  // the twin sends no packets for write responses
  ASSERT_TRUE(m.gpu(1).ClientReads(1));
  m.gpu(1).WriteVram(0x2000, &moved, sizeof moved);
  machine.NoteFlush(1, 1, 0, ~uint64_t{0});  // no flush was made
  ASSERT_TRUE(m.gpu(1).ClientReads(1));
  EXPECT_THAT(machine.Findings(), ::testing::Contains(::testing::Field(&hw::Finding::probe, "unit1.translation")));
  FastMachine one(Config());
  for (const hw::Counter& c : one.Counters()) single += c.block.find("unit") == 0 || c.block == "link" ? 1 : 0;
  EXPECT_EQ(single, 0u);
}

}  // namespace
}  // namespace gmmu::sim::twin
