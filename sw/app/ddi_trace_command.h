// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace CLI {
class App;
}

namespace gmmu::app {

/// Arguments of `gmmu trace FILE` if FILE is a trace of driver calls.
struct DdiTraceArguments {
  std::string file;
  std::string other;                 ///< the trace given by --compare
  std::string name, thread, status;  ///< filters; empty: all
  std::string perfetto;              ///< the Perfetto file to write
  bool times = false;                ///< --compare also requires equal times

  bool any() const { return !(file + other + name + thread + status + perfetto).empty() || times; }
};

/// Adds FILE and its options to `gmmu trace`.
void AddDdiTrace(CLI::App* trace, DdiTraceArguments& arguments);

/// Prints, compares or converts traces. Returns 1 if two traces differ. Throws trace::TraceError or OutputError.
int DdiTrace(const DdiTraceArguments& arguments, std::FILE* out);

}  // namespace gmmu::app
