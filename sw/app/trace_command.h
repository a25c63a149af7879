// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "app/ddi_trace_command.h"
#include "trace/import.h"

namespace CLI {
class App;
}

namespace gmmu::app {

/// Arguments of `gmmu trace`.
struct TraceArguments {
  std::string format, in, out;           ///< for import
  std::string what;                      ///< generate: name of the generator; info and print: the trace
  uint64_t seed = 0;                     ///< for generators
  uint64_t first = ~uint64_t{0};         ///< print: number of accesses to print
  bool json = false;                     ///< used by info and list
  std::string addresses, unit, page;     ///< used by import, as text
  uint64_t bytes = 0, address_bits = 0;  ///< used by import; 0: not given
  uint64_t coalesce = 128, blocks = 1;   ///< for import accelsim
  std::string organization;              ///< used by import ramulator2-readwrite, as text
  bool fetches = false;                  ///< for import
  std::string name;                      ///< name of the trace; empty: the file's name
  DdiTraceArguments calls;               ///< used without a subcommand: prints a trace of the driver's calls
};

/// Adds `gmmu trace` to the program's commands.
CLI::App* AddTrace(CLI::App& app, TraceArguments& arguments);

/// Runs the parsed subcommand of `gmmu trace`, or DdiTrace if there is none. Throws trace::TraceError or OutputError.
int Trace(const CLI::App& trace, const TraceArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
