// SPDX-License-Identifier: Apache-2.0
#include "board/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sim/board/fake_board.h"

namespace gmmu::sim::board {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSample = 64 << 10, kForever = ~uint64_t{0} / 2;

FakeBoardOptions Small() {
  FakeBoardOptions options;
  options.config = FakeBoard::SmallConfig();
  return options;
}

std::vector<ProbeTest> Tests(const FakeBoardOptions& options, uint64_t bound_ns = kForever) {
  FakeBoard fake(options);
  BoardOptions at;
  at.port = fake.port();
  Board board(at);
  std::vector<ProbeTest> tests = TestVram(board, kSample, bound_ns);
  EXPECT_EQ(fake.violation(), "");
  return tests;
}

TEST(BoardProbe, SoundMemoryPasses) {
  const auto tests = Tests(Small());
  ASSERT_EQ(tests.size(), 3u);
  for (const ProbeTest& test : tests) EXPECT_TRUE(test.passed) << test.text;
  EXPECT_EQ(tests[2].bytes, kSample);
}

TEST(BoardProbe, AStuckDataLineIsFound) {
  FakeBoardOptions options = Small();
  options.stuck_data = uint64_t{1} << 41;
  const auto tests = Tests(options);
  EXPECT_FALSE(tests[0].passed);
  EXPECT_THAT(tests[0].text, HasSubstr("bits 0x20000000000 differ"));
}

TEST(BoardProbe, AStuckAddressLineIsFound) {
  FakeBoardOptions options = Small();
  options.stuck_address = 1 << 20;
  const auto tests = Tests(options);
  EXPECT_TRUE(tests[0].passed);
  EXPECT_FALSE(tests[1].passed);
}

TEST(BoardProbe, BadMemoryBetweenThePowersOfTwoIsFoundByTheSample) {
  FakeBoardOptions options = Small();
  options.bad_from = 30 << 20;
  const auto tests = Tests(options);
  EXPECT_TRUE(tests[1].passed);
  EXPECT_FALSE(tests[2].passed);
  EXPECT_THAT(tests[2].text, HasSubstr("VRAM offset 0x1e"));
}

TEST(BoardProbe, TheSampleEndsWithItsTimeAndSaysHowFarItCame) {
  const auto tests = Tests(Small(), /*bound_ns=*/1);
  EXPECT_TRUE(tests[2].passed);
  EXPECT_LT(tests[2].bytes, kSample);
  EXPECT_THAT(tests[2].text, HasSubstr("time was over"));
}

TEST(BoardProbe, TheLinkIsMeasured) {
  FakeBoard fake(Small());
  BoardOptions at;
  at.port = fake.port();
  Board board(at);
  const ProbeLink link = MeasureLink(board, 64 << 10, kForever);
  EXPECT_GT(link.round_trip_ns, 0u);
  EXPECT_GE(link.longest_ns, link.round_trip_ns);
  EXPECT_GT(link.read_rate, 0);
  EXPECT_GT(link.write_rate, 0);
  EXPECT_EQ(link.line_rate, 300'000);
  EXPECT_EQ(link.damaged_up + link.damaged_down, 0u);
}

}  // namespace
}  // namespace gmmu::sim::board
