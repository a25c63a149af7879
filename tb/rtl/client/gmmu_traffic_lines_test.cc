// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

using regs::Pattern;

constexpr uint64_t kLineMask = ~uint64_t{0} >> 6;

/// Tests gmmu_traffic_lines: compares runs of every pattern with the software model of the
/// sequence.
class TrafficLines : public BlocksTest {
 protected:
  void Load(const hw::TrafficLines& run) {
    PutRun(t, RunBits{}, run);
    t.lines_load_i = 1;
    Step();
    t.lines_load_i = 0;
    EXPECT_FALSE(t.lines_ready_o);
    int cycles = 0;
    while (!t.lines_ready_o && cycles < 10) {
      EXPECT_FALSE(t.lines_valid_o);
      Step(), ++cycles;
    }
    EXPECT_TRUE(t.lines_ready_o) << "a few cycles";
  }
  /// Returns the next line, and accepts it after waiting `wait` cycles.
  uint64_t Next(unsigned wait) {
    int cycles = 0;
    while (!t.lines_valid_o && cycles < 10) Step(), ++cycles;
    EXPECT_TRUE(t.lines_valid_o) << "a line is missing";
    const uint64_t line = t.lines_line_o;
    for (unsigned i = 0; i < wait; ++i) {
      Step();
      EXPECT_TRUE(t.lines_valid_o);
      EXPECT_EQ(t.lines_line_o, line) << "an offer stands";
      if (i > 8) EXPECT_TRUE(t.lines_still_o);
    }
    t.lines_next_i = 1;
    Step();
    t.lines_next_i = 0;
    return line;
  }
  /// Supplies the next line of a chase, which the previous access's response contains.
  void Chase(uint64_t line) {
    t.lines_chase_valid_i = 1;
    t.lines_chase_line_i = line & kLineMask;
    Step();
    t.lines_chase_valid_i = 0;
  }
  void Expect(const hw::TrafficLines& run, unsigned lines) {
    hw::TrafficSequence sequence(run);
    for (unsigned i = 0; i < lines; ++i) {
      const unsigned wait = Chance(2) ? 15 : Stall() ? static_cast<unsigned>(Random(1, 3)) : 0;
      ASSERT_EQ(Next(wait), sequence.Next() >> 6) << "line " << i;
    }
  }
  hw::TrafficLines Draw() {
    hw::TrafficLines run;
    run.pattern = Chance(50) ? Pattern::kOrder : Pattern::kRandom;
    run.footprint_lg2 = static_cast<unsigned>(Chance(30) ? 0 : Random(1, 32));
    run.base = rng() & ~uint64_t{63};
    run.first = static_cast<uint32_t>(rng()) >> Random(0, 31);
    run.stride = static_cast<uint32_t>(rng()) >> Random(0, 31);
    run.count = std::max<uint32_t>(1, static_cast<uint32_t>(rng()) >> Random(0, 31));
    run.step = run.count == 1 ? 1 : static_cast<uint32_t>(Random(0, run.count - 1));
    run.seed = rng();
    return run;
  }
  void Step() override {
    Settle();
    const bool still = t.lines_still_o && t.lines_ready_o && !t.lines_next_i && !t.lines_chase_valid_i &&
                       !t.lines_load_i;
    const bool valid = t.lines_valid_o;
    const uint64_t line = t.lines_line_o;
    Edge();
    Settle();
    if (!still) return;
    EXPECT_TRUE(t.lines_still_o) << "nothing changes by itself";
    EXPECT_EQ(t.lines_valid_o, valid);
    if (valid) EXPECT_EQ(t.lines_line_o, line);
  }
};

TEST_P(TrafficLines, TheExamplesOfThePage) {
  hw::TrafficLines run;
  run.base = 0x10000000, run.first = 1, run.stride = 4, run.count = 512, run.step = 5;
  Load(run);
  for (uint64_t va : {0x10000040, 0x10000540, 0x10000A40}) EXPECT_EQ(Next(0), va >> 6);
  run.pattern = Pattern::kRandom, run.seed = 2463534242, run.footprint_lg2 = 8;
  Load(run);
  for (uint64_t x : {723471715u, 2497366906u, 2064144800u}) EXPECT_EQ(Next(0), (run.base >> 6) + x % 256);
}

TEST_P(TrafficLines, OrderWrapsAndSteps) {
  for (const auto& [count, step] : {std::pair<uint32_t, uint32_t>{1, 1},
                                    {2, 1},
                                    {3, 2},
                                    {8, 3},
                                    {7, 0},
                                    {5, 4},
                                    {0xffffffff, 0xfffffffe},
                                    {64, 1}}) {
    hw::TrafficLines run;
    run.base = 0x7fff00000000, run.first = 9, run.stride = 0x10001, run.count = count;
    run.step = step;
    SCOPED_TRACE(testing::Message() << "count " << count << " step " << step);
    Load(run);
    Expect(run, 40);
    run.footprint_lg2 = 5;
    Load(run);
    Expect(run, 40);
  }
}

TEST_P(TrafficLines, EveryFootprint) {
  for (unsigned lg2 = 0; lg2 <= 32; ++lg2) {
    hw::TrafficLines run = Draw();
    run.footprint_lg2 = lg2;
    for (Pattern pattern : {Pattern::kOrder, Pattern::kRandom}) {
      run.pattern = pattern;
      Load(run);
      Expect(run, 12);
    }
  }
}

TEST_P(TrafficLines, ASeedOfZeroIsOne) {
  hw::TrafficLines run;
  run.pattern = Pattern::kRandom;
  for (uint64_t seed : {uint64_t{0}, uint64_t{0x1234567812345678}, uint64_t{1}, uint64_t{1} << 32}) {
    run.seed = seed;
    Load(run);
    Expect(run, 5);
  }
}

TEST_P(TrafficLines, AChaseGoesWhereTheAnswerSays) {
  hw::TrafficLines run = Draw();
  run.pattern = Pattern::kChase;
  for (unsigned lg2 : {0u, 4u}) {  // A chase ignores the footprint.
    run.footprint_lg2 = lg2;
    Load(run);
    EXPECT_EQ(Next(12), ((run.base >> 6) + run.first) & kLineMask);
    for (int i = 0; i < 50; ++i) {
      for (unsigned k = 0; k < 12; ++k) {
        EXPECT_FALSE(t.lines_valid_o) << "nobody has named a line";
        Step();
      }
      EXPECT_TRUE(t.lines_still_o);
      const uint64_t line = rng() & kLineMask;
      Chase(line);
      EXPECT_EQ(Next(i % 3 ? 0 : 12), line);
    }
  }
}

TEST_P(TrafficLines, ALineEveryOtherCycle) {
  hw::TrafficLines run = Draw();
  Load(run);
  Next(0);
  const uint64_t begin = now;
  for (int i = 0; i < 100; ++i) Next(0);
  EXPECT_LE(now - begin, 200u);
}

TEST_P(TrafficLines, RandomRunsLoadedAnew) {
  for (int i = 0; i < 60; ++i) {
    const hw::TrafficLines run = Draw();
    Load(run);
    Expect(run, static_cast<unsigned>(Random(0, 30)));
    if (Chance(40)) {  // Sometimes a second pass over the same lines follows.
      Load(run);
      Expect(run, 10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TrafficLines, Seeds(8));

}  // namespace
}  // namespace gmmu::client
