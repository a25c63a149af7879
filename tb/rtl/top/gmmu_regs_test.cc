// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tb/rtl/top/regs_machine.h"

namespace gmmu::top {
namespace {

TEST_P(Regs, KeepAndTellWhatTheirDescriptionSays) {
  for (int i = 0; i < 1200 && !HasFailure(); ++i) {
    uint32_t at = 0;
    switch (Random(0, 6)) {
      case 0: at = Random(0, 0x128); break;
      case 1: at = Random(0x80, 0x118); break;
      case 2: at = regs::kRingBase + Random(0, 4) * regs::kRingStride + Random(0, 0x48); break;
      case 3: at = regs::kSpaceBase + Random(0, 40 * (n + 1)) % 0x500; break;
      case 4: at = regs::kClientBase + Random(0, n == 1 ? 0x90 : 0x1000); break;
      case 5: at = regs::kSpaceBase + regs::kSpaceStride * Random(0, 70) + Random(0, 15); break;
      default: at = Random(0, 0xffff);
    }
    at &= ~7u;
    if (Chance(50)) Write(at, rng());
    if (Chance(60)) CheckRead(at);
    if (Chance(10)) Inputs();
  }
  Rest();
  EXPECT_EQ(told_, invalidations_);
  EXPECT_EQ(done_, operations_);
  EXPECT_GT(invalidations_, 1u);
  EXPECT_GT(operations_, invalidations_ + 5);
}

TEST_P(Regs, EveryRegisterReadsWhatItIsAndZeroAfterReset) {
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t at = 0; at < 0x5000; at += 8) {
      if (at < 0x200 || at % 0x100 < 0x50 || Chance(5)) CheckRead(at);
      if (pass == 0 && model.Keeps(at)) Write(at, ~0ull), CheckRead(at);
    }
    Rest();
    if (pass == 0) Reset(), model = RegsModel(kRegsSizes[n]), done_ = 0;
  }
}

TEST_P(Regs, WritesWaitUntilTheWindowHasSettled) {
  unsettled = 95;
  for (int i = 0; i < 60; ++i) Write(regs::InvStart::kOffset, rng());
  unsettled = 100;
  t.regs_window_settled_i[n] = 0;
  t.regs_addr_i[n] = regs::WindowBase::kOffset;
  Cycle();
  t.regs_window_settled_i[n] = 0;
  t.regs_wr_valid_i[n] = 1;
  t.regs_wr_data_i[n] = 0x5000;
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(Cycle());
  unsettled = 0;
  bool taken = false;
  for (int i = 0; i < 4 && !taken; ++i) taken = Cycle();
  EXPECT_TRUE(taken);
  t.regs_wr_valid_i[n] = 0;
  Cycle();
  EXPECT_EQ(t.regs_window_base_o[n], 0x5000u);
}

TEST_P(Regs, ARootWaitsForTheOperationBeforeItOthersDoNot) {
  unsettled = 0;
  const uint32_t space = RegsModel::SpaceAt(1);
  Write(space, 0x200'0000'0403);
  mmu_holds = true;
  Write(space + 8, 0x8001'0000'1234'5000);
  for (int i = 0; i < 20; ++i) Cycle();
  EXPECT_TRUE(regs::InvStatus{Read(regs::InvStatus::kOffset)}.busy());
  Write(regs::InvStart::kOffset, 0x1000);  // This write must not wait.
  Write(space, rng());                     // The next write of a root uses this geometry.
  Write(regs::InvCmd::kOffset, 0x102);     // This command is ignored: an operation is in progress.
  EXPECT_EQ(operations_, 1u);
  t.regs_addr_i[n] = space + 8;
  Cycle();
  t.regs_wr_valid_i[n] = 1;
  t.regs_wr_data_i[n] = 0x8000'0000'0000'7000;
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(Cycle());
  mmu_holds = false;
  bool taken = false;
  for (int i = 0; i < 60 && !taken; ++i) taken = Cycle();
  EXPECT_TRUE(taken);
  t.regs_wr_valid_i[n] = 0;
  Rest();
  EXPECT_EQ(operations_, 2u);
  EXPECT_EQ(told_, 0u) << "roots are no invalidations";
  Write(regs::InvCmd::kOffset, 0x102);
  Rest();
  EXPECT_EQ(told_, 1u);
  EXPECT_EQ(regs::InvStatus{Read(regs::InvStatus::kOffset)}.done(), 3u);
}

// A root's write must use its own space's geometry, even after an access to a ring's or client's
// register whose address has another space's number in the bits that select a space.
TEST_P(Regs, ARootTakesItsOwnGeometryWhateverIsAccessedBetweenThem) {
  unsettled = 0;
  const unsigned spaces = kRegsSizes[n].spaces;
  for (unsigned space = 0; space < std::min(spaces, 2u); ++space) {
    SCOPED_TRACE(testing::Message() << "space " << space);
    const uint32_t at = RegsModel::SpaceAt(space);
    for (unsigned other = 0; other < spaces; ++other) {
      Write(at, 0x200'0000'0403 | uint64_t{other} << 12);
      if (Chance(50)) CheckRead(regs::kRingBase + other * regs::kSpaceStride);
      else Write(0x3000 + other * regs::kSpaceStride, rng());  // no register is at that address
      Write(at + 8, 0x8001'0000'0000'0000 | uint64_t{other + 1} << 12);
      Rest();
    }
  }
}

TEST_P(Regs, InSilenceARootBehindAnOperationIsIgnored) {
  unsettled = 0;
  const uint32_t space = RegsModel::SpaceAt(1);
  Write(regs::Ctrl::kOffset, 2);
  mmu_holds = true;
  Write(regs::InvCmd::kOffset, 0x102);
  Write(space + 8, 0x8000'0000'0000'7000);
  Write(regs::Ctrl::kOffset, 0);  // This write is accepted before the root's update is complete.
  EXPECT_EQ(operations_, 1u);
  CheckRead(space + 8);
  mmu_holds = false;
  Rest();
  Write(space + 8, 0x8000'0000'0000'7000);
  CheckRead(space + 8);
  Rest();
  EXPECT_EQ(operations_, 2u);
}

TEST_P(Regs, AnInvalidationKeepsTheRangeOfItsCommand) {
  Write(regs::InvStart::kOffset, 0x1000);
  Write(regs::InvEnd::kOffset, 0x9000);
  mmu_holds = true;
  Write(regs::InvCmd::kOffset, 0x102);
  Write(regs::InvStart::kOffset, 0xdead'0000);
  Write(regs::InvEnd::kOffset, 0xbeef'0000);
  // Accesses to other registers must not change the operation's data.
  Read(RegsModel::SpaceAt(0) + 8);
  mmu_holds = false;
  Rest();
  EXPECT_EQ(told_, 1u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Regs, SizesAndSeeds(3, 6));

}  // namespace
}  // namespace gmmu::top
