// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "tb/rtl/top/reg_port_machine.h"

namespace gmmu::top {
namespace {

TEST_P(RegPort, WritesAndReadsAsTheirStrobesAndHalvesSay) {
  AddRandom(600);
  Finish();
  EXPECT_GT(commits.size(), 50u);
}

TEST_P(RegPort, ReadsAndWritesOfferedTogetherAreAllAnswered) {
  together = true;
  AddRandom(600);
  Finish();
}

TEST_P(RegPort, ReadsPassAWriteUntilItHasBothItsAddressAndItsData) {
  together = true;
  for (bool& late : {std::ref(w_late), std::ref(aw_late), std::ref(w_late)}) {
    for (uint16_t at : {0x100, 0x108}) {
      late = true;
      writes.push_back({at, rng(), 0xff});
      if (at == 0x108) reads.push_back(0x208);  // offered together with AW or W
      TakeHalfOfAWrite();
      for (uint16_t offset : {0x200, 0x100, 0x204}) reads.push_back(offset);
      const size_t before = commits.size();
      FinishReads();
      Run(20);
      EXPECT_EQ(commits.size(), before) << "written without its other half";
      late = false;
      Finish();
      EXPECT_EQ(commits.size(), before + 1);
    }
  }
}

TEST_P(RegPort, HalvesOfWritesThatComeLongAfterEachOtherAreJoined) {
  together = true;
  lag = 100;
  AddRandom(300);
  Finish();
  EXPECT_GT(commits.size(), 20u);
}

TEST_P(RegPort, AReadBesideHalfAWriteWaitsWhileThePortIsStopped) {
  together = true;
  for (bool& late : {std::ref(w_late), std::ref(aw_late)}) {
    late = true;
    writes.push_back({0x100, rng(), 0xff});
    TakeHalfOfAWrite();
    t.reg_stop_i[n] = 1;
    reads.push_back(0x200);
    for (int steps = 0; steps < 100 && !stopped_; ++steps) Step();
    EXPECT_TRUE(stopped_) << "half a write keeps the port from stopping";
    Run(20);
    late = false;
    Run(20);
    t.reg_stop_i[n] = 0;
    Finish();
  }
}

TEST_P(RegPort, AHighHalfWritesOnlyBehindItsLowHalf) {
  EXPECT_EQ(Put(0x104, 1ull << 32, 0xf0), 2u);  // No low half was written since the reset.
  EXPECT_EQ(Put(0x100, 0x11111111, 0x0f), 0u);
  EXPECT_EQ(Put(0x10c, 2ull << 32, 0xf0), 2u);  // The stored low half belongs to another register.
  EXPECT_EQ(Put(0x104, 3ull << 32, 0xf0), 2u);  // The previous write discarded the low half.
  EXPECT_EQ(Put(0x100, 0x22222222, 0x0f), 0u);
  EXPECT_EQ(Put(0x100, 4, 0x01), 2u);  // A rejected write also discards the low half.
  EXPECT_EQ(Put(0x104, 5ull << 32, 0xf0), 2u);
  EXPECT_TRUE(commits.empty());
  EXPECT_EQ(Put(0x100, 0x33333333, 0x0f), 0u);
  Get(0x200);  // A read in between has no effect.
  EXPECT_EQ(Put(0x104, 0x4444444455555555, 0xf0), 0u);
  EXPECT_EQ(Put(0x104, 6ull << 32, 0xf0), 2u);  // The low half has been consumed.
  ASSERT_EQ(commits.size(), 1u);
  EXPECT_EQ(commits[0].data, 0x4444444433333333u);
  EXPECT_EQ(commits[0].address, 0x100u);
}

TEST_P(RegPort, AHighHalfReadBehindItsLowHalfIsOfTheSameMoment) {
  const uint64_t both = Get(0x100);
  EXPECT_EQ(Get(0x104) >> 32, both >> 32);
  EXPECT_NE(Get(0x104) >> 32, both >> 32) << "once";
  const uint64_t other = Get(0x108);
  EXPECT_NE(Get(0x104) >> 32, other >> 32);
  EXPECT_NE(Get(0x10c) >> 32, other >> 32) << "another read came between";
}

TEST_P(RegPort, ALongBusyReadHoldsItsAnswer) {
  busy_percent = 97;
  for (int i = 0; i < 20; ++i) reads.push_back(8 * i);
  Finish();
}

TEST_P(RegPort, AStoppedPortBeginsNothingAndLosesNothing) {
  for (bool both : {false, true}) {
    together = both;
    AddRandom(300);
    for (int i = 0; i < 60; ++i) {
      for (int steps = Random(0, 40); steps > 0; --steps) Step();
      t.reg_stop_i[n] = 1;
      for (int steps = 0; steps < 2000 && !stopped_; ++steps) Step();
      EXPECT_TRUE(stopped_) << "the access under way does not end";
      for (int steps = Random(0, 30); steps > 0; --steps) Step();
      t.reg_stop_i[n] = 0;
    }
    Finish();
  }
}

TEST_P(RegPort, ARegisterBlockInResetForgetsTheHalves) {
  EXPECT_EQ(Put(0x100, 0x11111111, 0x0f), 0u);
  t.reg_forget_i[n] = 1;
  Step();
  t.reg_forget_i[n] = 0;
  ForgetHalves();
  EXPECT_EQ(Put(0x104, 1ull << 32, 0xf0), 2u);
  Get(0x100);
  t.reg_forget_i[n] = 1;
  Step();
  t.reg_forget_i[n] = 0;
  ForgetHalves();
  Get(0x104);
  EXPECT_TRUE(commits.empty());
}

TEST_P(RegPort, ResetForgetsAKeptHalf) {
  EXPECT_EQ(Put(0x100, 0x11111111, 0x0f), 0u);
  Reset();
  t.reg_awvalid_i[n] = t.reg_wvalid_i[n] = 1;
  t.reg_bready_i[n] = 1;
  t.reg_awaddr_i[n] = 0x104;
  t.reg_wdata_i[n] = ~0ull;
  t.reg_wstrb_i[n] = 0xf0;
  bool answered = false;
  for (int i = 0; i < 20 && !answered; ++i) {
    Settle();
    EXPECT_FALSE(t.reg_wr_valid_o[n]);
    if (t.reg_bvalid_o[n]) EXPECT_EQ(t.reg_bresp_o[n], 2);
    answered = t.reg_bvalid_o[n];
    const bool taken = t.reg_awready_o[n];
    Edge();
    if (taken) t.reg_awvalid_i[n] = t.reg_wvalid_i[n] = 0;
  }
  EXPECT_TRUE(answered);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RegPort, SizesAndSeeds(2, 8));

}  // namespace
}  // namespace gmmu::top
