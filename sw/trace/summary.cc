// SPDX-License-Identifier: Apache-2.0
#include "trace/summary.h"

#include <algorithm>

namespace gmmu::trace {

void Summary::Add(const Access& access) {
  const uint64_t last = access.address + (access.bytes - 1);
  ++kinds_[static_cast<size_t>(access.kind)];
  ++count_;
  bytes_ += access.bytes;
  cycles_ = std::max(cycles_, access.cycles);
  first_ = std::min(first_, access.address);
  last_ = std::max(last_, last);
  streams_.insert(access.stream);
  for (uint64_t page = access.address >> 12; page <= last >> 12; ++page) {
    regions_[page >> 9][page >> 6 & 7] |= uint64_t{1} << (page & 63);
  }
}

uint64_t Summary::pages_4k() const {
  uint64_t pages = 0;
  for (const auto& [region, words] : regions_) {
    for (const uint64_t word : words) pages += static_cast<uint64_t>(__builtin_popcountll(word));
  }
  return pages;
}

uint64_t Summary::pages_64k() const {
  uint64_t pages = 0;
  for (const auto& [region, words] : regions_) {
    for (const uint64_t word : words) {
      for (unsigned at = 0; at < 64; at += 16) pages += (word >> at & 0xffff) != 0;
    }
  }
  return pages;
}

}  // namespace gmmu::trace
