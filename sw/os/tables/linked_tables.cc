// SPDX-License-Identifier: Apache-2.0
#include "os/tables/linked_tables.h"

#include <algorithm>
#include <optional>

#include "os/base/errors.h"
#include "os/miniport/segments.h"

namespace gmmu::os {
namespace {
constexpr size_t kMostTries = 64;  // maximum number of offsets to try
}

// Reserves one offset on all GPUs. The GPUs take turns proposing an offset, so that an almost full
// GPU can propose one of its last free offsets.
uint64_t LinkedTables::ReserveOnAll(uint64_t bytes, uint64_t alignment, const std::string& created_by) {
  // Offsets that were not free on all GPUs, each with the GPU that proposed it. That GPU keeps them
  // reserved until the search ends, so that it does not propose them again.
  std::vector<std::pair<size_t, uint64_t>> not_everywhere;
  std::optional<uint64_t> found;
  size_t full = 0;  // the GPU that had no room at the last attempt
  for (size_t tries = 0; tries < kMostTries && !found; ++tries) {
    const size_t proposer = tries % segments_.size();
    const auto offset = segments_[proposer]->space->Allocate(bytes, alignment, created_by);
    if (!offset) full = proposer;
    if (!offset) break;
    std::vector<size_t> taken;
    for (size_t gpu = 0; gpu < segments_.size(); ++gpu) {
      if (gpu == proposer) continue;
      if (segments_[gpu]->space->AllocateAt(*offset, bytes, created_by)) taken.push_back(gpu);
      else full = gpu;
    }
    if (taken.size() + 1 == segments_.size()) {
      found = offset;
      break;
    }
    for (const size_t gpu : taken) segments_[gpu]->space->Free(*offset);
    not_everywhere.push_back({proposer, *offset});
  }
  for (const auto& [proposer, offset] : not_everywhere) segments_[proposer]->space->Free(offset);
  if (!found) Refuse(full, created_by);
  return *found;
}

void LinkedTables::Refuse(size_t gpu, const std::string& created_by) const {
  throw NoRoom(static_cast<unsigned>(gpu), segments_[gpu]->id,
               "no room in segment " + std::to_string(segments_[gpu]->id) + " of adapter " + std::to_string(gpu) +
                   " for a " + created_by);
}

uint64_t LinkedTables::Take(unsigned gpu, bool root, unsigned level, uint64_t slot, uint64_t bytes, uint64_t alignment,
                            const std::string& created_by) {
  if (!root && !same_geometry_) {
    if (const auto offset = segments_[gpu]->space->Allocate(bytes, alignment, created_by)) return *offset;
    Refuse(gpu, created_by);
  }
  const std::pair<unsigned, uint64_t> key{root ? ~0u : level, slot};
  auto found = places_.find(key);
  // The GPU has already used its reserved offset and now requests another one for the same slot,
  // because an earlier operation ran out of room and freed the table. The reservations that remain
  // on other GPUs are stale.
  if (found != places_.end() && !found->second.waiting[gpu]) {
    Release(found->second);
    places_.erase(found);
    found = places_.end();
  }
  if (found == places_.end()) {
    const uint64_t offset = ReserveOnAll(bytes, alignment, created_by);
    found = places_.emplace(key, Place{offset, bytes, std::vector<bool>(segments_.size(), true)}).first;
  }
  Place& place = found->second;
  if (place.bytes != bytes)
    throw OsError("linked adapters have roots of " + std::to_string(place.bytes) + " and " + std::to_string(bytes) +
                  " bytes, which cannot be mirrored");
  place.waiting[gpu] = false;
  const uint64_t offset = place.offset;
  if (std::none_of(place.waiting.begin(), place.waiting.end(), [](bool waits) { return waits; })) places_.erase(found);
  return offset;
}

void LinkedTables::Release(const Place& place) {
  for (size_t gpu = 0; gpu < segments_.size(); ++gpu)
    if (place.waiting[gpu]) segments_[gpu]->space->Free(place.offset);
}

void LinkedTables::ReleaseReserved() {
  for (const auto& [key, place] : places_) Release(place);
  places_.clear();
}

}  // namespace gmmu::os
