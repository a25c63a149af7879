// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace gmmu::os {

/// Deterministic pseudo-random numbers (SplitMix64). Each user has its own named stream, so that
/// adding a user does not change the numbers that other users receive.
class Random {
 public:
  Random(uint64_t seed, std::string_view stream) : state_(seed * 0x9E3779B97F4A7C15ull + 0x1234567) {
    for (char c : stream) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001B3ull;
  }

  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Returns a number in [0, bound), or 0 if `bound` is 0. The slight bias of the modulo does not
  /// matter for placement.
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }

 private:
  uint64_t state_;
};

}  // namespace gmmu::os
