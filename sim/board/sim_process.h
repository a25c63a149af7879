// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim::board {

/// A program that simulates a board behind a pseudo-terminal, as a child process that ends with this object.
///
/// On its standard output it says `port PATH` first, then `speed X` again and again: seconds of the board in a second; and
/// `finding TEXT` for each rule of the board's chips that was broken.
class SimProcess {
 public:
  /// Starts it and waits for its port, 30 s at the most. Throws BoardError: the program is missing, or did not say it.
  SimProcess(const std::string& program, const std::vector<std::string>& arguments);
  ~SimProcess();
  SimProcess(const SimProcess&) = delete;
  SimProcess& operator=(const SimProcess&) = delete;

  const std::string& port() const { return port_; }
  /// Returns the newest speed that it has said since the last call.
  std::optional<double> NewSpeed();
  /// The first kMostFindings of what NewSpeed has read, of probe "sdram".
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
