// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace CLI {
class App;
}

namespace gmmu::app {

/// Arguments of `gmmu explain`.
struct ExplainArguments {
  std::string file;
  uint64_t walk = 0, lookup = 0, access = 0, command = 0, buffer = 0;  ///< number of the event to explain; 0: none
  uint64_t unit = 0;
  std::string slowest;  ///< "walks", "lookups", "accesses", "commands" or "buffers"; empty: not requested
  uint64_t count = 1;   ///< number of slowest events to print
  std::string perfetto, kanata;
};

/// Adds `gmmu explain` to the program's commands.
CLI::App* AddExplain(CLI::App& app, ExplainArguments& arguments);

/// Prints and exports the requested events. Throws events::EventError or OutputError.
int Explain(const ExplainArguments& arguments, std::FILE* out);

}  // namespace gmmu::app
