// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>

#include "Vgmmu_mmu_control_bench.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu::bench {

constexpr uint64_t kVpnMask = (uint64_t{1} << 36) - 1;

/// The bench of gmmu_control, gmmu_space_table and gmmu_overlap, out of reset. Parameters: size (as
/// the bench numbers them) and seed, which is printed when a test fails.
class ControlBenchTest : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  ControlBenchTest() : random_(static_cast<uint64_t>(std::get<1>(GetParam()))) {
    context_.randReset(0);
    context_.assertOn(true);
    top_ = std::make_unique<Vgmmu_mmu_control_bench>(&context_);
    top_->size_i = static_cast<uint8_t>(std::get<0>(GetParam()));
    Reset();
  }
  ~ControlBenchTest() override {
    top_->final();
    if (HasFailure()) {
      const auto [size, seed] = GetParam();
      std::cout << "seed " << seed << ", size " << size << '\n';
    }
  }

  void Reset() {
    top_->rst_i = 1;
    for (int i = 0; i < 3; ++i) Edge();
    top_->rst_i = 0;
  }
  void Edge() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
  }
  unsigned Random(unsigned below) { return static_cast<unsigned>(random_() % below); }
  unsigned Spaces() const { return std::array{16u, 2u, 3u}[top_->size_i]; }
  unsigned Steps() const { return std::array{16u, 2u, 5u}[top_->size_i]; }  ///< of a sweep

 private:
  VerilatedContext context_;

 protected:
  std::mt19937_64 random_;
  std::unique_ptr<Vgmmu_mmu_control_bench> top_;

 private:
  Coverage coverage_{context_};
};

inline auto ControlSizesAndSeeds() {
  return testing::Combine(testing::Range(0, 3), testing::Range(1, 5));
}
inline std::string ControlSizeAndSeed(const testing::TestParamInfo<std::tuple<int, int>>& test) {
  return std::string(std::array{"default", "small", "odd"}[std::get<0>(test.param)]) + "_seed" +
         std::to_string(std::get<1>(test.param));
}

}  // namespace gmmu::bench
