// SPDX-License-Identifier: Apache-2.0
#include "board/sim_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "board/board.h"

namespace gmmu::sim::board {
namespace {

using ::testing::HasSubstr;

/// A shell script that replaces the simulated board.
struct Script {
  explicit Script(const std::string& text)
      : path(std::filesystem::temp_directory_path() / ("gmmu_script_" + std::to_string(getpid()))) {
    std::ofstream(path) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  ~Script() { std::filesystem::remove(path); }
  std::string path;
};

std::string Refusal(const std::string& program) {
  try {
    SimProcess process(program, {});
  } catch (const BoardError& error) {
    return error.what();
  }
  return "started";
}

TEST(SimProcess, TellsItsPortAndSpeedAndEndsWithItsOwner) {
  const Script script("echo \"port $1\"; echo speed 0.25; echo speed 0.005; exec sleep 60");
  const auto start = std::chrono::steady_clock::now();
  {
    SimProcess process(script.path, {"/dev/pts/77"});
    EXPECT_EQ(process.port(), "/dev/pts/77");
    std::optional<double> speed;
    for (int i = 0; i < 1'000 && speed != 0.005; ++i) {
      if (const auto next = process.NewSpeed()) speed = next;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(speed, 0.005);
    EXPECT_EQ(process.NewSpeed(), std::nullopt);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(SimProcess, TellsWhatTheBoardFoundWrongAtItsChips) {
  const Script script("echo \"port $1\"; echo \"finding A command comes too early.\"; echo speed 1; exec sleep 60");
  SimProcess process(script.path, {"/dev/pts/77"});
  for (int i = 0; i < 1'000 && !process.NewSpeed(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(process.findings().size(), 1u);
  EXPECT_EQ(process.findings()[0].probe, "sdram");
  EXPECT_EQ(process.findings()[0].text, "A command comes too early.");
}

TEST(SimProcess, AMissingProgramIsToldHowToBuild) {
  EXPECT_THAT(Refusal("/tmp/nowhere/gmmu-board-sim"), HasSubstr("--target gmmu-board-sim"));
}

TEST(SimProcess, AProgramThatSaysNoPortIsRefused) {
  const Script other("echo hello; exec sleep 60");
  EXPECT_THAT(Refusal(other.path), HasSubstr("it said \"hello\""));
}

TEST(SimProcess, AProgramThatEndsAtOnceIsRefused) {
  const Script ends("exit 3");
  EXPECT_THAT(Refusal(ends.path), HasSubstr("it said nothing"));
}

}  // namespace
}  // namespace gmmu::sim::board
