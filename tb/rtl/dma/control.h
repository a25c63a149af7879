// SPDX-License-Identifier: Apache-2.0
// gmmu_dma_control_bench in C++: places and faults in the format of its ports, and a stream of words.
#pragma once

#include "Vgmmu_dma_control_bench.h"
#include "tb/rtl/dma/command_rules.h"
#include "tb/rtl/dma/dma_commands.h"
#include "tb/rtl/dma/unit_world.h"

namespace gmmu::dma {

using Steering = BenchOf<Vgmmu_dma_control_bench>;
using SteeringWorld = WorldOf<Steering>;
constexpr unsigned kSpacesOf[] = {2, 16, 16};  ///< indexed by size: smallest, default, four rings

inline unsigned WhereOf(const Place& place) {
  return place.physical << 8 | static_cast<unsigned>(place.target) << 6 | place.space;
}

/// Why a block stopped.
struct Failure {
  Fault reason = Fault::kNone;
  regs::Access access = regs::Access::kRead;
  unsigned level = 0;
  Place place;

  unsigned What() const {
    return static_cast<unsigned>(reason) << 14 | static_cast<unsigned>(access) << 12 | level << 9 | WhereOf(place);
  }
};
/// Returns a failure of a random kind, which the bench reports.
inline Failure SomeFailure(Steering& blocks, Fault reason) {
  Failure failure;
  failure.reason = reason;
  failure.access = static_cast<regs::Access>(blocks.Random(0, 1));
  failure.level = blocks.Random(0, 5);
  failure.place = {blocks.rng(), blocks.Chance(50), static_cast<Target>(blocks.Random(0, 3)),
                   static_cast<unsigned>(blocks.Random(0, 63))};
  return failure;
}

/// Words for a block, delivered as by a fetcher, with an error in place of word `error_at`.
class WordStream {
 public:
  std::vector<uint64_t> words;
  size_t taken = 0, error_at = ~size_t{0};

  void Start(const std::vector<uint64_t>& with, size_t error = ~size_t{0}) {
    words = with;
    taken = 0;
    error_at = error;
    offer_ = Offer();
  }
  template <typename Bit, typename Word>
  void Drive(Steering& blocks, unsigned idle_percent, Bit& valid, Word& word, Bit& error) {
    error = taken == error_at;
    valid = offer_.Now(!error && taken < words.size(), blocks, idle_percent);
    word = valid ? words[taken] : blocks.rng();
  }
  void Sample(bool valid, bool ready) {
    if (valid && ready) ++taken, offer_.Taken();
  }

 private:
  Offer offer_;
};

}  // namespace gmmu::dma
