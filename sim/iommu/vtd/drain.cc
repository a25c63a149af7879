// SPDX-License-Identifier: Apache-2.0
#include "iommu/vtd/drain.h"

#include <algorithm>
#include <cassert>

namespace gmmu::sim {

void VtdDrainTracker::Wait::Join(const Wait& other) {
  for (size_t kind = 0; kind < upto.size(); ++kind) upto[kind] = std::max(upto[kind], other.upto[kind]);
}

uint64_t VtdDrainTracker::Enter(Kind kind) {
  ++counts_.back()[kind];
  ++in_flight_;
  return first_ + counts_.size() - 1;
}

void VtdDrainTracker::Change(uint64_t epoch, Kind from, Kind to) {
  auto& counts = At(epoch);
  assert(counts[from] > 0);
  --counts[from];
  ++counts[to];
}

void VtdDrainTracker::Leave(uint64_t epoch, Kind kind) {
  auto& counts = At(epoch);
  assert(counts[kind] > 0);
  --counts[kind];
  --in_flight_;
  while (counts_.size() > 1 && counts_.front() == std::array<uint64_t, 3>{}) {
    counts_.pop_front();
    ++first_;
  }
}

VtdDrainTracker::Wait VtdDrainTracker::Mark(bool reads, bool writes) {
  if (counts_.back() != std::array<uint64_t, 3>{}) counts_.emplace_back();
  const uint64_t current = first_ + counts_.size() - 1;
  // A walk in progress may become a read or a write of its epoch. Therefore drains of reads and
  // drains of writes both wait for it.
  return Wait{{current, reads ? current : 0, writes ? current : 0}};
}

bool VtdDrainTracker::Done(const Wait& wait) const {
  for (size_t i = 0; i < counts_.size(); ++i) {
    for (size_t kind = 0; kind < 3; ++kind) {
      if (first_ + i < wait.upto[kind] && counts_[i][kind] != 0) return false;
    }
  }
  return true;
}

}  // namespace gmmu::sim
