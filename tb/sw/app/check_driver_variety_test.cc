// SPDX-License-Identifier: Apache-2.0
// Tests that check-driver detects drivers that mishandle sizes or offsets. Most of these errors
// show only with os.variety: without it, operations start at the beginning of a buffer, and no
// operation is split.
#include <cstdlib>

#include "app/check_driver.h"
#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::HasSubstr;

struct Misdeed {
  const char* driver;
  const char* name;
  const char* scenario;  // a scenario that detects the error
  bool only_by_variety;  // not detected without os.variety
};

void PrintTo(const Misdeed& misdeed, std::ostream* out) { *out << misdeed.name << " in " << misdeed.scenario; }

constexpr const char* kGpuMmu = "misbehaving";
constexpr const char* kPhysical = "physical_misbehaving";

// clang-format off
constexpr Misdeed kMisdeeds[] = {
    {kGpuMmu, "whole_page_transfers", "varied-work", false},
    {kGpuMmu, "page_aligned_transfers", "varied-work", true},
    {kGpuMmu, "whole_page_fills", "varied-work", false},
    {kGpuMmu, "offset_added_to_address", "varied-work", false},
    {kGpuMmu, "unmaps_whole_runs", "varied-work", false},
    {kGpuMmu, "starts_at_whole_runs", "main-job", true},
    {kGpuMmu, "ignores_room", "main-job", true},
    {kGpuMmu, "resumes_one_late", "dual-pte", true},
    {kGpuMmu, "submits_from_buffer_start", "main-job", true},
    {kPhysical, "no_transfer_offset", "varied-work", true},
    {kPhysical, "no_mdl_offset", "main-job", true},
    {kPhysical, "transfer_offset_on_mdl", "varied-work", true},
    {kPhysical, "whole_page_transfers", "varied-work", false},
    {kPhysical, "whole_page_fills", "varied-work", false},
    {kPhysical, "ignores_room", "varied-work", true},
    {kPhysical, "resumes_one_late", "varied-work", true},
    {kPhysical, "submits_from_buffer_start", "varied-work", true},
};
// clang-format on

struct CheckDriverVariety : Cli, ::testing::WithParamInterface<Misdeed> {
  int Check(std::vector<std::string> more) {
    const Misdeed& misdeed = GetParam();
    std::vector<std::string> arguments{"check-driver", std::string(GMMU_DRIVERS) + misdeed.driver + ".so",
                                       "--only",       misdeed.scenario,
                                       "--seed",       "1"};
    if (misdeed.driver == std::string(kPhysical)) more.insert(more.end(), {"--device", "none"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }
};

TEST_P(CheckDriverVariety, FindsADriverThatForgetsARule) {
  setenv("GMMU_MISDEED", GetParam().name, 1);
  EXPECT_EQ(Check({}), kExitFailed) << out_;
  EXPECT_THAT(out_, HasSubstr("1 failed")) << out_;
  const int without = Check({"--set", "os.variety=0"});
  EXPECT_EQ(without, GetParam().only_by_variety ? kExitGood : kExitFailed) << out_;
  unsetenv("GMMU_MISDEED");
  EXPECT_EQ(Check({}), kExitGood) << out_;
}

INSTANTIATE_TEST_SUITE_P(Rules, CheckDriverVariety, ::testing::ValuesIn(kMisdeeds), [](const auto& info) {
  return std::string(info.param.driver == std::string(kGpuMmu) ? "gpu_mmu_" : "physical_") + info.param.name;
});

}  // namespace
}  // namespace gmmu::app
