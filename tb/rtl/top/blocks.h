// SPDX-License-Identifier: Apache-2.0
// The bench of the top's small blocks: a clock, chance, and offers that keep the valid/ready
// contract.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "Vgmmu_top_blocks_bench.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu::top {

constexpr unsigned kBeat = sizeof(Vgmmu_top_blocks_bench::int_w_data_o);  ///< bytes of the bus

/// How the bench treats a block.
struct Manner {
  unsigned idle_percent, stall_percent;  ///< of the cycles: no input offered, output not taken
};
constexpr Manner kManners[] = {{0, 0}, {60, 0}, {0, 60}, {40, 40}};

/// The blocks with a clock.
class Blocks {
  VerilatedContext context_;  // goes last

 public:
  explicit Blocks(uint64_t seed) : rng(seed) {
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
  bool Chance(unsigned percent) { return rng() % 100 < percent; }
  uint64_t Random(uint64_t low, uint64_t high) { return low + rng() % (high - low + 1); }

  std::mt19937_64 rng;
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

/// An offer that stands until it is taken.
class Offer {
 public:
  bool Now(bool have, Blocks& blocks, unsigned idle_percent) {
    standing_ = have && (standing_ || !blocks.Chance(idle_percent));
    return standing_;
  }
  void Taken() { standing_ = false; }

 private:
  bool standing_ = false;
};

/// Bytes of a port of any width.
template <typename Port>
std::vector<uint8_t> BytesOf(const Port& port) {
  std::vector<uint8_t> bytes(sizeof port);
  std::memcpy(bytes.data(), &port, sizeof port);
  return bytes;
}

}  // namespace gmmu::top
