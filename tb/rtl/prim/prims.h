// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "Vgmmu_prim_bench.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu::bench {

/// The primitives' bench, clocked by Step; the test's parameter is the seed.
class PrimTest : public testing::TestWithParam<int> {
 protected:
  PrimTest() : random_(static_cast<uint64_t>(GetParam())) {
    context_.randReset(0);
    context_.assertOn(true);
    top_ = std::make_unique<Vgmmu_prim_bench>(&context_);
    top_->rst_i = 1;
    for (int i = 0; i < 3; ++i) Step();
    top_->rst_i = 0;
    top_->eval();
  }
  ~PrimTest() override { top_->final(); }
  void Step() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
  }
  unsigned Random(unsigned below) { return static_cast<unsigned>(random_() % below); }

  VerilatedContext context_;
  std::mt19937_64 random_;
  std::unique_ptr<Vgmmu_prim_bench> top_;
  Coverage coverage_{context_};
};

}  // namespace gmmu::bench
