// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim::board {

/// A child process that simulates a board behind a pseudo-terminal. The destructor ends the process.
///
/// The process first prints a line `port PATH` on its standard output. It then prints `speed X`
/// repeatedly (board seconds per wall-clock second), and `finding TEXT` for each rule violation at
/// the pins of the board's chips.
class SimProcess {
 public:
  /// Starts the program and waits up to 30 s for its port. Throws BoardError if the program is
  /// missing or reports no port.
  SimProcess(const std::string& program, const std::vector<std::string>& arguments);
  ~SimProcess();
  SimProcess(const SimProcess&) = delete;
  SimProcess& operator=(const SimProcess&) = delete;

  const std::string& port() const { return port_; }
  /// Returns the latest speed reported since the previous call, or nullopt if none was reported.
  std::optional<double> NewSpeed();
  /// Returns the first kMostFindings findings that NewSpeed has read. Their probe is "sdram".
  const std::vector<hw::Finding>& findings() const { return findings_; }
  static constexpr size_t kMostFindings = 64;

 private:
  void Start(const std::string& program, const std::vector<std::string>& arguments);
  bool ReadLine(std::string& line);

  pid_t child_ = -1;
  int output_ = -1;
  std::string port_, text_;
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim::board
