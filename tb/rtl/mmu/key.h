// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

namespace gmmu::bench {

constexpr uint64_t kVpnMask = (uint64_t{1} << 36) - 1;

/// Returns the first and last page of the smallest aligned block of 4^n pages that contains the
/// range. A sweep of the range drops this whole block.
inline std::pair<uint64_t, uint64_t> Widened(uint64_t first, uint64_t tail) {
  uint64_t low = 0;
  while ((first | low) != (tail | low)) low = low << 2 | 3;
  return {first & ~low, first | low};
}

/// A key_t.
struct Key {
  unsigned space = 0;
  uint64_t vpn = 0;
  bool high = false;

  uint64_t Raw() const { return uint64_t{space} << 37 | vpn << 1 | high; }
  static Key Of(uint64_t raw) { return {static_cast<unsigned>(raw >> 37), raw >> 1 & kVpnMask, (raw & 1) != 0}; }
  bool operator==(const Key& o) const { return space == o.space && vpn == o.vpn && high == o.high; }
  bool operator<(const Key& o) const { return space != o.space ? space < o.space : vpn < o.vpn; }
};

}  // namespace gmmu::bench
