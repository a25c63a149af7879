// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace gmmu::app {

/// Shows the progress of the run. On a terminal, it updates one line (phase, bytes, percent, time
/// left). Otherwise it prints a line at the start of each phase. It uses standard error, because
/// the report goes to standard output.
class Progress {
 public:
  explicit Progress(std::FILE* to);
  ~Progress() { Finish(); }
  /// `done` and `total` are in units of `unit`. Without `unit`, they are in bytes and are shown in
  /// MiB.
  void Update(const std::string& phase, uint64_t done, uint64_t total, const char* unit = nullptr);
  /// Prints a line that is not overwritten.
  void Line(const std::string& text);
  /// Clears the line on the terminal.
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
