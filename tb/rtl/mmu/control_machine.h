// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "Vgmmu_mmu_control_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/mmu/key.h"
#include "tb/rtl/structs.h"

namespace gmmu::bench {

/// Drives the bench of gmmu_control, gmmu_space_table and gmmu_sweep after a reset. Sizes: default, small, odd.
class ControlBench : public BlockBench<Vgmmu_mmu_control_bench> {
 public:
  ControlBench(unsigned size, uint64_t seed) : BlockBench(size, seed) {
    t.size_i = static_cast<uint8_t>(size);
    Reset();
  }
  unsigned Spaces() const { return std::array{16u, 2u, 3u}[n]; }
  unsigned Steps() const { return std::array{16u, 2u, 5u}[n]; }  ///< number of steps of a sweep
};
using ControlBenchTest = BlockTest<ControlBench>;

}  // namespace gmmu::bench
