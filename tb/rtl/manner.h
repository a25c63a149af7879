// SPDX-License-Identifier: Apache-2.0
// Random stimulus for the benches: pauses before inputs, and back-pressure on outputs.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace gmmu {

struct Manner {
  /// idle_percent: share of cycles in which an input pauses; stall_percent: share of cycles in
  /// which an output is not accepted.
  unsigned idle_percent, stall_percent;
};
constexpr Manner kManners[] = {{0, 0}, {60, 0}, {0, 60}, {40, 40}};

/// A random number generator whose seed the test prints. Each call draws one number.
struct Dice {
  explicit Dice(uint64_t seed) : rng(seed) {}
  bool Chance(unsigned percent) { return rng() % 100 < percent; }
  /// Returns a number from 0 to `below` - 1.
  unsigned Random(unsigned below) { return static_cast<unsigned>(rng() % below); }
  /// Returns a number from `low` to `high`, both included.
  uint64_t Random(uint64_t low, uint64_t high) { return low + rng() % (high - low + 1); }

  std::mt19937_64 rng;
};

/// A block input that is offered after random pauses and then stays valid until it is accepted.
class Offer {
 public:
  /// Returns whether the input is offered in this cycle. `have`: a value is available.
  bool Now(bool have, Dice& dice, unsigned idle_percent) {
    standing_ = have && (standing_ || !dice.Chance(idle_percent));
    return standing_;
  }
  void Taken() { standing_ = false; }

 private:
  bool standing_ = false;
};

/// Returns the bytes of a port of any width.
template <typename Port>
std::vector<uint8_t> BytesOf(const Port& port) {
  std::vector<uint8_t> bytes(sizeof port);
  std::memcpy(bytes.data(), &port, sizeof port);
  return bytes;
}

}  // namespace gmmu
