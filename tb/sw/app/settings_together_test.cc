// SPDX-License-Identifier: Apache-2.0
// Runs scenarios with settings from other scenarios. A procedure must not rely on the settings of
// the scenario to which it belongs.
#include "cli_bench.h"

namespace gmmu::app {
namespace {

struct Together {
  const char* scenario;
  std::vector<std::string> set;
};

class SettingsTogether : public Cli, public ::testing::WithParamInterface<Together> {};

TEST_P(SettingsTogether, EndAsTheScenarioMust) {
  std::vector<std::string> arguments = {"run", "--engine", "fast", "--scenario", GetParam().scenario};
  for (const std::string& change : GetParam().set) arguments.insert(arguments.end(), {"--set", change});
  EXPECT_EQ(Run(arguments), kExitGood) << out_ << err_;
}

const Together kTogether[] = {
    {"noisy-device", {"os.physical_submission=true"}},
    {"noisy-device-write", {"os.physical_submission=true"}},
    {"noisy-device-message", {"os.physical_submission=true"}},
    {"exclusive-access-under-load", {"os.physical_submission=true"}},
    {"dma-mode-switch", {"os.iommu_flags=7"}},
    {"dma-mode-switch", {"os.iommu_flags=15", "driver.own_va_kib=1", "driver.contiguous_pages=false"}},
    {"dma-mode-switch", {"driver.isolation_required=true"}},
    {"no-execute", {"driver.leaf_64k=true"}},
    {"no-execute", {"driver.leaf_64k=true", "driver.dual_pte=true"}},
    {"render-preemption", {"driver.update_mode=gpu_virtual", "driver.own_va_kib=1"}},
    {"system-memory-hidden", {"gpu.count=3"}},
    {"sleep-with-processes", {"driver.system_segment_kib=2048"}},
    {"forced-isolation", {"driver.system_segment_kib=4096"}},
    {"leaf-64k", {"driver.system_segment_kib=16384"}},
    {"two-adapters", {"driver.system_segment_kib=2048"}},
};

struct SettingsApart : Cli {};

TEST_F(SettingsApart, ASegmentOfSystemMemoryIsForGpusThatAreNotLinked) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--set", "gpu.count=2", "--set", "driver.system_segment_kib=2048"}),
            kExitUsage);
  EXPECT_THAT(err_, ::testing::HasSubstr("driver.system_segment_kib: a segment of system memory"));
  EXPECT_EQ(Run({"run", "--engine", "fast", "--set", "driver.system_segment_kib=2049"}), kExitUsage);
  EXPECT_THAT(err_, ::testing::HasSubstr("driver.system_segment_kib"));
}

// If the visible segment does not end at a large-page boundary, a large page of the hidden segment
// would start inside one of the GPU's large pages.
TEST_F(SettingsApart, LargePagesAreNotForAHiddenSegmentThatBeginsWithinOne) {
  const auto run = [&](const char* visible) {
    return Run({"run", "--engine", "fast", "--scenario", "page-entries", "--set", "gpu.vram_mib=16", "--set",
                std::string("driver.visible_vram_kib=") + visible});
  };
  EXPECT_EQ(run("4096"), kExitGood) << out_;
  for (const char* odd : {"1024", "1088", "2112", "4160"}) {
    EXPECT_EQ(run(odd), kExitNotApplicable) << odd << out_;
    EXPECT_THAT(out_, ::testing::HasSubstr("DXGK_GPUMMUCAPS.LargePageSupported is 0x0"));
  }
  const auto replay = [&](const char* visible) {
    return Run({"replay", "gen:random,footprint=8MiB,count=3000", "--engine", "fast", "--page-size", "2m", "--set",
                std::string("driver.visible_vram_kib=") + visible});
  };
  EXPECT_EQ(replay("4096"), kExitGood) << out_ << err_;
  EXPECT_EQ(replay("1088"), kExitUsage) << out_;
  EXPECT_THAT(err_, ::testing::HasSubstr("needs a driver.visible_vram_kib that is a multiple of 2048"));
}

INSTANTIATE_TEST_SUITE_P(All, SettingsTogether, ::testing::ValuesIn(kTogether), [](const auto& info) {
  std::string name = std::string(info.param.scenario) + "_" + std::to_string(info.index);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace gmmu::app
