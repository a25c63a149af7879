// SPDX-License-Identifier: Apache-2.0
// Entries that go without a word of what takes their place.
#include <algorithm>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/tables/address_space.h"

namespace gmmu::os {

std::optional<AddressSpace::Slot> AddressSpace::UpperOf(uint64_t va) const {
  const Geometry& geometry = adapter_.caps().geometry;
  for (unsigned level = 0; level + 1 < geometry.count(); ++level) {
    const Slot slot{level, va / geometry.Coverage(level)};
    if (uppers_.count(slot) != 0) return slot;
  }
  return std::nullopt;
}

bool AddressSpace::Clear(uint64_t va, uint64_t pages, const Contents& contents, const Sink& sink) {
  const Geometry& geometry = adapter_.caps().geometry;
  const uint64_t end = va + pages * hw::kPageSize;
  bool any = false;
  for (uint64_t next = va; va < end; va = next) {
    const std::optional<Slot> upper = UpperOf(va);
    const unsigned level = upper ? upper->first : 0;
    const uint64_t coverage = geometry.Coverage(level), start = va / coverage * coverage;
    next = std::min(end, start + coverage);
    if (upper && va == start && next == start + coverage) {
      WriteEntry(level + 1, va, DXGK_PTE{}, sink);
      uppers_.erase(*upper);
      any = true;
      continue;
    }
    const CopyPiece piece{va, va, (next - va) / hw::kPageSize};
    const std::vector<HeldEntry> entries = upper ? std::vector<HeldEntry>() : PageEntries(piece, contents);
    const bool used = upper || std::any_of(entries.begin(), entries.end(),
                                           [](const HeldEntry& held) { return InUse(held.entry); });
    if (used) Invalidate(va, piece.pages, sink);
    any = any || used;
  }
  return any;
}

}  // namespace gmmu::os
