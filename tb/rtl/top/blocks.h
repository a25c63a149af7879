// SPDX-License-Identifier: Apache-2.0
// The bench of the top's small blocks: a clock, chance, and offers that keep the valid/ready
// contract.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "Vgmmu_top_blocks_bench.h"
#include "tb/rtl/coverage.h"
#include "tb/rtl/manner.h"
#include "verilated.h"

namespace gmmu::top {

constexpr unsigned kBeat = sizeof(Vgmmu_top_blocks_bench::int_w_data_o);  ///< bytes of the bus

/// The blocks with a clock.
class Blocks : public Dice {
  VerilatedContext context_;  // goes last

 public:
  explicit Blocks(uint64_t seed) : Dice(seed) {
    context_.randReset(0);
    context_.assertOn(true);
    top = std::make_unique<Vgmmu_top_blocks_bench>(&context_);
    Reset();
  }
  ~Blocks() { top->final(); }

  void Reset() {
    top->rst_i = 1;
    for (int i = 0; i < 3; ++i) Settle(), Edge();
    top->rst_i = 0;
  }
  /// Outputs follow the inputs that were set.
  void Settle() {
    top->log_cycle_i = top->regs_cycle_i = now;
    top->clk_i = 0;
    top->eval();
  }
  void Edge() {
    top->clk_i = 1;
    top->eval();
    ++now;
  }

  uint64_t now = 0;  ///< cycles, those of reset too
  std::unique_ptr<Vgmmu_top_blocks_bench> top;

 private:
  Coverage coverage_{context_};
};

/// A fixture with the blocks. Its parameters are the size, as gmmu_top_blocks_bench.sv numbers it,
/// and the seed; a manner goes with every seed.
class BlocksTest : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  BlocksTest()
      : n(std::get<0>(GetParam())),
        seed(std::get<1>(GetParam())),
        manner(kManners[seed % 4]),
        blocks(static_cast<uint64_t>(seed)),
        t(*blocks.top),
        trace_(__FILE__, __LINE__, "size " + std::to_string(n) + " seed " + std::to_string(seed)) {}

  const int n, seed;
  Manner manner;
  Blocks blocks;
  Vgmmu_top_blocks_bench& t;

 private:
  testing::ScopedTrace trace_;
};

}  // namespace gmmu::top
