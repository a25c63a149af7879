// SPDX-License-Identifier: Apache-2.0
// Drives the bench of the top's small blocks.
#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <vector>
#include "Vgmmu_top_blocks_bench.h"
#include "tb/rtl/block_test.h"

namespace gmmu::top {

constexpr unsigned kBeat = sizeof(Vgmmu_top_blocks_bench::int_w_data_o);  ///< bytes of a bus beat

/// The blocks after a reset. Sizes are numbered as in gmmu_top_blocks_bench.sv.
class Blocks : public BlockBench<Vgmmu_top_blocks_bench> {
 public:
  Blocks(unsigned size, uint64_t seed) : BlockBench(size, seed) { Reset(); }

  /// Drives the cycle counter inputs of all blocks, then settles.
  void Settle() {
    t.log_cycle_i = t.regs_cycle_i = now;
    BlockBench::Settle();
  }
};
using BlocksTest = BlockTest<Blocks>;

}  // namespace gmmu::top
