// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace gmmu::app {

/// What the run is doing: on a terminal one line that is rewritten (phase, bytes, percent, time
/// left), otherwise a line at the begin of each phase. Goes to standard error, so that a report on
/// standard output stays clean.
class Progress {
 public:
  explicit Progress(std::FILE* to);
  ~Progress() { Finish(); }
  void Update(const std::string& phase, uint64_t done, uint64_t total);
  /// A line of its own.
  void Line(const std::string& text);
  /// Clears the terminal's line.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* to_;
  bool terminal_;
  bool shown_ = false;
  std::string phase_;
  Clock::time_point phase_start_;
  Clock::time_point last_;
};

}  // namespace gmmu::app
