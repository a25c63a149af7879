// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/mapping.h"
#include "os/kernel/page_math.h"

#include <algorithm>

namespace gmmu::os {
std::vector<Mapping> Without(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                             uint64_t pages) {
  const uint64_t end = va + pages * kPage;
  std::vector<Mapping> kept;
  for (const Mapping& mapping : mappings) {
    const uint64_t last = mapping.end();
    if (mapping.process != &process || last <= va || mapping.va >= end) {
      kept.push_back(mapping);
      continue;
    }
    if (mapping.va < va) kept.push_back(mapping.Part(0, (va - mapping.va) / kPage));
    if (last > end) kept.push_back(mapping.Part((end - mapping.va) / kPage, (last - end) / kPage));
  }
  return kept;
}

std::vector<Mapping> Within(const std::vector<Mapping>& mappings, const GpuProcess& process, uint64_t va,
                            uint64_t bytes) {
  std::vector<Mapping> found;
  for (const Mapping& mapping : mappings) {
    const uint64_t start = std::max(mapping.va, va), end = std::min(mapping.end(), va + bytes);
    if (mapping.process != &process || start >= end) continue;
    found.push_back(mapping.Part((start - mapping.va) / kPage, (end - start) / kPage));
  }
  return found;
}

}  // namespace gmmu::os
