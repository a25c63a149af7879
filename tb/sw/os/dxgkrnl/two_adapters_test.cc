// SPDX-License-Identifier: Apache-2.0
// Tests two logical adapters in one machine. The expected behaviour follows Microsoft's
// documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmd/entry_points.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "tb/sw/os/linked_bench.h"
#include "workload/other_adapter.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using workload::Life;

struct TwoAdaptersBench : LinkedBench {
  explicit TwoAdaptersBench(unsigned gpus = 2, uint64_t linked = 1) : LinkedBench(gpus) {
    config.gpu.vram_mib = 4;
    options.os.linked_gpus = linked;
  }
  void RunProcedure(uint64_t isolates, uint64_t resets, uint64_t removes = 0) {
    const auto result = Run([&](Life& life) {
      workload::FindProcedure("two_adapters")
          ->run(life, {{"bytes", 4096},
                       {"linked", 1},
                       {"removes", removes},
                       {"isolates", isolates},
                       {"resets", resets},
                       {"trespasses", 0}});
    });
    EXPECT_EQ(FaultOf(result), "");
    EXPECT_TRUE(result.verified);
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_THAT(result.findings, IsEmpty());
  }
};

TEST(TwoAdapters, StartStopAndAreResetAlone) {
  TwoAdaptersBench bench;
  bench.options.os.quantum_us = 50;
  bench.options.os.tdr_delay_us = 100;
  bench.RunProcedure(0, 2000);
}

TEST(TwoAdapters, OneIsIsolatedAlone) {
  TwoAdaptersBench bench;
  bench.options.os.limit_bits = 33;
  bench.options.os.driver["Isolation"] = 1;
  bench.options.os.iommu = RemapPolicy::kNever;
  bench.options.os.secure_vm_key = true;
  bench.RunProcedure(1, 0);
}

/// State of a separate driver for the second adapter, which counts its calls.
struct SecondDriver {
  DRIVER_INITIALIZATION_DATA real;
  unsigned built, unloaded;
} second;

NTSTATUS SecondBuild(HANDLE context, DXGKARG_BUILDPAGINGBUFFER* args) {
  ++second.built;
  return second.real.DxgkDdiBuildPagingBuffer(context, args);
}

NTSTATUS SecondEntry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  if (!NT_SUCCESS(status)) return status;
  DRIVER_INITIALIZATION_DATA table = second.real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiBuildPagingBuffer = SecondBuild;
  table.DxgkDdiUnload = [] {
    ++second.unloaded;
    if (second.real.DxgkDdiUnload != nullptr) second.real.DxgkDdiUnload();
  };
  return DxgkInitialize(object, path, &table);
}

TEST(TwoAdapters, EachHasItsDriver) {
  second = {};
  TwoAdaptersBench bench;
  const auto result = bench.Run([](Life& life) {
    workload::RunSeededMainJob(life, 4096, "before: ");
    EXPECT_EQ(second.built, 0u);
    workload::OtherAdapter other(life, SecondEntry);
    other.Start();
    const unsigned started = second.built;
    EXPECT_GT(started, 0u);
    workload::RunSeededMainJob(life, 4096, "beside: ");
    EXPECT_EQ(second.built, started);
    workload::RunSeededMainJob(other.life(), 4096, "second: ");
    EXPECT_GT(second.built, started);
    other.Stop();
    EXPECT_EQ(second.unloaded, 1u);
    workload::RunSeededMainJob(life, 4096, "after: ");
  });
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_TRUE(result.verified);
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_EQ(second.unloaded, 1u);
}

TEST(TwoAdapters, OneIsPulledOutOfItsSlot) {
  TwoAdaptersBench bench;
  bench.config.gpu.rings = 2;
  bench.RunProcedure(0, 0, 1);
}

TEST(TwoAdapters, TwoLinkedGpusAndOneAlone) {
  TwoAdaptersBench bench(3, 2);
  const auto result = bench.Run([](Life& life) {
    workload::OtherAdapter other(life);
    other.Start();
    EXPECT_EQ(life.adapter.adapters(), 2u);
    EXPECT_EQ(other.life().adapter.adapters(), 1u);
    EXPECT_NE(life.adapter.domain(), other.life().adapter.domain());
    workload::RunSeededMainJob(other.life(), 4096);
    other.Stop();
  });
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST(TwoAdapters, WithoutASecondGpuTheStartIsRefusedAndTheFirstOneWorksOn) {
  TwoAdaptersBench bench(1);
  const auto result = bench.Run([](Life& life) {
    workload::OtherAdapter other(life);
    try {
      other.Start();
      FAIL() << "it started";
    } catch (const OsError& error) {
      EXPECT_THAT(error.what(), HasSubstr("no other GPU"));
    }
    workload::RunSeededMainJob(life, 4096);
  });
  EXPECT_TRUE(result.verified);
}

}  // namespace
}  // namespace gmmu::os::test
