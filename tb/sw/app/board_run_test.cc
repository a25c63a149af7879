// SPDX-License-Identifier: Apache-2.0
// Tests the program with --engine board. The board is the behavioural twin, attached through a
// pseudo-terminal.
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "tb/sim/board/fake_board.h"
#include "tb/sw/app/cli_bench.h"

namespace gmmu::app {
namespace {

using sim::board::FakeBoard;
using sim::board::FakeBoardOptions;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class OnBoard : public Cli {
 protected:
  FakeBoard& Start(unsigned noise = 0, uint64_t cut_after = ~uint64_t{0}) {
    FakeBoardOptions options;
    options.config = FakeBoard::SmallConfig();
    options.noise = noise;
    options.cut_after = cut_after;
    board_ = std::make_unique<FakeBoard>(options);
    return *board_;
  }
  int RunOnBoard(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "--engine", "board", "--port", board_->port()});
    const int status = Run(arguments);
    EXPECT_EQ(board_->violation(), "");
    return status;
  }
  /// Writes a file of seeded bytes and returns its path.
  std::string Input(const std::string& name, size_t bytes) const {
    std::mt19937 random(static_cast<unsigned>(bytes));
    std::ofstream file(Path(name), std::ios::binary);
    for (size_t i = 0; i < bytes; ++i) file.put(static_cast<char>(random()));
    return Path(name);
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Json Report(const std::string& name) const { return Json::parse(Text(name)); }

  std::unique_ptr<FakeBoard> board_;
};

TEST_F(OnBoard, TheMainJobBringsTheSameBytesBack) {
  for (const size_t bytes : {size_t{4} << 10, size_t{64} << 10}) {
    Start();
    const std::string input = Input("input", bytes);
    ASSERT_EQ(RunOnBoard({input, "--out", Path("copy"), "--json", Path("report")}), kExitGood) << out_ << err_;
    EXPECT_THAT(out_, HasSubstr("gmmu run: verified"));
    EXPECT_EQ(Text("copy"), Text("input"));
    const Json report = Report("report");
    EXPECT_EQ(report["bytes_verified"], bytes);
    EXPECT_EQ(report["machine"]["engine"], "board");
    EXPECT_EQ(report["machine"]["clock_mhz"], 80);
    EXPECT_GT(report["counters"]["board_link"]["payload_up"], bytes);
    EXPECT_EQ(report["counters"]["board_link"]["damaged_up"], 0);
    EXPECT_EQ(report["counters"]["board_link"]["line_rate"], 3'000'000);
  }
}

TEST_F(OnBoard, TheShippedConfigurationOfTheBoardIsTaken) {
  Start();
  const std::string config = GMMU_SOURCE_DIR "/sim/host/configs/ulx3s.toml";
  EXPECT_EQ(RunOnBoard({Input("input", 4 << 10), "--config", config}), kExitGood) << out_ << err_;
}

TEST_F(OnBoard, ANoisyLineCostsRepetitionsOnly) {
  Start(/*noise=*/200);
  const std::string input = Input("input", 16 << 10);
  ASSERT_EQ(RunOnBoard({input, "--out", Path("copy"), "--json", Path("report")}), kExitGood) << out_ << err_;
  EXPECT_EQ(Text("copy"), Text("input"));
  const Json link = Report("report")["counters"]["board_link"];
  EXPECT_GT(link["damaged_up"].get<int>() + link["damaged_down"].get<int>(), 0);
}

TEST_F(OnBoard, ALineThatIsCutEndsTheRunInTenSecondsAndTheReportNamesIt) {
  Start(0, /*cut_after=*/20'000);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(RunOnBoard({Input("input", 64 << 10), "--out", Path("copy"), "--json", Path("report")}), kExitFailed);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_THAT(out_, HasSubstr("the board stopped answering: no good frame for 3 s"));
  const Json report = Report("report");
  EXPECT_EQ(report["faults"][0]["source"], "machine");
  EXPECT_FALSE(std::filesystem::exists(Path("copy")));
}

TEST_F(OnBoard, WhatTheBoardCannotDoIsRefusedBeforeAnythingStarts) {
  Start();
  const auto refused = [&](std::vector<std::string> arguments, const std::string& text) {
    arguments.insert(arguments.begin(), {"run", "--engine", "board", "--port", board_->port()});
    ExpectRefusal(arguments, text);
  };
  const auto config = [&](const std::string& text) {
    std::ofstream(Path("c.toml")) << text;
    return std::vector<std::string>{"--config", Path("c.toml")};
  };
  refused(config("[gpu]\nclients = 4\nwalks = 16\n"), "gpu.clients = 4 (board: 2), gpu.walks = 16 (board: 4)");
  refused(config("[gpu]\nvram_mib = 64\n"), "gpu.vram_mib = 64 (board: at most 32)");
  refused(config("[gpu]\ncount = 2\n"), "gpu.count = 2");
  refused(config("[inject]\nleak = \"rtl_slot\"\n"), "inject.leak = \"rtl_slot\"");
  refused({"--waves", Path("w.fst")}, "--waves does not go with --engine board");
}

TEST_F(OnBoard, PortsThatCannotBeUsedAreRefused) {
  ExpectRefusal({"run", "--engine", "board"}, "--engine board needs --port");
  ExpectRefusal({"run", "--engine", "board", "--port", "/dev/ttyNONE9"}, "there is no serial port /dev/ttyNONE9");
  ExpectRefusal({"run", "--engine", "board", "--port", "/dev/null"}, "/dev/null is no serial port");
  ExpectRefusal({"run", "--engine", "fast", "--port", "/dev/null"}, "need --engine board");
  ExpectRefusal({"run", "--engine", "board", "--port", "/dev/null", "--noise", "0.1"}, "need --port sim");
  ExpectRefusal({"run", "--engine", "board", "--port", "sim"},
                "--target gmmu-board-sim");  // no simulator is in the test's folder
  ExpectRefusal({"run", "--engine", "board", "--port", "sim", "--noise", "2"}, "from 0 to below 1");
  ExpectRefusal({"run", "--engine", "board", "--port", "sim", "--baud", "3"}, "--baud 3");
  ExpectRefusal({"run", "--engine", "board", "--port", "/dev/null", "--probe", "--scenario", "main-job"},
                "--probe runs nothing");
}

TEST_F(OnBoard, ProbeTellsWhatTheBoardIsAndTestsIt) {
  Start();
  ASSERT_EQ(RunOnBoard({"--probe", "--json", Path("report")}), kExitGood) << out_ << err_;
  for (const char* part : {"gmmu probe: passed", "fake at /dev/pts/", "1122334455667788", "80.000 MHz, 32 MiB of VRAM",
                           "2 clients", "VRAM data lines", "VRAM address lines", "VRAM sample", "round trip"})
    EXPECT_THAT(out_, HasSubstr(part));
  const Json report = Report("report");
  EXPECT_EQ(report["passed"], true);
  EXPECT_EQ(report["board"]["clock_hz"], 80'000'000);
  EXPECT_EQ(report["tests"].size(), 3u);
  EXPECT_EQ(report["tests"][2]["bytes"], 256 << 10);
  EXPECT_GT(report["link"]["read_bytes_per_second"], 0.0);
}

TEST_F(OnBoard, ProbeSaysWhenTheBoardStopsAnswering) {
  Start(0, /*cut_after=*/20'000);
  EXPECT_EQ(RunOnBoard({"--probe", "--json", Path("report")}), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("the board stopped answering"));
  EXPECT_THAT(Report("report")["error"].get<std::string>(), HasSubstr("no good frame for 3 s"));
}

}  // namespace
}  // namespace gmmu::app
