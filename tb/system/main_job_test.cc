// SPDX-License-Identifier: Apache-2.0
// Tests the program as users run it: driver, OS model, co-simulated RTL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "os/kernel/kernel.h"
#include "tb/system/program.h"
#include "workload/input.h"

namespace gmmu {
namespace {

using ::testing::StartsWith;

TEST_F(Program, BringsNoByteBack) { ExpectRoundTrip(0); }
TEST_F(Program, BringsOneByteBack) { ExpectRoundTrip(1); }
TEST_F(Program, BringsAPageLessOneByteBack) { ExpectRoundTrip(4095); }
TEST_F(Program, BringsAPageBack) { ExpectRoundTrip(4096); }
TEST_F(Program, BringsAPageAndAByteBack) { ExpectRoundTrip(4097); }
TEST_F(Program, BringsAnOddMiBBack) { ExpectRoundTrip((1 << 20) + 3); }
TEST_F(Program, RunsInPhysicalMode) { ExpectRoundTrip(200'000, "--config " + Shipped("physical")); }
TEST_F(Program, RunsInPiecesWithOneMiBOfVram) { ExpectRoundTrip(700'000, "--config " + Shipped("vram-1mib")); }
TEST_F(Program, RunsOnATwoTiBHost) { ExpectRoundTrip(200'000, "--config " + Shipped("host-2tib-gpu-40bit")); }

TEST_F(Program, RepeatsItselfAndFollowsItsSeed) {
  const std::string input = WriteInput(100'000);
  ASSERT_EQ(Run("run " + input + " --json " + Path("a")), 0) << Get("log");
  ASSERT_EQ(Run("run " + input + " --json " + Path("b")), 0) << Get("log");
  ASSERT_EQ(Run("run " + input + " --seed 7 --json " + Path("c")), 0) << Get("log");
  EXPECT_EQ(Report("a")["cycles"], Report("b")["cycles"]);
  EXPECT_EQ(Report("a")["counters"], Report("b")["counters"]);
  EXPECT_NE(Report("a")["counters"], Report("c")["counters"]);
}

TEST_F(Program, DumpsHostMemoryAndTheMappingsOfTheDevice) {
  ASSERT_EQ(Run("run " + WriteInput(10'000) + " --dump-host " + Path("image")), 0) << Get("log");
  EXPECT_THAT(Get("image"), StartsWith("HOSTIMG1"));
  const auto mappings = Report("image.json");
  EXPECT_EQ(mappings["aw_bits"], 48);
  ASSERT_EQ(mappings["devices"].size(), 1u);
  EXPECT_EQ(mappings["devices"][0]["bdf"], "01:00.0");
  EXPECT_EQ(mappings["devices"][0]["domain"], 1);
  uint64_t bytes = 0;
  for (const auto& mapping : mappings["devices"][0]["mappings"]) bytes += mapping["bytes"].get<uint64_t>();
  EXPECT_GT(bytes, 20 * 4096u);
}

TEST_F(Program, FailsWhenALogicalPageIsNotMapped) {
  ExpectFailure("[inject]\nunmapped_page = true\n", "no read permission");
  EXPECT_FALSE(Report()["faults"].empty());
}
TEST_F(Program, FailsWhenAnEntryNamesAnotherPage) { ExpectFailure("[inject]\nwrong_pte = true\n", "check \"clients"); }
TEST_F(Program, FailsWhenAnAdlNamesAnotherPage) {
  ExpectFailure("[gpu]\nlimit_bits = 48\n[os]\niommu = \"physical\"\n[inject]\nwrong_adl = true\n", "check \"clients");
}
TEST_F(Program, FailsWhenAFenceIsNeverSignalled) {
  ExpectFailure("[inject]\ndrop_fence = true\n", "fence 1 of node 0");
}
TEST_F(Program, FailsWhenABitOfVramFlips) {
  ExpectFailure("[inject.vram_flip]\nafter_write_bytes = 400000\n", "check \"", 400'000);
}
TEST_F(Program, FailsWhenAFlushIsMissing) { ExpectFailure("[inject]\nmissing_flush = true\n", "translation checker"); }

TEST_F(Program, SurvivesLateInterrupts) {
  Put("config.toml", "[inject]\nlate_interrupt_ns = 5000\n");
  EXPECT_EQ(Run("run " + WriteInput(10'000) + " --config " + Path("config.toml")), 0) << Get("log");
}

}  // namespace
}  // namespace gmmu
