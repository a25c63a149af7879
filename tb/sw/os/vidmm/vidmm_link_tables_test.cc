// SPDX-License-Identifier: Apache-2.0
// Tests page tables and copied mappings of linked adapters. The expected behaviour follows
// Microsoft's documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/tables/address_space.h"
#include "os/base/page_math.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/residency.h"
#include "tb/sw/os/vidmm/vidmm_link_bench.h"
#include "workload/device_copy.h"

namespace gmmu::os::test {
namespace {

using workload::ClientRun;
using workload::Life;

TEST(LinkedMemory, TablesMoveOnEveryGpuToOneAddress) {
  LinkedBench bench(3);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    shared.RunClient(2, shared.Client(2, true, 5), "written by a peer");
    const auto root = [&](unsigned gpu) { return shared.process->parts[gpu]->space->root().SegmentOffset; };
    const uint64_t old = root(0);
    // Moves the tables on every GPU, whichever GPU's part of the process is passed.
    life.worker.Call([&] { life.link.on(1).tables().Move(*shared.process->parts[1]); });
    EXPECT_NE(root(0), old);
    EXPECT_EQ(root(1), root(0));
    EXPECT_EQ(root(2), root(0));
    for (unsigned gpu = 0; gpu < 3; ++gpu)
      shared.RunClient(gpu, shared.Client(gpu, false, 5), "read by adapter " + std::to_string(gpu));
    shared.End();
  });
  ExpectGood(result);
}

TEST(LinkedMemory, TablesLeaveAndComeBackOnEveryGpu) {
  LinkedBench bench(2);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    shared.RunClient(0, shared.Client(0, true, 6), "written by a peer");
    const auto away = [&](unsigned gpu) { return shared.process->parts[gpu]->space->evicted(); };
    life.worker.Call([&] { life.link.on(0).tables().Evict(*shared.process->parts[0]); });
    EXPECT_TRUE(away(0) && away(1));
    life.worker.Call([&] { life.link.on(0).tables().Restore(*shared.process->parts[0]); });
    EXPECT_FALSE(away(0) || away(1));
    for (unsigned gpu = 0; gpu < 2; ++gpu)
      shared.RunClient(gpu, shared.Client(gpu, false, 6), "read by adapter " + std::to_string(gpu));
    shared.End();
  });
  ExpectGood(result);
}

TEST(LinkedMemory, VramMayDifferInSize) {
  LinkedBench bench(4);
  bench.config.gpu.unit_vram_mib = {4, 2, 8, 3};
  bench.options.os.driver["LeadAdapter"] = 3;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    bench.options.os.seed = seed;
    ExpectGood(bench.RunLinked(1, 1));
  }
  const auto result = bench.Run([&](Life& life) {
    for (unsigned gpu = 0; gpu < 4; ++gpu)
      EXPECT_EQ(RoundUp(life.adapter.physical(gpu).local_segment().size, 1 << 20),
                bench.config.gpu.unit_vram_mib[gpu] << 20)
          << "but for what the driver keeps to itself";
  });
  EXPECT_EQ(FaultOf(result), "");
}

// The record of mappings is copied as well, so an eviction also invalidates the copies.
TEST(LinkedMemory, MappingsAreCopiedInTheTablesOfEveryGpu) {
  LinkedBench bench(2);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    const size_t before = shared.allocation->mappings.size();
    const uint64_t bytes = shared.allocation->bytes;
    uint64_t copy = 0;
    life.worker.Call([&] {
      copy = life.link.ReserveVa(*shared.process, bytes);
      life.link.CopyEverywhere(*shared.process, shared.va, copy, bytes);
    });
    EXPECT_EQ(shared.allocation->mappings.size(), 2 * before) << "of a peer's memory too";
    for (unsigned gpu = 0; gpu < 2; ++gpu) {
      shared.RunClient(1 - gpu, shared.Client(1 - gpu, true, 8 + gpu), "written at the addresses of the source");
      ClientRun run = shared.Client(gpu, false, 0);
      run.base = copy;
      run.pattern.reset();
      run.crc = workload::LineCrc(workload::PatternAt(shared.va, bytes, 8 + gpu).data(), run.order);
      shared.RunClient(gpu, run, "read by a copied mapping of adapter " + std::to_string(gpu));
    }
    life.worker.Call([&] {
      life.link.on(1).residency().MakeResident({shared.allocation});
      life.link.on(1).residency().Evict(*shared.allocation);
    });
    for (unsigned gpu = 0; gpu < 2; ++gpu) {
      ClientRun run = shared.Client(gpu, false, 9);
      run.base = copy;
      run.order.count = 1;
      run.fault = regs::Fault::kEntryInvalid;
      shared.RunClient(gpu, run, "evicted, by a copied mapping of adapter " + std::to_string(gpu));
    }
    life.worker.Call([&] { life.link.on(1).residency().MakeResident({shared.allocation}); });
    life.worker.Call([&] {
      life.link.UnmapEverywhere(*shared.process, copy, bytes / kPage);
      life.link.FreeVa(*shared.process, copy);
    });
    shared.End();
  });
  ExpectGood(result);
}

TEST(LinkedMemory, PagesOf64KiBAreMappedInTheTablesOfEveryGpu) {
  for (const bool dual : {false, true}) {
    LinkedBench bench(2);
    bench.config.gpu.vram_mib = 8;
    bench.options.os.driver["Leaf64k"] = 1;
    bench.options.os.driver["DualPte"] = dual;
    ExpectGood(bench.RunLinked(0, 1, 32));
  }
}

}  // namespace
}  // namespace gmmu::os::test
