// SPDX-License-Identifier: Apache-2.0
// Drives the bench of the small blocks of rtl/top.
#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <vector>
#include "Vgmmu_top_blocks_bench.h"
#include "hw/gmmu_regs.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::top {

constexpr unsigned kBeat = sizeof(GMMU_STRUCT(gmmu_top_blocks_bench, w_t)::data);  ///< bytes of a bus beat

/// The blocks of gmmu_top_blocks_bench.sv, after a reset. That file also defines the size indices.
class Blocks : public BlockBench<Vgmmu_top_blocks_bench> {
 public:
  using Ax = GMMU_STRUCT(gmmu_top_blocks_bench, ax_t);
  using ReadRequest = GMMU_STRUCT(gmmu_top_blocks_bench, rd_req_t);
  using HostApertureCfg = GMMU_STRUCT(gmmu_top_blocks_bench, host_aperture_cfg_t);
  using ReadResponse = GMMU_STRUCT(gmmu_top_blocks_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_top_blocks_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_top_blocks_bench, wr_rsp_t);
  using Ctl = GMMU_STRUCT(gmmu_top_blocks_bench, mmu_ctl_t);
  using Fault = GMMU_STRUCT(gmmu_top_blocks_bench, fault_info_t);

  Blocks(unsigned size, uint64_t seed) : BlockBench(size, seed) { Reset(); }

  /// Drives the cycle count into all blocks that have such an input, then settles.
  void Settle() {
    t.log_cycle_i = t.regs_cycle_i = now;
    BlockBench::Settle();
  }

  /// Returns a random fault with this reason. If `fence` is false, its fence is 0.
  Fault AnyFault(uint64_t reason, bool fence) {
    Fault f{};
    f.reason = reason;
    f.space = Random(0, 63);
    f.port = Random(0, 127);
    f.access = Random(0, 2);
    f.level = Random(0, 7);
    f.physical = Chance(50);
    f.fence = fence ? static_cast<uint32_t>(rng()) : 0;
    f.address = rng();
    return f;
  }
  /// Returns the first word of the fault's record.
  static uint64_t What(const Fault& f) {
    return regs::FaultRecordWhat{}
        .set_reason(static_cast<regs::Fault>(f.reason))
        .set_space(f.space)
        .set_port_index(f.port)
        .set_access(static_cast<regs::Access>(f.access))
        .set_level(f.level)
        .set_physical(f.physical)
        .set_fence(f.fence)
        .raw;
  }
};
using BlocksTest = BlockTest<Blocks>;

}  // namespace gmmu::top
