// SPDX-License-Identifier: Apache-2.0
#include "board/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine.h"
#include "hw/gmmu_regs.h"
#include "tb/sim/board/fake_board.h"

namespace gmmu::sim::board {
namespace {

using ::testing::HasSubstr;

BoardOptions At(const FakeBoard& fake) {
  BoardOptions options;
  options.port = fake.port();
  return options;
}

FakeBoardOptions Small() {
  FakeBoardOptions options;
  options.config = FakeBoard::SmallConfig();
  return options;
}

std::string Refusal(const FakeBoardOptions& options) {
  const FakeBoard fake(options);
  try {
    Board board(At(fake));
  } catch (const BoardError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Board, TellsWhatItIs) {
  FakeBoard fake(Small());
  const Board board(At(fake));
  EXPECT_EQ(board.identity().name, "fake");
  EXPECT_EQ(board.identity().version, uint64_t{kProtocolVersion});
  EXPECT_EQ(BuildName(board.identity().build), "1122334455667788");
  EXPECT_EQ(board.identity().clock_hz, 80'000'000u);
  EXPECT_EQ(board.identity().vram_bytes, 32u << 20);
  EXPECT_EQ(board.line_rate(), 3e6);
  EXPECT_EQ(regs::Cap0{board.identity().cap0}.clients(), 2u);
  EXPECT_EQ(fake.violation(), "");
}

TEST(Board, KeepsTheOrderOfItsRequestsWithinTheBoardsRoom) {
  FakeBoard fake(Small());
  Board board(At(fake));
  for (uint64_t i = 0; i < 2'000; ++i) board.Post(WriteRegister(regs::InvStart::kOffset, 0xFF, i), "a write");
  EXPECT_EQ(board.AskWord(ReadRegister(regs::InvStart::kOffset), "a read"), 1'999u);
  std::vector<Bytes> requests;
  for (unsigned i = 0; i < 1'000; ++i)
    requests.push_back(ReadRegister(i % 2 != 0 ? regs::Cap0::kOffset : regs::Id::kOffset));
  const auto answers = board.Ask(requests, "reads");
  ASSERT_EQ(answers.size(), 1'000u);
  for (unsigned i = 0; i < 1'000; ++i)
    EXPECT_EQ(answers[i].words.at(0), i % 2 != 0 ? board.identity().cap0 : board.identity().id);
  EXPECT_EQ(fake.violation(), "");
}

TEST(Board, TakesTheNextSessionOfTheSameBoard) {
  FakeBoard fake(Small());
  { Board first(At(fake)); }
  Board second(At(fake));
  EXPECT_EQ(second.AskWord(ReadBoard(kVramBytes), "VRAM"), 32u << 20);
}

TEST(Board, RefusalsSayWhatToDo) {
  FakeBoardOptions options = Small();
  options.mute = true;
  EXPECT_THAT(Refusal(options), HasSubstr("bytes come but no frame at 3000000 bit/s"));
  options = Small();
  options.version = 7;
  EXPECT_THAT(Refusal(options), HasSubstr("the board has version 7 of the link, this program has 2"));
  options = Small();
  options.identity = "ANOTHER";
  EXPECT_THAT(Refusal(options), HasSubstr("the other end is no board of gmmu"));
  options = Small();
  options.vram_ready = false;
  EXPECT_THAT(Refusal(options), HasSubstr("VRAM is not initialized"));
  options = Small();
  options.cut_after = 0;
  EXPECT_THAT(Refusal(options), HasSubstr("no byte came in 3 s"));
  BoardOptions nowhere;
  nowhere.port = "/dev/ttyNONE9";
  EXPECT_THROW(Board board(nowhere), BoardError);
  FakeBoard fake(Small());
  const Board first(At(fake));
  EXPECT_THROW(Board second(At(fake)), BoardError);
}

TEST(Board, AResetInTheMiddleIsAnErrorThatStays) {
  FakeBoard fake(Small());
  Board board(At(fake));
  fake.PressReset();
  try {
    for (int i = 0; i < 1'000; ++i) board.AskWord(ReadBoard(kCycles), "cycles");
    ADD_FAILURE() << "no error";
  } catch (const EngineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the board was reset in the middle of the run"));
  }
  EXPECT_THROW(board.Post(WriteRegister(0, 0xFF, 0), "a write"), EngineError);
}

TEST(Board, ACutIsNamedAfterThreeSeconds) {
  FakeBoardOptions options = Small();
  options.cut_after = 2'000;
  FakeBoard fake(options);
  Board board(At(fake));
  const uint64_t start = board.clock().WallNs();
  try {
    for (int i = 0; i < 1'000'000; ++i) board.AskWord(ReadBoard(kCycles), "the board's cycles");
    ADD_FAILURE() << "no error";
  } catch (const EngineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no good frame for 3 s, while it was asked for the board's cycles"));
  }
  EXPECT_LT(board.clock().WallNs() - start, 10'000'000'000u);
}

}  // namespace
}  // namespace gmmu::sim::board
