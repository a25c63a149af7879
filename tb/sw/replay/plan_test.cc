// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/replay.h"
#include "tb/sw/replay/sources.h"

namespace gmmu::replay {
namespace {

using testing::HasSubstr;

const MachineFacts kMachine{4, 64 << 20, 48};

std::string Refusal(const Options& options, const trace::Header& header = {},
                    const std::vector<trace::Access>& accesses = RandomAccesses(1 << 20, 100, 1)) {
  try {
    MakePlan(options, header, Opens(accesses), kMachine);
  } catch (const ReplayError& error) {
    return error.what();
  }
  return "";
}

TEST(Plan, FillsInWhatOptionsLeaveOpen) {
  Options options;
  options.skip = 10, options.warmup = 20;
  trace::Header header;
  header.window = 3;
  const Plan plan = MakePlan(options, header, Opens(RandomAccesses(1 << 20, 100, 1)), kMachine);
  EXPECT_EQ(plan.options.compute_units, 4u);
  EXPECT_EQ(plan.options.window, 3u);
  EXPECT_EQ(plan.warmup, 20u);
  EXPECT_EQ(plan.region, 70u);
  options.accesses = 5;
  EXPECT_EQ(MakePlan(options, {}, Opens(RandomAccesses(1 << 20, 100, 1)), kMachine).region, 5u);
}

TEST(Plan, RefusesWhatCannotRunAndSaysTheWayOut) {
  trace::Header physical;
  physical.addresses = trace::Addresses::kPhysical;
  EXPECT_THAT(Refusal({}, physical), HasSubstr("virtual"));
  Options options;
  options.compute_units = 5;
  EXPECT_THAT(Refusal(options), HasSubstr("gpu.clients"));
  options = {};
  options.warmup = 100;
  EXPECT_THAT(Refusal(options), HasSubstr("smaller"));
  options = {};
  options.fragmented = 10, options.page_size = PageSize::k64k;
  EXPECT_THAT(Refusal(options), HasSubstr("64k"));
  options.page_size = PageSize::k4k, options.memory = Memory::kSystem;
  EXPECT_THAT(Refusal(options), HasSubstr("system"));
  options.fragmented = 0, options.page_size = PageSize::k2m;
  EXPECT_THAT(Refusal(options), HasSubstr("2m"));
  options = {};
  options.demand = true, options.memory = Memory::kSystem;
  EXPECT_THAT(Refusal(options), HasSubstr("--memory system"));
  options = {};
  options.prefetch = 4;
  EXPECT_THAT(Refusal(options), HasSubstr("--demand"));
  options.demand = true, options.resident_mib = 1;
  EXPECT_THAT(Refusal(options), HasSubstr("--batch"));
  options.batch = 16;
  EXPECT_EQ(Refusal(options), "");
  trace::Header open;
  open.loop = trace::Loop::kOpen;
  options = {};
  options.gap = 1;
  EXPECT_THAT(Refusal(options, open), HasSubstr("arrive"));
  options = {};
  options.keep_gaps = true;
  auto far = RandomAccesses(1 << 20, 10, 1);
  far.front().address = uint64_t{1} << 56;
  EXPECT_THAT(Refusal(options, {}, far), HasSubstr("--keep-gaps"));
  EXPECT_EQ(Refusal({}, {}, far), "");
  EXPECT_THAT(Refusal({}, {}, RandomAccesses(1 << 30, 20'000, 1)), HasSubstr("gpu.vram_mib"));
  options = {};
  options.memory = Memory::kSystem;
  EXPECT_EQ(Refusal(options, {}, RandomAccesses(1 << 30, 20'000, 1)), "");
}

}  // namespace
}  // namespace gmmu::replay
