// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace CLI {
class App;
}

namespace gmmu::app {

/// Arguments of `gmmu trace FILE`, for a trace of a driver's calls.
struct DdiTraceArguments {
  std::string file;
  std::string other;                 ///< --compare
  std::string name, thread, status;  ///< filters; empty: all
  std::string perfetto;              ///< file to write
  bool times = false;                ///< of --compare: times must be equal too

  bool any() const { return !(file + other + name + thread + status + perfetto).empty() || times; }
};

/// Adds FILE and its options to `gmmu trace`.
void AddDdiTrace(CLI::App* trace, DdiTraceArguments& arguments);

/// Prints, compares or converts traces. Returns 1 when two traces differ. Throws trace::TraceError, OutputError.
int DdiTrace(const DdiTraceArguments& arguments, std::FILE* out);

}  // namespace gmmu::app
