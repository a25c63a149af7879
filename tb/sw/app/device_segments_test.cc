// SPDX-License-Identifier: Apache-2.0
// Tests builds of examples/drivers/software with other segments and page tables.
// cmake/GmmuTests.cmake lists their build options.
#include <nlohmann/json.hpp>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::Contains;
using ::testing::Not;

struct Variant {
  const char* name;
  bool memory;            ///< there is a memory segment
  bool aperture;          ///< physically accessed allocations may be mapped into the aperture segment
  bool leaves_in_system;  ///< leaf tables are in system memory
};

class Segments : public Cli, public ::testing::WithParamInterface<Variant> {
 protected:
  static std::string File() { return std::string(GMMU_DRIVERS) + "software_" + GetParam().name + ".so"; }
  nlohmann::json Report(const std::string& name) const {
    std::ifstream file(Path(name));
    return nlohmann::json::parse(file);
  }
};

TEST_P(Segments, TheMainJobIsVerifiedBehindTheIommu) {
  EXPECT_EQ(Run({"run", "--driver", File(), "--device", "none", "--json", Path("run.json")}), kExitGood) << out_;
  const auto report = Report("run.json");
  EXPECT_EQ(report["bytes_verified"], 1 << 20);
  EXPECT_EQ(report["machine"]["iommu"], "remap");
  std::vector<std::string> phases;
  for (const auto& phase : report["phases"]) phases.push_back(phase["name"]);
  EXPECT_THAT(phases, Contains("clients in sequence"));
  if (GetParam().aperture) EXPECT_THAT(phases, Contains("aperture by DMA"));
  else EXPECT_THAT(phases, Not(Contains("aperture by DMA")));
}

// Without VRAM, the bring-up omits the steps for which Windows build 26100 uses free VRAM.
TEST_P(Segments, ThePagingProcessComesUpInTheOrderOfBuild26100) {
  for (const char* updates : {"cpu_virtual", "gpu_physical"}) {
    EXPECT_EQ(Run({"run", "--driver", File(), "--device", "none", "--set", "os.bring_up=windows-26100", "--set",
                   std::string("os.window_updates=") + updates}),
              kExitGood)
        << out_;
  }
}

TEST_P(Segments, EveryScenarioIsVerifiedOrNamesTheCapabilityThatIsMissing) {
  EXPECT_EQ(Run({"check-driver", File(), "--device", "none", "--json", Path("check.json")}), kExitGood) << out_;
  const auto report = Report("check.json");
  std::vector<std::string> passed, missing;
  for (const auto& scenario : report["scenarios"]) {
    if (scenario["verdict"] == "passed") passed.push_back(scenario["scenario"]);
    else missing.push_back(scenario["text"]);
  }
  for (const char* name : {"main-job", "va-calls", "table-moves", "hibernate-with-processes", "dma-mode-switch",
                           "forced-isolation", "threads-interleave", "windows-22621"}) {
    EXPECT_THAT(passed, Contains(name));
  }
  const auto has = [&](const char* name, bool there) {
    EXPECT_EQ(std::count(passed.begin(), passed.end(), name), there) << name;
  };
  has("tables-in-system-memory", GetParam().leaves_in_system);
  has("aperture", GetParam().aperture);
  has("physical-paging", GetParam().memory);
  if (!GetParam().memory) EXPECT_THAT(missing, Contains("DXGK_QUERYSEGMENTOUT4.NbSegment(memory) is 0x0"));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Segments,
    ::testing::Values(Variant{"local_16k", true, true, false}, Variant{"local_64k", true, true, false},
                      Variant{"segment_0", true, true, true}, Variant{"system_4k", true, false, true},
                      Variant{"system_16k", true, true, true}, Variant{"system_64k", true, true, true},
                      Variant{"leaves_in_system", true, true, true}, Variant{"leaves_in_local", true, true, false},
                      Variant{"aperture_4k", false, true, true}, Variant{"aperture_16k", false, true, true},
                      Variant{"aperture_64k", false, true, true}, Variant{"implicit_4k", false, false, true},
                      Variant{"implicit_16k", false, false, true}, Variant{"implicit_64k", false, false, true}),
    [](const auto& info) { return info.param.name; });

/// Drivers that report no aperture segment, although Microsoft's documentation requires one.
class NoAperture : public Cli, public ::testing::WithParamInterface<const char*> {
 protected:
  int RunWith(const char* required, const char* scenario) {
    return Run({"run", "--driver", std::string(GMMU_DRIVERS) + "software_" + GetParam() + ".so", "--device", "none",
                "--set", std::string("os.aperture_required=") + required, "--scenario", scenario});
  }
};

TEST_P(NoAperture, IsRefusedUnlessASwitchAllowsIt) {
  EXPECT_EQ(RunWith("true", "main-job"), kExitFailed);
  EXPECT_THAT(out_, ::testing::HasSubstr("DXGK_SEGMENTFLAGS.Aperture stands at 0 segments"));
  for (const char* scenario : {"main-job", "va-calls", "table-moves", "hibernate-with-processes", "dma-mode-switch",
                               "forced-isolation", "threads-interleave", "windows-22621"}) {
    EXPECT_EQ(RunWith("false", scenario), kExitGood) << scenario << out_;
  }
  EXPECT_EQ(RunWith("false", "aperture"), kExitNotApplicable) << out_;
  EXPECT_EQ(Run({"check-driver", std::string(GMMU_DRIVERS) + "software_" + GetParam() + ".so", "--device", "none",
                 "--set", "os.aperture_required=false", "--set", "os.gpu_signals=false"}),
            kExitGood)
      << out_;
}

INSTANTIATE_TEST_SUITE_P(Of, NoAperture, ::testing::Values("no_segment", "local_only"));

}  // namespace
}  // namespace gmmu::app
