// SPDX-License-Identifier: Apache-2.0
#include "probe/burst.h"

#include <algorithm>

namespace gmmu::sim {

using hw::Cause;

void Steps::Until(Cause cause, uint64_t cycle, int level) {
  if (cycle != at_) steps_.push_back({cause, level, at_, cycle});
  at_ = cycle;
}

void Steps::Burst(const sim::Burst& burst, uint64_t now, int level) {
  Until(Cause::kCredit, burst.accepted, level);
  const uint64_t last = burst.done ? burst.answered : now;
  if (burst.peer) return Until(Cause::kPeer, last, level);
  if (!burst.host) return Until(Cause::kVram, last, level);
  if (burst.write) return Until(Cause::kHostWrite, last, level);
  if (!burst.begun) return Until(Cause::kLinkCredit, last, level);  // no data yet: no time stamps
  Until(Cause::kLinkCredit, burst.wire, level);
  Until(Cause::kLinkUp, burst.root, level);
  Until(Cause::kIommu, burst.translated, level);
  Until(Cause::kDram, burst.memory, level);
  Until(Cause::kLinkDown, burst.device, level);
  Until(Cause::kHostData, last, level);
}

std::vector<hw::Step> Clip(const std::vector<hw::Step>& steps, uint64_t begin, uint64_t end) {
  std::vector<hw::Step> inside;
  for (hw::Step step : steps) {
    step.begin = std::max(step.begin, begin);
    step.end = std::min(step.end, end);
    if (step.begin < step.end) inside.push_back(step);
  }
  return inside;
}

}  // namespace gmmu::sim
