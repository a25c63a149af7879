// SPDX-License-Identifier: Apache-2.0
#include "hw/events.h"

#include <numeric>

namespace gmmu::hw {

const char* CauseName(Cause cause) {
  static constexpr const char* kNames[kCauses] = {
      "client", "l1",        "l2",        "lookup",    "walker",     "credit", "vram",       "link_credit", "link_up",
      "iommu",  "dram",      "link_down", "host_data", "host_write", "peer",   "answer",     "fill",        "route",
      "queue",  "translate", "fetch",     "host_read", "vram_read",  "write",  "invalidate", "processor",   "fault"};
  return kNames[static_cast<size_t>(cause)];
}

const char* EndingName(Ending ending) {
  static constexpr const char* kNames[] = {"l1", "l2", "walk", "merged", "fault"};
  return kNames[static_cast<size_t>(ending)];
}

const char* PointName(PointKind kind) {
  static constexpr const char* kNames[] = {"fault", "invalidation", "interrupt"};
  return kNames[static_cast<size_t>(kind)];
}

bool CheckSteps(const Span& span) {
  uint64_t at = span.begin;
  for (const Step& step : span.steps) {
    if (step.begin != at || step.end < step.begin) return false;
    at = step.end;
  }
  return at == span.end;
}

bool CheckSpent(const EngineSpan& span) {
  return span.end >= span.begin &&
         std::accumulate(span.spent.begin(), span.spent.end(), uint64_t{0}) == span.end - span.begin;
}

}  // namespace gmmu::hw
