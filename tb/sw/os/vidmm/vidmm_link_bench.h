// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/vidmm_link.h"
#include "tb/sw/os/linked_bench.h"
#include "workload/clients.h"

namespace gmmu::os::test {

/// A process on all GPUs. An allocation of one GPU is mapped in the process on every GPU.
struct Shared {
  Shared(workload::Life& life, unsigned home, uint64_t pages = 2) : life(life), home(home), pages(pages) {
    life.worker.Call([&] {
      process = life.link.CreateProcess("process");
      allocation = life.link.on(home).CreateAllocation("data", pages * hw::kPageSize);
      life.link.on(home).MakeResident(*allocation);
      va = life.link.ReserveVa(*process, pages * hw::kPageSize);
      life.link.MapEverywhere(*process, va, *allocation, 0, pages);
    });
  }
  workload::ClientRun Client(unsigned gpu, bool write, uint64_t seed) const {
    workload::ClientRun run = workload::AllLines(process->parts[gpu], va, pages * hw::kPageSize);
    run.pattern = seed;
    run.write = write;
    return run;
  }
  void RunClient(unsigned gpu, const workload::ClientRun& run, const std::string& what) {
    workload::RunClients(life.link.on(gpu), {run}, what, life.result.checks);
  }
  void End() {
    life.worker.Call([&] {
      life.link.UnmapEverywhere(*process, va, pages);
      life.link.FreeVa(*process, va);
      life.link.on(home).DestroyAllocation(allocation);
      life.link.DestroyProcess(process);
    });
  }

  workload::Life& life;
  unsigned home;
  uint64_t pages;
  VidMmLink::Process* process = nullptr;
  Allocation* allocation = nullptr;
  uint64_t va = 0;
};

inline void ExpectGood(const workload::JobResult& result) {
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_THAT(result.leaks, ::testing::IsEmpty());
  EXPECT_THAT(result.findings, ::testing::IsEmpty());
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
  EXPECT_TRUE(result.verified);
}

}  // namespace gmmu::os::test
