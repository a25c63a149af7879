// SPDX-License-Identifier: Apache-2.0
// The test fixture of the unit-level benches, its parameters, and a checker for valid/ready outputs.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <tuple>

#include "tb/rtl/block_bench.h"

namespace gmmu {

/// Parameters of a test: the size index of the block, and a seed.
using SizeSeed = std::tuple<int, int>;

/// `Seeds(3)`: size 0 with seeds 1 to 3. `SizesAndSeeds(2, 4)`: sizes 0 and 1, each with seeds 1 to
/// 4.
inline auto SizesAndSeeds(int sizes, int seeds) {
  return testing::Combine(testing::Range(0, sizes), testing::Range(1, seeds + 1));
}
inline auto Seeds(int seeds) { return SizesAndSeeds(1, seeds); }

/// Names a test instance after its size and seed, for example default_seed1, small_seed3 or
/// odd_seed2.
inline std::string SizeAndSeed(const testing::TestParamInfo<SizeSeed>& test) {
  const char* const sizes[] = {"default", "small", "odd"};
  return std::string(sizes[std::get<0>(test.param)]) + "_seed" + std::to_string(std::get<1>(test.param));
}

/// A fixture that derives from a block's bench. `Bench` is constructed from a size and a seed, as
/// BlockBench is; the seed also selects how often inputs pause and outputs stall (the manner). A
/// failing test prints its size, seed, manner and cycle.
template <typename Bench>
class BlockTest : public testing::TestWithParam<SizeSeed>, protected Bench {
 protected:
  BlockTest() : Bench(static_cast<unsigned>(std::get<0>(GetParam())), static_cast<uint64_t>(std::get<1>(GetParam()))) {
    this->manner = kManners[seed % 4];
  }
  ~BlockTest() override {
    if (!HasFailure()) return;
    std::cout << "size " << this->n << ", seed " << seed << ", " << this->manner.idle_percent << " % idle, "
              << this->manner.stall_percent << " % stalled, cycle " << this->now << '\n';
  }
  using Bench::Run;  // testing::Test also has a Run, which is private

  const int seed = std::get<1>(GetParam());
};

/// Checks that a valid/ready output stays valid, with an unchanged payload, until it is accepted.
template <typename Payload = int>
class Standing {
 public:
  explicit Standing(const char* name = "the offer") : name_(name) {}
  /// Call once per cycle, between Settle and Edge. Returns whether the offer is accepted.
  bool Look(bool valid, bool ready, const Payload& payload = {}) {
    if (stands_) {
      EXPECT_TRUE(valid) << name_ << " was withdrawn";
      if (valid) EXPECT_EQ(payload, payload_) << name_ << " changed while it stood";
    }
    stands_ = valid && !ready;
    payload_ = payload;
    return valid && ready;
  }
  bool Stands() const { return stands_; }  ///< whether the previous cycle's offer is still pending
  void Forget() { stands_ = false; }       ///< call after a reset

 private:
  const char* name_;
  bool stands_ = false;
  Payload payload_{};
};

}  // namespace gmmu
