// SPDX-License-Identifier: Apache-2.0
#include "replay/footprint.h"

#include <algorithm>

namespace gmmu::replay {
namespace {
constexpr uint64_t kPage = 4096;
}  // namespace

void Footprint::Add(uint64_t address, uint64_t bytes) {
  for (uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) {
    if (page == last_) continue;
    last_ = page;
    pages_.insert(page);
  }
}

std::vector<uint64_t> Footprint::Pieces(uint64_t bytes) const {
  std::vector<uint64_t> pieces;
  pieces.reserve(pages_.size());
  for (const uint64_t page : pages_) pieces.push_back(page / (bytes / kPage));
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  return pieces;
}

Rebase::Rebase(const Footprint& footprint, uint64_t region_bytes, uint64_t va, bool keep_gaps) : bytes_(region_bytes) {
  const std::vector<uint64_t> regions = footprint.Pieces(region_bytes);
  for (size_t i = 0; i < regions.size(); ++i)
    places_[regions[i]] = va + (keep_gaps ? regions[i] - regions[0] : i) * region_bytes;
}

uint64_t Rebase::Span(const Footprint& footprint, uint64_t region_bytes, bool keep_gaps) {
  const std::vector<uint64_t> regions = footprint.Pieces(region_bytes);
  if (regions.empty()) return 0;
  return (keep_gaps ? regions.back() - regions.front() + 1 : regions.size()) * region_bytes;
}

uint64_t Rebase::operator()(uint64_t address) const {
  const uint64_t region = address / bytes_;
  if (region != last_region_) {
    last_region_ = region;
    last_va_ = places_.at(region);
  }
  return last_va_ + address % bytes_;
}

}  // namespace gmmu::replay
