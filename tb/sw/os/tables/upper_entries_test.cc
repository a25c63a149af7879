// SPDX-License-Identifier: Apache-2.0
// Tests entries above the leaves that are replaced by tables.
#include "tb/sw/os/tables/tables_bench.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

// With either order of tables, a zero entry at level 1 is split into a table of zero entries when one page is mapped.
TEST_F(TableLife, AZeroEntryAboveTheLeafIsSplitInEveryOrderOfTables) {
  for (const BringUp order : {BringUp::kLinked, BringUp::kWindows22621}) {
    bench.options.os.bring_up = order;
    bench.config.gpu.vram_mib = 8;
    RunOnWorker([&](Life& life) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* data = Filled(life, 1, 0x300);
      const uint64_t va = 0x10000000;
      life.vidmm.mappings().MapZero(*process, va, 512);
      life.vidmm.Map(*process, va + 2 * kPage, *data, 0, 1);
      Reads(life, process, va + kPage, {0, 0x300, 0});
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  }
}

}  // namespace
}  // namespace gmmu::os::test
