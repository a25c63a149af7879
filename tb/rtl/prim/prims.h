// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Vgmmu_prim_bench.h"
#include "tb/rtl/block_test.h"

namespace gmmu::bench {

/// The primitives' bench after a reset.
class PrimTest : public BlockTest<BlockBench<Vgmmu_prim_bench>> {
 protected:
  PrimTest() { Reset(); }
};

}  // namespace gmmu::bench
