// SPDX-License-Identifier: Apache-2.0
// Tests settings that the operating system or the driver rejects at power-on, or that a procedure cannot use.
#include "app/not_begun.h"

#include "app/configuration.h"
#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::HasSubstr;

struct NotBegun : Cli {
  /// Expects an error message with `text` in one line, and with the setting names `named` in
  /// another.
  void Refused(const std::string& scenario, const std::vector<std::string>& set, const std::string& text,
               const std::string& named) {
    SCOPED_TRACE(scenario + " with " + named);
    std::vector<std::string> arguments = {"run", "--engine", "fast", "--json", Path("report.json")};
    if (!scenario.empty()) arguments.insert(arguments.end(), {"--scenario", scenario});
    for (const std::string& change : set) arguments.insert(arguments.end(), {"--set", change});
    EXPECT_EQ(Run(arguments), kExitUsage) << out_;
    EXPECT_THAT(err_, HasSubstr("refused before anything had begun: "));
    EXPECT_THAT(err_, HasSubstr(text));
    EXPECT_THAT(err_, HasSubstr("\nChange one of these settings: "));
    EXPECT_THAT(err_, HasSubstr(named));
    EXPECT_THAT(out_, ::testing::IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(Path("report.json")));
  }
};

TEST_F(NotBegun, WhatPowerOnRefusesIsAnErrorOfTheSettings) {
  Refused("", {"driver.map_aperture2=false"}, "DXGK_VIDMMCAPS.MapAperture2Supported is 0",
          "driver.map_aperture2 = false");
  Refused("", {"driver.page_table_alignment=4096", "driver.paging_private_bytes=16", "driver.dma_remapping=false"},
          "Give it gpu.limit_bits", "driver.dma_remapping = false");
  Refused("", {"os.paging_address_is_offset=true"}, "set os.iommu to", "os.paging_address_is_offset = true");
  Refused("", {"os.preset=windows-22621"}, "set os.iommu to", "os.preset = 'windows-22621'");
  Refused("", {"os.bring_up=windows-26100", "gpu.count=2"}, "or set gpu.count = 1", "gpu.count = 2");
  Refused("linked-two", {"os.physical_paging=true"}, "os.physical_paging is for one GPU", "os.physical_paging = true");
  Refused("leaf-64k", {"os.bring_up=windows-22621"},
          "no room in segment 2 for a level 0 table of paging process (its size is made of gpu.vram_mib",
          "gpu.vram_mib = 8");
  Refused("windows-22621", {"driver.leaf_64k=true", "os.preemption=50"}, "no room in segment 2",
          "driver.leaf_64k = true");
}

TEST_F(NotBegun, WhatAProcedureNeedsIsAnErrorOfTheSettings) {
  Refused("threads-interleave", {"driver.context_kib=4"}, "the driver calls DxgkCbCreateContextAllocation",
          "driver.context_kib = 4");
  Refused("system-memory", {"gpu.vram_mib=64"}, "bytes must be more than VRAM holds", "gpu.vram_mib = 64");
  Refused("dma-mode-switch", {"host.memory_gib=2048"}, "the adapter is started in every mode of DMA",
          "host.memory_gib = 2048");
}

TEST_F(NotBegun, IsAnErrorOfAReplayToo) {
  ExpectRefusal({"replay", "gen:random,footprint=256KiB,count=30", "--engine", "fast", "--set",
                 "driver.map_aperture2=false"},
                "driver.map_aperture2 = false");
}

// The settings of these runs are valid. The runs fail because the driver fails to start or a fault
// is injected.
TEST_F(NotBegun, IsAFailedRunWhereSettingsAreNotTheReason) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", GMMU_DRIVERS "refusing.so", "--set", "gpu.vram_mib=32"}),
            kExitFailed);
  EXPECT_EQ(Run({"run", "--engine", "fast", "--set", "inject.fail_allocation=1"}), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("FAILED"));
}

TEST_F(NotBegun, AReasonAloneIsNoRefusal) {
  workload::JobResult result;
  const Configuration changed = Configuration::FromFile("", {"gpu.count=2", "gpu.vram_mib=64"});
  EXPECT_EQ(ChangedSettings(changed, {}), "gpu.count = 2") << "64 is the default";
  EXPECT_EQ(ChangedSettings(changed, {"gpu.vram_mib=64"}), "gpu.count = 2, gpu.vram_mib = 64");
  EXPECT_NO_THROW(RefuseNotBegun(result, changed, {}, false));
  result.not_begun = "why";
  result.faults.resize(1);
  EXPECT_THROW(RefuseNotBegun(result, changed, {}, false), settings::Error);
  EXPECT_NO_THROW(RefuseNotBegun(result, Configuration{}, {}, false)) << "all are at their defaults";
  result.leaks.resize(1);
  EXPECT_NO_THROW(RefuseNotBegun(result, changed, {}, false)) << "something leaked beside it";
  result.leaks.clear();
  result.not_begun.clear();
  EXPECT_NO_THROW(RefuseNotBegun(result, changed, {}, false)) << "it had begun";
  result.too_small = "no room";
  EXPECT_THROW(RefuseNotBegun(result, changed, {}, false), settings::Error);
  EXPECT_THROW(RefuseNotBegun(result, Configuration::FromFile("", {"gpu.vram_mib=2", "inject.pin_failures=1"}), {},
                              false),
               settings::Error);
  EXPECT_NO_THROW(
      RefuseNotBegun(result, Configuration::FromFile("", {"gpu.vram_mib=2", "inject.fail_callback=1"}), {}, false))
      << "the fault may be the reason";
  const Configuration two_mib = Configuration::FromFile("", {"gpu.vram_mib=2"});
  EXPECT_NO_THROW(RefuseNotBegun(result, two_mib, {"gpu.vram_mib=2"}, true)) << "a driver's, and no key is named";
  result.too_small = "no room in gpu.vram_mib";
  EXPECT_NO_THROW(RefuseNotBegun(result, two_mib, {}, true)) << "the named key is not set";
  EXPECT_THROW(RefuseNotBegun(result, two_mib, {"gpu.vram_mib=2"}, true), settings::Error);
  result.checks.push_back({"bytes", false, "they differ"});
  EXPECT_NO_THROW(RefuseNotBegun(result, changed, {}, false)) << "a check failed before";
}

TEST_F(NotBegun, NoRoomInTheMiddleOfARunNamesTheSizes) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--set", "driver.own_va_kib=4096", "--set", "driver.leaf_64k=true", "--set",
                 "driver.visible_vram_kib=1024"}),
            kExitUsage);
  EXPECT_THAT(err_, HasSubstr("the machine is too small for this run: no room in segment 2 for a level 0 table of "
                              "first process (its size is made of gpu.vram_mib "
                              "or gpu.unit_vram_mib and of what the driver declares)"));
}

}  // namespace
}  // namespace gmmu::app
