// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_control alone. The bench models its neighbours (a pipeline that drains, ports that
// hold responses, walks that become stale) and checks every cycle against the block's contract.
#include "tb/rtl/mmu/control_world.h"

namespace gmmu::bench {
namespace {

TEST_P(ControlTest, AfterResetEverythingIsSweptOnce) {
  ASSERT_NO_FATAL_FAILURE(Start(true));
  ASSERT_NO_FATAL_FAILURE(IdleCycles(50));
}

TEST_P(ControlTest, TheKillWaitsUntilQuietLasts) {
  ASSERT_NO_FATAL_FAILURE(Start());
  for (unsigned scope : {kGlobal, kSpace, kRange}) {
    for (unsigned early = 0; early < 5; ++early) {
      ControlOp op;
      op.scope = scope;
      op.space = 1;
      op.start = 0x5000;
      op.end = 0x9001;
      World world;
      world.quiet.assign(early, true);
      world.quiet.resize(early + 300, false);
      ASSERT_NO_FATAL_FAILURE(Run(op, world));
    }
  }
}

TEST_P(ControlTest, DoneWaitsForAnswersOfTheOldGenerationAndForStaleReadsAlone) {
  ASSERT_NO_FATAL_FAILURE(Start());
  for (int i = 0; i < 4; ++i) {  // Four rounds cover both generations.
    for (int lag = 0; lag < 5; ++lag) {
      ASSERT_NO_FATAL_FAILURE(Run({}, {{}, lag, 300, 0, false}));
    }
    ASSERT_NO_FATAL_FAILURE(Run({}, {{}, 0, 0, 300, false}));
    ASSERT_NO_FATAL_FAILURE(Run({}, {{}, 0, 40, 40, true}));
    ASSERT_NO_FATAL_FAILURE(Run({}, Easy()));
  }
}

TEST_P(ControlTest, ARangeIsSweptFromItsFirstToItsLastPage) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const uint64_t top = uint64_t{1} << 48, all = ~uint64_t{0};
  const std::pair<uint64_t, uint64_t> ranges[] = {{0, 1},           {0, 0x1000},
                                                  {0, 0x1001},      {0xFFF, 0x1000},
                                                  {0xFFF, 0x1001},  {0x1000, 0x1000},
                                                  {0x2000, 0x1000}, {0, 0},
                                                  {0, top},         {0, top + 1},
                                                  {0, all},         {top - 1, top},
                                                  {top - 1, all},   {top, top + 1},
                                                  {top, all},       {all, 0},
                                                  {all - 1, all},   {0x7654321000, 0x7654322000},
                                                  {5, 4},           {uint64_t{1} << 63, all},
                                                  {0x1000, 0},      {top - 0x1000, top - 0xFFF}};
  for (const auto& [start, end] : ranges) {
    ControlOp op;
    op.scope = kRange;
    op.space = Random(Spaces());
    op.start = start;
    op.end = end;
    ASSERT_NO_FATAL_FAILURE(Run(op, Easy())) << std::hex << start << ' ' << end;
  }
}

TEST_P(ControlTest, AnEqualSpaceIsOnlyAcknowledgedAndEveryChangedBitFlushes) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ControlOp op;
  op.set = true;
  for (op.space = 0; op.space < Spaces(); ++op.space) {
    // All-zero fields may equal the RAM's power-on contents: the first write must still take
    // effect.
    op.config = {};
    ASSERT_EQ(Run(op, Easy()), Flush::kDone);
    ASSERT_EQ(Run(op, Easy()), Flush::kOnlyAcknowledged);
    op.config = AnyConfig();
    ASSERT_EQ(Run(op, Easy()), Flush::kDone);
    if (HasFatalFailure()) return;
  }
  op.space = Random(Spaces());
  for (unsigned bit = 0; bit < 1 + 2 + 6 + 48 + 32 + 3 + 24; ++bit) {
    unsigned b = bit;
    Config& c = op.config;
    if (b < 48) c.offset ^= uint64_t{1} << b;
    else if ((b -= 48) < 32) c.entries ^= 1u << b;
    else if ((b -= 32) < 24) c.bits ^= 1u << b;
    else if ((b -= 24) < 6) c.adapter ^= 1u << b;
    else if ((b -= 6) < 3) c.levels ^= 1u << b;
    else if ((b -= 3) < 2) c.target ^= 1u << b;
    else c.enable = !c.enable;
    if (bit == 0) ASSERT_NO_FATAL_FAILURE(Run(op, Easy()));  // writes the initial configuration
    if (bit > 0) ASSERT_EQ(Run(op, Easy()), Flush::kDone) << "bit " << bit;
    ASSERT_EQ(Run(op, Easy(), &op), Flush::kOnlyAcknowledged) << "bit " << bit;
    if (HasFatalFailure()) return;
  }
}

TEST_P(ControlTest, ResetInTheMiddleSweepsAgainAndForgetsTheSpaces) {
  for (int i = 0; i < 60; ++i) {
    ASSERT_NO_FATAL_FAILURE(Start());
    ControlOp op;
    op.set = true;
    op.space = Random(Spaces());
    op.config = AnyConfig();
    ASSERT_EQ(Run(op, Slow()), Flush::kDone);
    ControlOp other = AnyOp();
    for (unsigned cycles = Random(60); cycles > 0; --cycles) {
      Drive(other, true);
      Noise();
      t.quiet_i = 1;
      Step();
    }
    t.ctl_valid_i = 0;
    Reset();
    ASSERT_NO_FATAL_FAILURE(Start());
    ASSERT_EQ(Run(op, Easy()), Flush::kDone);
    Reset();
    if (HasFatalFailure()) return;
  }
}

TEST_P(ControlTest, FollowsTheContractUnderRandomOperations) {
  ASSERT_NO_FATAL_FAILURE(Start());
  unsigned flushes = 0, acknowledged = 0;
  ControlOp op = AnyOp();
  for (int i = 0; i < 600; ++i) {
    const ControlOp next = AnyOp();
    const bool offered = Random(2) == 0;
    const Flush flush = Run(op, Random(3) == 0 ? Easy() : Slow(), offered ? &next : nullptr);
    if (HasFatalFailure()) FAIL() << "operation " << i;
    flush == Flush::kDone ? ++flushes : ++acknowledged;
    if (!offered) ASSERT_NO_FATAL_FAILURE(IdleCycles(1 + Random(5)));
    op = next;
  }
  EXPECT_GT(flushes, 300u);
  EXPECT_GT(acknowledged, 40u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ControlTest, SizesAndSeeds(3, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
