// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli.h"

namespace gmmu::app {

/// The value of "schema" in the first line of a trace written by --trace-ddi. Increment the number
/// for changes that older readers would misinterpret.
inline constexpr const char* kDdiTraceSchema = "gmmu-ddi-trace 1";

/// A call to the driver, or from the driver to a callback, as read from a line of the trace.
struct DdiCall {
  uint64_t call = 0;    ///< number of the call, in the order in which calls began
  uint64_t inside = 0;  ///< number of the enclosing call of the same thread; 0: none
  std::string name, thread;
  unsigned irql = 0;
  uint64_t ns = 0, end_ns = 0;
  std::vector<std::pair<std::string, std::string>> in, out;  ///< arguments, and those that the call changed
  std::optional<std::string> status;                         ///< absent: it did not return; empty: it returns void
};

struct DdiTraceFile {
  std::string path;
  RunArguments run;            ///< the arguments of the recorded run that determine its behaviour
  std::string about;           ///< "driver X.so, scenario main-job, engine fast, seed 0"
  std::vector<DdiCall> calls;  ///< in the order in which they began
};

/// Returns the header line of the trace of a run with these arguments.
std::string DdiTraceHeader(const RunArguments& arguments);
/// Returns true if the file begins like a DDI trace, of any schema version.
bool IsDdiTrace(const std::string& path);
/// Throws TraceError, with the line number, if the file is not a trace of this schema version.
DdiTraceFile ReadDdiTrace(const std::string& path);

}  // namespace gmmu::app
