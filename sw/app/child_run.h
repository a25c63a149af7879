// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli.h"

namespace gmmu::app {

/// The result of a run that was made in a separate process, so that a failing driver ends only that
/// process.
struct ChildRun {
  /// How the run ended: "passed", "refused", "not applicable", "bug check 0x7e", "timeout", "finding", "leak", "wrong
  /// bytes", "crashed", "hung", "no report", or the name of a fault.
  std::string end;
  std::string text;                ///< the first error; empty: no error
  std::vector<std::string> wrong;  ///< all errors, one per line
  bool passed = false;             ///< the verdict in the run's own report
  std::string usage;               ///< error in an argument or file; empty: the run started
  double seconds = 0;
  // Set for a run with inject.fail_callback or inject.fail_allocation.
  uint64_t seen = 0;
  std::string refused, inside;
};

/// Executes `gmmu run` with these arguments, but without its output files, for at most `seconds` of
/// host time. Throws OutputError if it cannot create a process or a file.
ChildRun RunInChild(RunArguments arguments, unsigned seconds);

/// Returns the command line of a run with these arguments.
std::string CommandOf(const RunArguments& arguments);

}  // namespace gmmu::app
