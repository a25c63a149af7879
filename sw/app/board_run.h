// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "app/engines.h"

namespace gmmu::app {

struct RunArguments;
class Progress;

/// Arguments of `gmmu run` that require --engine board.
struct BoardArguments {
  std::string port;  ///< path of the serial port, or "sim"
  uint64_t baud = 3'000'000;
  // noise, cut_after and reset_after are for a simulated board only.
  std::string noise;         ///< probability of a wrong byte, as text; empty: no noise
  uint64_t cut_after = 0;    ///< bytes until the link is cut; 0: never
  uint64_t reset_after = 0;  ///< bytes until the board is reset; 0: never
  bool probe = false;
};

/// Returns the error message, of one or two lines, for wrong arguments, or an empty string if they
/// are correct.
std::string Wrong(const RunArguments& arguments);

/// Opens the board that the arguments select. Throws sim::board::BoardError.
std::unique_ptr<sim::board::Board> OpenBoard(const RunArguments& arguments);

/// Implements `gmmu run --engine board --probe`. Throws BoardError and OutputError before the first
/// test.
int ProbeBoard(const RunArguments& arguments, std::FILE* out);

/// Shows the bytes moved and the remaining time during a phase in which a single call moves all
/// bytes over the link.
class BoardProgress {
 public:
  BoardProgress(sim::board::Board& board, Progress& progress);
  /// Call this when a phase starts or progresses.
  void Update(const std::string& phase, uint64_t done, uint64_t total);

 private:
  void Pulse();

  sim::board::Board& board_;
  Progress& progress_;
  std::string phase_;
  uint64_t done_ = 0, total_ = 0, base_ = 0, moved_before_ = 0;
};

}  // namespace gmmu::app
