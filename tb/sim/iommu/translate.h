// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "iommu/remapper.h"

namespace gmmu::sim {

/// Translates a request in zero simulated time. Caches, fault records and counters change as for a device's access.
inline RemapResult TranslateAtOnce(Remapper& remapper, RemapMemory& memory, const RemapRequest& request) {
  RemapWalk walk = remapper.Lookup(request);
  while (!walk.done) {
    uint64_t low = 0, high = 0;
    const bool ok = memory.Read64(walk.read.address, &low) &&
                    (walk.read.bytes == 8 || memory.Read64(walk.read.address + 8, &high));
    remapper.Feed(walk, ok, low, high);
  }
  remapper.Finish(walk);
  return walk.result;
}

}  // namespace gmmu::sim
