// SPDX-License-Identifier: Apache-2.0
#include "app/board_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/cli.h"
#include "app/progress.h"
#include "board/board.h"

namespace gmmu::app {
namespace {

constexpr const char* kSimulated = "sim";
constexpr const char* kSimulator = "gmmu-board-sim";
constexpr uint64_t kLeastBaud = 9'600, kMostBaud = 12'000'000;

/// Path of the board simulator, which is in the same folder as this program.
std::string Simulator() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (error ? std::filesystem::path("build") : self.parent_path()) / kSimulator;
}

/// Returns the faults to inject into a simulated board, as command-line arguments of the simulator.
std::vector<std::string> Troubles(const BoardArguments& board) {
  std::vector<std::string> all;
  if (!board.noise.empty()) all.insert(all.end(), {"--noise", board.noise});
  if (board.cut_after != 0) all.insert(all.end(), {"--cut-after", std::to_string(board.cut_after)});
  if (board.reset_after != 0) all.insert(all.end(), {"--reset-after", std::to_string(board.reset_after)});
  return all;
}

bool IsProbability(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' && value >= 0 && value < 1;
}

}  // namespace

std::string Wrong(const RunArguments& arguments) {
  const BoardArguments& board = arguments.board;
  const bool sim = board.port == kSimulated;
  if (arguments.engine != kBoardEngine) {
    const bool any = !board.port.empty() || board.probe || !Troubles(board).empty();
    return any ? "--port, --probe, --noise, --cut-after and --reset-after need --engine board" : "";
  }
  if (board.port.empty())
    return "--engine board needs --port: the board's serial port, as /dev/ttyUSB0, or sim for a simulated board";
  if (!arguments.waves.empty()) return "--waves does not go with --engine board: nobody sees the signals of a board";
  if (!sim && !Troubles(board).empty()) return "--noise, --cut-after and --reset-after need --port sim";
  if (!board.noise.empty() && !IsProbability(board.noise))
    return fmt::format("--noise {}: give the probability that a byte is damaged, from 0 to below 1", board.noise);
  if (board.baud < kLeastBaud || board.baud > kMostBaud)
    return fmt::format("--baud {}: give {} to {}", board.baud, kLeastBaud, kMostBaud);
  if (board.probe && (!arguments.file.empty() || !arguments.scenario.empty() || !arguments.out.empty() ||
                      !arguments.dump_host.empty() || !arguments.trace_paging.empty() || !arguments.trace_ddi.empty() ||
                      !arguments.driver.empty() || !arguments.config.empty()))
    return "--probe runs nothing: of the other options it takes --port, --baud, --seed and --json";
  return "";
}

std::unique_ptr<sim::board::Board> OpenBoard(const RunArguments& arguments) {
  const BoardArguments& board = arguments.board;
  sim::board::BoardOptions options;
  options.baud = static_cast<unsigned>(board.baud);
  if (board.port != kSimulated) {
    options.port = board.port;
    return std::make_unique<sim::board::Board>(options);
  }
  options.simulator = Simulator();
  options.simulator_arguments = {"--seed", std::to_string(arguments.seed)};
  const std::vector<std::string> troubles = Troubles(board);
  options.simulator_arguments.insert(options.simulator_arguments.end(), troubles.begin(), troubles.end());
  options.times = sim::board::LinkTimes::OfSimulation();
  return std::make_unique<sim::board::Board>(options);
}

// ---- progress

BoardProgress::BoardProgress(sim::board::Board& board, Progress& progress) : board_(board), progress_(progress) {
  board_.set_pulse([this] { Pulse(); });
}

void BoardProgress::Update(const std::string& phase, uint64_t done, uint64_t total) {
  if (phase != phase_) {  // `done` counts work as it starts, and may at once be the whole phase
    base_ = total == total_ && done_ <= done ? done_ : done;
    moved_before_ = board_.dma_bytes();
  }
  phase_ = phase;
  done_ = done;
  total_ = total;
  Pulse();
}

void BoardProgress::Pulse() {
  if (phase_.empty()) return;
  const uint64_t moved = board_.dma_bytes() - moved_before_;
  progress_.Update(phase_, total_ == 0 ? 0 : std::min(total_ - 1, base_ + moved), total_);
}

}  // namespace gmmu::app
