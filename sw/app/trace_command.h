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
  std::string format, in, out;           ///< of import
  std::string what;                      ///< of generate, info and print: a generator, or a trace
  uint64_t seed = 0;                     ///< of generators
  uint64_t first = ~uint64_t{0};         ///< of print: how many accesses
  bool json = false;                     ///< of info and list
  std::string addresses, unit, page;     ///< of import, as text
  uint64_t bytes = 0, address_bits = 0;  ///< of import; 0: not given
  uint64_t coalesce = 128, blocks = 1;   ///< of import accelsim
  std::string organization;              ///< of import ramulator2-readwrite, as text
  bool fetches = false;                  ///< of import
  std::string name;                      ///< of the trace; empty: the file's
  DdiTraceArguments calls;               ///< without a part: a trace of a driver's calls
};

/// Adds `gmmu trace` to the program's commands.
CLI::App* AddTrace(CLI::App& app, TraceArguments& arguments);

/// Runs the part of `gmmu trace` that was parsed; without one, DdiTrace. Throws trace::TraceError, OutputError.
int Trace(const CLI::App& trace, const TraceArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
