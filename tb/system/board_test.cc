// SPDX-License-Identifier: Apache-2.0
// Tests the program with a board: the Verilated top of the ULX3S, driven at its pins behind a pseudo-terminal.
#include <gmock/gmock.h>

#include <string>

#include "tb/system/program.h"

namespace gmmu {
namespace {

using ::testing::HasSubstr;

class BoardProgram : public Program {
 protected:
  int OnBoard(const std::string& what, const std::string& more = "") {
    return Run("run " + what + " --engine board --port sim --json " + Path("report.json") + " " + more);
  }
};

// Tests that take minutes; ctest gives them the label long.
class LongBoardProgram : public BoardProgram {};

TEST_F(LongBoardProgram, BringsSixtyFourKiBBack) {
  ASSERT_EQ(OnBoard(WriteInput(65536), "--out " + Path("copy")), 0) << Get("log");
  EXPECT_EQ(Get("copy"), Get("input"));
  const auto report = Report();
  EXPECT_GT(report["cycles"].get<uint64_t>(), 1'000'000u);
  EXPECT_TRUE(report["findings"].empty());
}

TEST_F(LongBoardProgram, BringsSixtyFourKiBBackOverANoisyLine) {
  ASSERT_EQ(OnBoard(WriteInput(65536), "--noise 1e-4 --seed 3 --out " + Path("copy")), 0) << Get("log");
  EXPECT_EQ(Get("copy"), Get("input"));
  EXPECT_THAT(Get("log"), Not(HasSubstr(" 0 frames damaged")));
}

TEST_F(BoardProgram, BringsOneByteBack) {
  ASSERT_EQ(OnBoard(WriteInput(1), "--out " + Path("copy")), 0) << Get("log");
  EXPECT_EQ(Get("copy"), Get("input"));
}

TEST_F(BoardProgram, SaysThatTheCableWasPulled) {
  ASSERT_EQ(OnBoard(WriteInput(65536), "--cut-after 60000"), 1) << Get("log");
  EXPECT_THAT(Get("log"), HasSubstr("the board stopped answering"));
  EXPECT_EQ(Report()["verified"], false);
}

TEST_F(BoardProgram, SaysThatTheBoardWasReset) {
  ASSERT_EQ(OnBoard(WriteInput(65536), "--reset-after 60000"), 1) << Get("log");
  EXPECT_THAT(Get("log"), HasSubstr("the board was reset in the middle of the run"));
  EXPECT_EQ(Report()["verified"], false);
}

TEST_F(LongBoardProgram, LosesItsMemoryWithItsPower) { EXPECT_EQ(OnBoard("--scenario power-cycle"), 0) << Get("log"); }

TEST_F(LongBoardProgram, MapsAndUnmapsPiecesOfTheApertureBesideAClient) {
  EXPECT_EQ(OnBoard("--scenario aperture"), 0) << Get("log");
}

TEST_F(BoardProgram, IsRefusedByTheIommuWhatItDoesNotMap) {
  Put("unmapped.toml", "[inject]\nunmapped_page = true\n");
  const std::string input = WriteInput(4096);
  EXPECT_EQ(OnBoard(input, "--config " + Path("unmapped.toml")), 1) << Get("log");
  EXPECT_THAT(Get("log"), HasSubstr("no read permission"));
  EXPECT_FALSE(Report()["faults"].empty());
}

TEST_F(LongBoardProgram, HasTheScenariosOfAHostileDeviceAndASecureMachine) {
  EXPECT_EQ(OnBoard("--scenario noisy-device"), 0) << Get("log");
  EXPECT_EQ(OnBoard("--scenario secure-vm"), 0) << Get("log");
}

TEST_F(BoardProgram, RefusesWhatTheBoardDoesNotHave) {
  EXPECT_EQ(OnBoard("--scenario linked-two"), 2) << Get("log");
  EXPECT_EQ(OnBoard("--scenario six-levels"), 2) << Get("log");
  EXPECT_EQ(OnBoard("--scenario render-preemption"), 2) << Get("log");
  EXPECT_THAT(Get("log"), HasSubstr("gpu.rings = 2 (board: 1)"));
}

}  // namespace
}  // namespace gmmu
