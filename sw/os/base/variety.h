// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "os/base/parameters.h"
#include "os/base/random.h"

namespace gmmu::os {

/// Makes choices that the documents leave to the system, such as how operations are split and where
/// a paging buffer begins. The key os.variety is the probability that a choice differs from the
/// usual one; the run's seed determines which choices differ. As with Random, each user has its own
/// stream.
class Variety {
 public:
  Variety(const Parameters& parameters, std::string_view stream)
      : per_mille_(parameters.variety), random_(parameters.seed, stream) {}

  /// Returns whether the next choice differs from the usual one. Always false if os.variety is 0.
  bool Differs() { return per_mille_ != 0 && random_.Below(1000) < per_mille_; }
  /// Returns a number in [0, bound); 0 if `bound` is 0.
  uint64_t Below(uint64_t bound) { return random_.Below(bound); }
  /// Returns the size of the next part of `left` units: usually all of it, otherwise a random part
  /// of at least one unit.
  uint64_t PartOf(uint64_t left) { return left > 1 && Differs() ? 1 + random_.Below(left - 1) : left; }
  /// Like PartOf, for bytes. Unless the part takes all that is left, its size is a multiple of a
  /// page, of a cache line or of `unit`, which must divide 64.
  uint64_t BytesOf(uint64_t left, uint64_t unit = 1) {
    if (left <= unit || !Differs()) return left;
    const uint64_t grains[] = {4096, 64, unit};
    const uint64_t grain = grains[random_.Below(3)];
    return std::min(left, (1 + random_.Below(left / grain + 1)) * grain);
  }

 private:
  uint64_t per_mille_;
  Random random_;
};

}  // namespace gmmu::os
