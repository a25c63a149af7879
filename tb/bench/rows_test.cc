// SPDX-License-Identifier: Apache-2.0
// Tests the real rows: their names, equal results of two runs, and agreement of the bare loop and the co-simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "tb/bench/fpga_rows.h"
#include "tb/bench/ring_job.h"
#include "tb/bench/row.h"
#include "tb/bench/sc_array_platform.h"

namespace gmmu::bench {
namespace {

Row Measure(const std::string& name) {
  for (const Measurement& each : AllRows()) {
    if (each.row.name != name) continue;
    Row row = each.row;
    each.measure(row);
    return row;
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(BenchRows, HaveNamesOfTheirOwnUnitsAndConfigurations) {
  std::set<std::string> names;
  for (const Measurement& each : AllRows()) {
    EXPECT_TRUE(names.insert(each.row.name).second) << each.row.name;
    EXPECT_FALSE(each.row.unit.empty()) << each.row.name;
  }
  EXPECT_GE(names.size(), 25u);
}

TEST(BenchRows, OfCyclesAreTheSameInEveryRun) {
  for (const char* name : {"cold walk, 3 reads", "64 B copies through 4 KiB pages"}) {
    const Row first = Measure(name), again = Measure(name);
    EXPECT_EQ(first.figure, again.figure) << name;
    EXPECT_GT(first.figure, 0) << name;
  }
}

TEST(BenchProgram, HasTheseRowsAndExitStatuses) {
  std::string names;
  std::FILE* list = popen(GMMU_BENCH_PROGRAM " --list", "r");
  ASSERT_NE(list, nullptr);
  for (int c = std::fgetc(list); c != EOF; c = std::fgetc(list)) names += static_cast<char>(c);
  EXPECT_EQ(pclose(list), 0);
  std::string expected;
  for (const Measurement& each : AllRows()) expected += each.row.name + "\n";
  EXPECT_EQ(names, expected);
  const int status = std::system(GMMU_BENCH_PROGRAM " --filter 'no such row' 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

ArrayTiming Latency(unsigned cycles) {
  ArrayTiming timing;
  timing.latency = timing.write_latency = cycles;
  timing.reads = timing.writes = 64;
  return timing;
}

/// Runs the job in both machines. The bare machine's host memory can have a different latency.
struct Pair {
  explicit Pair(const RingWork& work, unsigned bare_latency)
      : job(work),
        coupled(Latency(100), Unlimited(100), RingJob::Script()),
        bare(Latency(100), Unlimited(bare_latency), RingJob::Script()) {
    job.Prepare(coupled.vram(), coupled.host());
    job.Prepare(bare.vram(), bare.host());
    for (unsigned slices = 0; slices < 200; ++slices) {
      if (RingJob::Done(coupled.host()) && RingJob::Done(bare.host())) break;
      coupled.Run(1000);
      bare.RunTo(coupled.cycles_evaluated());
    }
  }
  static ArrayTiming Unlimited(unsigned latency) {
    ArrayTiming timing = Latency(latency);
    timing.reads = ~size_t{0};
    return timing;
  }
  bool Same() { return std::memcmp(coupled.host().data(), bare.host().data(), BareGpu::kMemoryBytes) == 0; }
  RingJob job;
  ArrayPlatform coupled;
  BareGpu bare;
};

TEST(BareLoop, DoesCycleForCycleWhatTheCoSimulationDoes) {
  for (const bool physical : {false, true}) {
    RingWork work;
    work.size = 4099;
    work.stride = 4160;
    work.total = 4 * work.size;
    work.source_skew = 5;
    work.physical = physical;
    Pair pair(work, 100);
    EXPECT_EQ(pair.job.Check(pair.coupled.vram(), pair.coupled.host()), "");
    EXPECT_EQ(pair.job.Check(pair.bare.vram(), pair.bare.host()), "");
    EXPECT_TRUE(pair.Same());  // Same() also compares the cycle in the fence record
    EXPECT_EQ(pair.coupled.cycles_evaluated(), pair.bare.cycle());
    EXPECT_EQ(pair.coupled.transactions(), pair.bare.host_port().bursts());
    EXPECT_EQ(pair.coupled.translations(), pair.bare.translations());
    EXPECT_EQ(pair.bare.translations() > 0, !physical);
    EXPECT_THAT(pair.coupled.Findings(), ::testing::IsEmpty());
    EXPECT_THAT(pair.bare.Findings(), ::testing::IsEmpty());
  }
}

TEST(BareLoop, IsSeenToDifferWhenItsMemoryIsACycleLate) {
  RingWork work;
  work.size = work.stride = work.total = 4096;
  Pair pair(work, 101);
  EXPECT_EQ(pair.job.Check(pair.bare.vram(), pair.bare.host()), "");
  EXPECT_FALSE(pair.Same());
}

TEST(RingJob, NamesAWrongByte) {
  RingWork work;
  work.size = work.stride = work.total = 4096;
  const RingJob job(work);
  sim::VramCore vram(BareGpu::kMemoryBytes), host(BareGpu::kMemoryBytes);
  job.Prepare(vram, host);
  EXPECT_THAT(job.Check(vram, host), ::testing::HasSubstr("of the destination is 0x0"));
}

class FpgaRows : public ::testing::Test {
 protected:
  ~FpgaRows() override { std::filesystem::remove(path_); }
  std::vector<Row> Measured() {
    Measurements rows;
    AddFpgaRowsOf(rows, path_, path_ + "-board");
    std::vector<Row> measured;
    for (const Measurement& each : rows) {
      measured.push_back(each.row);
      each.measure(measured.back());
    }
    return measured;
  }
  const std::string path_ =  // tests run in parallel, so the name contains the process id
      (std::filesystem::path(testing::TempDir()) / ("synth-" + std::to_string(getpid()))).string();
};

TEST_F(FpgaRows, AreMissingUntilTheSynthesisRan) {
  for (const Row& row : Measured()) {
    EXPECT_EQ(row.state, Row::State::kMissing);
    EXPECT_THAT(row.note, testing::StartsWith("run "));
  }
}

TEST_F(FpgaRows, AddUpTheBlocks) {
  std::ofstream(path_)
      << R"({"device": "ECP5-85F speed 6", "config": "4 clients", "fmax_mhz": 81.5, "place_seconds": 500,
    "cells": {
      "": {"lut": 1}, "by nextpnr": {"lut": 2},
      "u_gpu.u_engine.u_mover": {"lut": 2000}, "u_gpu.u_engine.u_ring": {"lut": 10},
      "u_gpu.u_engine.u_fetch": {"lut": 20}, "u_gpu.u_engine.u_command": {"lut": 30},
      "u_gpu.u_mmu": {"lut": 100}, "u_gpu.u_mmu.u_lookup": {"lut": 4000},
      "u_gpu.u_mmu.u_engine_l1": {"lut": 300}, "u_gpu.u_mmu.u_engine_l1.u_l1": {"lut": 500},
      "u_gpu.u_mmu_of_another_kind": {"lut": 7}}})";
  const std::vector<Row> rows = Measured();
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].figure, 6970);
  EXPECT_EQ(rows[1].state, Row::State::kMissing) << "the board profile was not placed";
  EXPECT_EQ(rows[2].figure, 2800);
  EXPECT_EQ(rows[3].figure, 4900);
  EXPECT_EQ(rows[4].figure, 60);
  EXPECT_EQ(rows[5].figure, 81.5);
  EXPECT_FALSE(*rows[5].Met());
  EXPECT_EQ(rows[6].figure, 500);
}

}  // namespace
}  // namespace gmmu::bench
