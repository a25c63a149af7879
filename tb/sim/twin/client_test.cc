// SPDX-License-Identifier: Apache-2.0
#include "twin/client.h"

#include "hw/crc32c.h"
#include "hw/traffic.h"
#include "tb/sim/twin/work.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;

TEST_F(Work, VerifiedRunsFindWhatWasChanged) {
  const auto verify = regs::ClientCtrl().set_verify(1);
  b.bare.Write(regs::kClientBase + regs::ClientSeed::kOffset, 55);
  const auto wrote = Client(regs::ClientCtrl(verify).set_access(regs::Access::kWrite), 0, 100);
  EXPECT_EQ(wrote.count(), 200u);
  EXPECT_EQ(Vram(0x11008), hw::AddressPattern(55, 0x1008));
  const uint64_t wrong = 0;
  b.bare.WriteVram(0x11008, &wrong, 8);
  EXPECT_EQ(Client(verify, 0, 100).count(), 100u);
  EXPECT_EQ(regs::ClientResult{b.bare.Read(regs::kClientBase + regs::ClientResult::kOffset)}.mismatches(), 1u);
}

TEST_F(Work, AClientEndsAtItsFirstFault) {
  const auto status = Client(regs::ClientCtrl(), 0x3F00, 10);
  EXPECT_EQ(status.reason(), Fault::kEntryInvalid);
  EXPECT_EQ(status.count(), 4u);
  EXPECT_EQ(b.bare.Read(regs::kClientBase + regs::ClientFaultAddress::kOffset), 0x4000u);
  EXPECT_EQ(regs::FaultRecordWhat{Host(kQueue)}.port_index(), 0u);
}

TEST_F(Work, AClientFollowsPointers) {
  const uint64_t next[4] = {0x2000, 0x4000, 0x3000, 0x1000};  // the last pointer, on page 1, points to an unmapped page
  for (uint64_t i = 0; i < 4; ++i) b.bare.WriteVram(0x10000 + i * 0x1000, &next[i], 8);
  EXPECT_EQ(Client(regs::ClientCtrl().set_pattern(regs::Pattern::kChase), 0, 9).count(), 4u);
  EXPECT_EQ(b.bare.Read(regs::kClientBase + regs::ClientFaultAddress::kOffset), 0x4000u);
  EXPECT_EQ(b.bare.Read(regs::kPortCountersBase), 5u);
}

/// A machine whose VRAM responds after 20 us, and whose space 1 maps two pages.
struct SlowVram : ::testing::Test {
  static MachineConfig Slow() {
    MachineConfig config = Config();
    config.gpu.vram_latency = 20'000;
    return config;
  }
  SlowVram() {
    b.bare.MapSpace({0x10000, 0x11000});
    b.bare.Write(regs::Ctrl::kOffset, 1);
  }
  /// Makes client `client` read 32 lines of page 0 in order.
  void Start(unsigned client) {
    const uint32_t at = regs::kClientBase + regs::kClientStride * client;
    b.bare.Write(at + regs::ClientLines::kOffset, regs::ClientLines().set_stride(1).raw);
    b.bare.Write(at + regs::ClientOrder::kOffset, regs::ClientOrder().set_count(32).set_step(1).raw);
    b.bare.Write(at, regs::ClientCtrl().set_start(1).set_space(1).raw);
  }
  bool Busy(unsigned client) {
    const uint32_t at = regs::kClientBase + regs::kClientStride * client;
    return regs::ClientStatus{b.bare.Read(at + regs::ClientStatus::kOffset)}.busy() != 0;
  }
  Bench b{Slow()};
};

TEST_F(SlowVram, AnInvalidationWaitsForWhatWasTranslatedBefore) {
  Start(0);
  while (b.bare.Read(regs::kPortCountersBase) < 32) ASSERT_TRUE(Busy(0));
  EXPECT_FALSE(b.machine.WaitForMessage(41'000));  // the walk's two table reads are in progress
  ASSERT_TRUE(Busy(0));                            // the client's reads are in flight
  b.bare.Write(regs::InvCmd::kOffset, regs::InvCmd().set_scope(regs::Scope::kSpace).set_space(1).raw);
  EXPECT_NE(regs::InvStatus{b.bare.Read(regs::InvStatus::kOffset)}.busy(), 0u);
  while (regs::InvStatus{b.bare.Read(regs::InvStatus::kOffset)}.busy() != 0) {}
  EXPECT_FALSE(b.machine.WaitForMessage(1'000));
  EXPECT_FALSE(Busy(0));
}

TEST_F(SlowVram, ATranslationThatWasInvalidatedIsAskedForAgain) {
  Start(0);
  while (b.bare.Read(regs::kPortCountersBase) < 32) ASSERT_TRUE(Busy(0));
  b.bare.InvalidateSpace();  // the walk is still in progress
  while (Busy(0)) {}
  EXPECT_EQ(b.bare.Read(regs::kPortCountersBase), 32u);  // a lookup that is replayed is counted once
  EXPECT_EQ(b.bare.Read(regs::kCountersBase + regs::CountersWalks::kOffset), 2u);
  EXPECT_EQ(regs::ClientStatus{b.bare.Read(regs::kClientBase + regs::ClientStatus::kOffset)}.count(), 32u);
}

/// The GPU is silenced before the lines have been translated, and the space is invalidated during
/// the silence. When the silence ends, the lines must be retranslated.
TEST_F(SlowVram, WhatSilenceAndAnInvalidationHoldBackReadsMemoryAfterIt) {
  std::vector<uint64_t> words(32 * 8);
  for (size_t i = 0; i < words.size(); ++i) words[i] = i + 1;
  b.bare.WriteVram(0x10000, words.data(), words.size() * 8);
  Start(0);
  while (b.bare.Read(regs::kPortCountersBase) < 32) ASSERT_TRUE(Busy(0));
  b.bare.Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).set_silence(1).raw);
  b.bare.Write(regs::InvCmd::kOffset, regs::InvCmd().set_scope(regs::Scope::kSpace).set_space(1).raw);
  EXPECT_FALSE(b.machine.WaitForMessage(200'000));
  ASSERT_TRUE(Busy(0));
  b.bare.Write(regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).raw);
  while (Busy(0)) {}
  const regs::ClientResult result{b.bare.Read(regs::kClientBase + regs::ClientResult::kOffset)};
  EXPECT_EQ(result.crc(), hw::Crc32c(0, words.data(), words.size() * 8));
}

}  // namespace
}  // namespace gmmu::sim::twin
