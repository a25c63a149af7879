// SPDX-License-Identifier: Apache-2.0
// Tests entries above the leaf level that are replaced by tables.
#include "tb/sw/os/tables/tables_bench.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

// When one page is mapped in the range of a zero entry at level 1, the entry is replaced by a table
// of zero entries. Both orders of creating tables are tested.
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

// The root is a level-1 table. Its first link is to a leaf table of 64 KiB entries.
TEST_F(TableLife, ARootIsWrittenWholeBeforeItsFirstLinkTo64KEntries) {
  for (const BringUp order : {BringUp::kLinked, BringUp::kWindows22621}) {
    bench.options.os.bring_up = order;
    bench.config.gpu.vram_mib = 8;
    bench.config.gpu.page_table_bits = bench.options.os.page_table_bits = {13, 13};
    bench.options.os.driver["Leaf64k"] = 1;
    RunOnWorker([&](Life& life) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* data = Filled(life, 16, 0x300);
      const uint64_t va = 0x10000000;
      life.vidmm.Map(*process, va, *data, 0, 16);
      EXPECT_TRUE(Is64k(*process, va));
      Reads(life, process, va, {0x300});
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  }
}

}  // namespace
}  // namespace gmmu::os::test
