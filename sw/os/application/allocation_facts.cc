// SPDX-License-Identifier: Apache-2.0
#include "os/application/allocation_facts.h"

#include "os/miniport/segments.h"
#include "os/vidmm/allocation.h"

namespace gmmu::os {

const std::string& NameOf(const Allocation& allocation) { return allocation.name; }
uint64_t BytesOf(const Allocation& allocation) { return allocation.bytes; }
HANDLE HandleOf(const Allocation& allocation) { return allocation.handle; }
std::optional<uint64_t> VramOffset(const Allocation& allocation) {
  if (allocation.local == nullptr) return std::nullopt;
  return allocation.local->page(0) * hw::kPageSize;
}
bool HasNotice(const Allocation& allocation) { return allocation.explicit_residency; }
bool OutsideSegments(const Allocation& allocation) {
  return allocation.homes.implicit_system && allocation.homes.aperture == 0;
}

}  // namespace gmmu::os
