// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/top/regs_machine.h"

namespace gmmu::top {
namespace {

TEST_P(Regs, KeepAndTellWhatTheirDescriptionSays) {
  for (int i = 0; i < 1200 && !HasFailure(); ++i) {
    uint32_t at = 0;
    switch (blocks.Random(0, 6)) {
      case 0: at = blocks.Random(0, 0x128); break;
      case 1: at = blocks.Random(0x80, 0x118); break;
      case 2: at = regs::kRingBase + blocks.Random(0, 4) * regs::kRingStride + blocks.Random(0, 0x48); break;
      case 3: at = regs::kSpaceBase + blocks.Random(0, 40 * (n + 1)) % 0x500; break;
      case 4: at = regs::kClientBase + blocks.Random(0, n == 1 ? 0x90 : 0x1000); break;
      case 5: at = regs::kSpaceBase + regs::kSpaceStride * blocks.Random(0, 70) + blocks.Random(0, 15); break;
      default: at = blocks.Random(0, 0xffff);
    }
    at &= ~7u;
    if (blocks.Chance(50)) Write(at, blocks.rng());
    if (blocks.Chance(60)) CheckRead(at);
    if (blocks.Chance(10)) Inputs();
  }
  Settle();
  EXPECT_EQ(told_, invalidations_);
  EXPECT_EQ(done_, operations_);
  EXPECT_GT(invalidations_, 1u);
  EXPECT_GT(operations_, invalidations_ + 5);
}

TEST_P(Regs, EveryRegisterReadsWhatItIsAndZeroAfterReset) {
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t at = 0; at < 0x5000; at += 8) {
      if (at < 0x200 || at % 0x100 < 0x50 || blocks.Chance(5)) CheckRead(at);
      if (pass == 0 && model.Keeps(at)) Write(at, ~0ull), CheckRead(at);
    }
    Settle();
    if (pass == 0) blocks.Reset(), model = RegsModel(kRegsSizes[n]), done_ = 0;
  }
}

TEST_P(Regs, WritesWaitUntilTheWindowHasSettled) {
  unsettled = 95;
  for (int i = 0; i < 60; ++i) Write(regs::InvStart::kOffset, blocks.rng());
  unsettled = 100;
  t.regs_window_settled_i[n] = 0;
  t.regs_addr_i[n] = regs::WindowBase::kOffset;
  Step();
  t.regs_window_settled_i[n] = 0;
  t.regs_wr_valid_i[n] = 1;
  t.regs_wr_data_i[n] = 0x5000;
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(Step());
  unsettled = 0;
  bool taken = false;
  for (int i = 0; i < 4 && !taken; ++i) taken = Step();
  EXPECT_TRUE(taken);
  t.regs_wr_valid_i[n] = 0;
  Step();
  EXPECT_EQ(t.regs_window_base_o[n], 0x5000u);
}

TEST_P(Regs, ARootWaitsForTheOperationBeforeItOthersDoNot) {
  unsettled = 0;
  const uint32_t space = RegsModel::SpaceAt(1);
  Write(space, 0x200'0000'0403);
  mmu_holds = true;
  Write(space + 8, 0x8001'0000'1234'5000);
  for (int i = 0; i < 20; ++i) Step();
  EXPECT_TRUE(regs::InvStatus{Read(regs::InvStatus::kOffset)}.busy());
  Write(regs::InvStart::kOffset, 0x1000);  // not held up
  Write(space, blocks.rng());              // of the next root
  Write(regs::InvCmd::kOffset, 0x102);     // ignored
  EXPECT_EQ(operations_, 1u);
  t.regs_addr_i[n] = space + 8;
  Step();
  t.regs_wr_valid_i[n] = 1;
  t.regs_wr_data_i[n] = 0x8000'0000'0000'7000;
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(Step());
  mmu_holds = false;
  bool taken = false;
  for (int i = 0; i < 60 && !taken; ++i) taken = Step();
  EXPECT_TRUE(taken);
  t.regs_wr_valid_i[n] = 0;
  Settle();
  EXPECT_EQ(operations_, 2u);
  EXPECT_EQ(told_, 0u) << "roots are no invalidations";
  Write(regs::InvCmd::kOffset, 0x102);
  Settle();
  EXPECT_EQ(told_, 1u);
  EXPECT_EQ(regs::InvStatus{Read(regs::InvStatus::kOffset)}.done(), 3u);
}

TEST_P(Regs, InSilenceARootBehindAnOperationIsIgnored) {
  unsettled = 0;
  const uint32_t space = RegsModel::SpaceAt(1);
  Write(regs::Ctrl::kOffset, 2);
  mmu_holds = true;
  Write(regs::InvCmd::kOffset, 0x102);
  Write(space + 8, 0x8000'0000'0000'7000);
  Write(regs::Ctrl::kOffset, 0);  // it does not wait behind the root
  EXPECT_EQ(operations_, 1u);
  CheckRead(space + 8);
  mmu_holds = false;
  Settle();
  Write(space + 8, 0x8000'0000'0000'7000);
  CheckRead(space + 8);
  Settle();
  EXPECT_EQ(operations_, 2u);
}

TEST_P(Regs, AnInvalidationKeepsTheRangeOfItsCommand) {
  Write(regs::InvStart::kOffset, 0x1000);
  Write(regs::InvEnd::kOffset, 0x9000);
  mmu_holds = true;
  Write(regs::InvCmd::kOffset, 0x102);
  Write(regs::InvStart::kOffset, 0xdead'0000);
  Write(regs::InvEnd::kOffset, 0xbeef'0000);
  Read(RegsModel::SpaceAt(0) + 8);  // nor does another register's address change it
  mmu_holds = false;
  Settle();
  EXPECT_EQ(told_, 1u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Regs, testing::Combine(testing::Range(0, 3), testing::Range(1, 7)));

}  // namespace
}  // namespace gmmu::top
