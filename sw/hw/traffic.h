// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/gmmu_regs.h"

/// These functions compute a traffic engine's behaviour from its register values, so that software
/// can predict it. rtl/pkg/gmmu.rdl (client) describes the engine.
namespace gmmu::hw {

/// Returns the next state of the xorshift32 generator of the access pattern "random".
constexpr uint32_t Xorshift32(uint32_t x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

/// Returns the 8-byte word that a run with `verify` set writes to `va` and expects when it reads
/// `va`.
constexpr uint64_t AddressPattern(uint64_t seed, uint64_t va) {
  return seed ^ va ^ (va << 21 | va >> 43) ^ (va << 42 | va >> 22);
}

/// The register values that determine which lines a run accesses.
struct TrafficLines {
  regs::Pattern pattern = regs::Pattern::kOrder;
  unsigned footprint_lg2 = 0;  ///< line numbers are taken modulo 2^footprint_lg2; 0: no modulo
  uint64_t base = 0;           ///< GPU VA, 64-byte aligned
  uint32_t first = 0, stride = 0;
  uint32_t count = 0, step = 0;  ///< `step` is less than `count`, or 1
  uint64_t seed = 0;
};

/// Generates the GPU VAs of a run's accesses, in order. With the pattern "chase", only the first
/// address is valid, because the later addresses depend on the contents of memory.
class TrafficSequence {
 public:
  explicit TrafficSequence(const TrafficLines& lines);
  /// Returns the address of the next access.
  uint64_t Next();

 private:
  TrafficLines lines_;
  uint64_t k_ = 0;
  uint32_t random_;
};

}  // namespace gmmu::hw
