// SPDX-License-Identifier: Apache-2.0
#include "app/ddi_trace_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/cli.h"

namespace gmmu::app {

std::string StatusOf(const DdiCall& call) {
  if (!call.status) return "did not return";
  return call.status->empty() ? "returned" : *call.status;
}

namespace {

/// Returns a description of the first difference between the two calls, such as "DmaSize is 64, and
/// 32 in the other", or an empty string if they are equal.
std::string Difference(const DdiCall& a, const DdiCall& b, bool times) {
  const auto differ = [](const std::string& what, const std::string& one, const std::string& two) {
    return what + " is " + one + ", and " + two + " in the other";
  };
  if (a.name != b.name) return "it is " + a.name + ", and " + b.name + " in the other";
  if (a.thread != b.thread) return differ("its thread", a.thread, b.thread);
  if (a.irql != b.irql) return differ("its IRQL", std::to_string(a.irql), std::to_string(b.irql));
  for (const auto& [what, one, two] : {std::tuple{"argument", &a.in, &b.in}, {"result", &a.out, &b.out}}) {
    for (size_t i = 0; i < std::max(one->size(), two->size()); ++i) {
      if (i >= one->size()) return std::string(what) + " " + (*two)[i].first + " is in the other only";
      if (i >= two->size() || (*one)[i].first != (*two)[i].first)
        return std::string(what) + " " + (*one)[i].first + " is not in the other";
      if ((*one)[i].second != (*two)[i].second)
        return differ(std::string(what) + " " + (*one)[i].first, (*one)[i].second, (*two)[i].second);
    }
  }
  if (a.status != b.status) return differ("its status", StatusOf(a), StatusOf(b));
  if (times && a.ns != b.ns) return differ("its begin", std::to_string(a.ns) + " ns", std::to_string(b.ns) + " ns");
  if (times && a.end_ns != b.end_ns)
    return differ("its end", std::to_string(a.end_ns) + " ns", std::to_string(b.end_ns) + " ns");
  return "";
}

}  // namespace

int CompareTraces(const DdiTraceFile& a, const DdiTraceFile& b, bool times, std::FILE* out) {
  const size_t common = std::min(a.calls.size(), b.calls.size());
  for (size_t i = 0; i < common; ++i) {
    const std::string difference = Difference(a.calls[i], b.calls[i], times);
    if (difference.empty()) continue;
    fmt::print(out, "{} calls are equal; then call {} of {} and call {} of {} differ ({} at {} ns): {}\n", i,
               a.calls[i].call, a.path, b.calls[i].call, b.path, a.calls[i].name, a.calls[i].ns, difference);
    return kExitFailed;
  }
  if (a.calls.size() != b.calls.size()) {
    const DdiTraceFile& longer = a.calls.size() > common ? a : b;
    const DdiTraceFile& shorter = a.calls.size() > common ? b : a;
    fmt::print(out, "{} calls are equal; then {} ends, and {} goes on with {} at {} ns\n", common, shorter.path,
               longer.path, longer.calls[common].name, longer.calls[common].ns);
    return kExitFailed;
  }
  fmt::print(out, "{} calls are equal{}\n", common, times ? ", with their times" : "");
  return kExitGood;
}

}  // namespace gmmu::app
