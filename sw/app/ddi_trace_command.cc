// SPDX-License-Identifier: Apache-2.0
#include "app/ddi_trace_command.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli.h"
#include "app/ddi_trace_compare.h"
#include "app/ddi_trace_file.h"
#include "app/outputs.h"
#include "trace/error.h"
#include "trace/number.h"

namespace gmmu::app {
namespace {

constexpr uint64_t kFailure = 0x80000000;  // failure bit of an NTSTATUS

bool HasStatus(const DdiCall& call, const std::string& wanted) {
  if (wanted == "none") return !call.status;
  if (!call.status) return false;
  const auto status = trace::ParseNumber(*call.status);
  if (wanted == "failed") return status && (*status & kFailure) != 0 && *status <= 0xFFFFFFFF;
  const auto number = trace::ParseNumber(wanted);
  if (!number) {
    throw trace::TraceError("--status " + wanted +
                            ": give a number as 0xc000009a, failed, or none for calls that did not return");
  }
  return status == number;
}

DdiTraceFile Filtered(const std::string& path, const DdiTraceArguments& arguments) {
  DdiTraceFile trace = ReadDdiTrace(path);
  const auto matches = [](const std::string& pattern, const std::string& text) {
    return pattern.empty() || fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  };
  const auto drop = [&](const DdiCall& call) {
    return !matches(arguments.name, call.name) || !matches(arguments.thread, call.thread) ||
           (!arguments.status.empty() && !HasStatus(call, arguments.status));
  };
  trace.calls.erase(std::remove_if(trace.calls.begin(), trace.calls.end(), drop), trace.calls.end());
  return trace;
}

std::string List(const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text;
}

void Print(const DdiTraceFile& trace, std::FILE* out) {
  fmt::print(out, "# {}: {} calls; call, ns, thread, IRQL\n", trace.about, trace.calls.size());
  std::map<uint64_t, unsigned> depths;
  for (const DdiCall& call : trace.calls) {
    const auto outer = depths.find(call.inside);
    const unsigned depth = outer == depths.end() ? 0 : outer->second + 1;
    depths[call.call] = depth;
    fmt::print(out, "{:>6} {:>12} {:<16} {:>2} {:{}}{}({}) -> {}{}\n", call.call, call.ns, call.thread, call.irql, "",
               2 * depth, call.name, List(call.in), StatusOf(call), call.out.empty() ? "" : "; " + List(call.out));
  }
}

/// Writes the trace in the format of chrome://tracing, which Perfetto also opens. Each thread is a
/// row; times are in microseconds.
void WritePerfetto(const DdiTraceFile& trace, const std::string& path) {
  using Json = nlohmann::ordered_json;
  OutputFile file(path);
  Json events = Json::array();
  std::map<std::string, size_t> threads;
  for (const DdiCall& call : trace.calls) {
    const auto [thread, added] = threads.try_emplace(call.thread, threads.size() + 1);
    if (added) {
      events.push_back({{"ph", "M"},
                        {"name", "thread_name"},
                        {"pid", 1},
                        {"tid", thread->second},
                        {"args", {{"name", call.thread}}}});
    }
    Json args = {{"call", call.call}, {"irql", call.irql}, {"status", StatusOf(call)}};
    for (const auto& [name, value] : call.in) args[name] = value;
    for (const auto& [name, value] : call.out) args["out " + name] = value;
    events.push_back({{"ph", "X"},
                      {"name", call.name},
                      {"pid", 1},
                      {"tid", thread->second},
                      {"ts", static_cast<double>(call.ns) / 1000},
                      {"dur", static_cast<double>(call.end_ns - call.ns) / 1000},
                      {"args", std::move(args)}});
  }
  const std::string text = Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump() + "\n";
  file.Write(text.data(), text.size());
  file.Commit();
}

}  // namespace

void AddDdiTrace(CLI::App* trace, DdiTraceArguments& arguments) {
  trace->add_option("FILE", arguments.file, "Trace of a driver's calls (gmmu run --trace-ddi): print it")
      ->type_name("");
  trace->add_option("--compare", arguments.other, "Say in what it first differs from this trace, but for times")
      ->type_name("FILE");
  trace->add_option("--name", arguments.name, "Calls of this name only; * stands for anything")->type_name("PATTERN");
  trace->add_option("--thread", arguments.thread, "Calls of this thread only, as \"vidmm*\"")->type_name("PATTERN");
  trace->add_option("--status", arguments.status, "Calls of this status only: 0xc000009a, failed, or none")
      ->type_name("STATUS");
  trace->add_flag("--times", arguments.times, "With --compare: times must be equal too");
  trace->add_option("--perfetto", arguments.perfetto, "Write it for ui.perfetto.dev or chrome://tracing")
      ->type_name("OUT");
}

int DdiTrace(const DdiTraceArguments& arguments, std::FILE* out) {
  if (arguments.file.empty()) {
    throw trace::TraceError(
        "gmmu trace needs a trace of a driver's calls, or list, import, generate, info or print for accesses of "
        "memory\nSee gmmu trace --help.");
  }
  if (!IsDdiTrace(arguments.file)) {
    throw trace::TraceError(arguments.file +
                            ": is no trace of a driver's calls (gmmu run --trace-ddi makes one)\n"
                            "One of memory accesses is printed by gmmu trace print.");
  }
  const DdiTraceFile trace = Filtered(arguments.file, arguments);
  if (!arguments.perfetto.empty()) {
    RefuseSharedFiles({{"--perfetto", arguments.perfetto}}, {{"the trace", arguments.file}});
    WritePerfetto(trace, arguments.perfetto);
    fmt::print(out, "{}: {} calls\n", arguments.perfetto, trace.calls.size());
  }
  if (!arguments.other.empty()) return CompareTraces(trace, Filtered(arguments.other, arguments), arguments.times, out);
  if (arguments.perfetto.empty()) Print(trace, out);
  return kExitGood;
}

}  // namespace gmmu::app
