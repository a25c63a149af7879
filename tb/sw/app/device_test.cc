// SPDX-License-Identifier: Apache-2.0
// Tests drivers for other hardware: machines with a --device model, and the example drivers.
#include <nlohmann/json.hpp>

#include "cli_bench.h"
#include "workload/scenario.h"

namespace gmmu::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kSoftware = GMMU_DRIVERS "software.so";

/// The scenarios that need a capability which examples/drivers/software lacks. All others must
/// pass.
const std::vector<std::string> kNotForSoftware = {"aperture-mdl",
                                                  "aperture-tiny-buffers",
                                                  "context-allocations",
                                                  "cpu-host-aperture",
                                                  "dual-pte",
                                                  "gpu-40bit-2tib",
                                                  "gpu-40bit-2tib-refused",
                                                  "hung-adapter",
                                                  "interface-2-0",
                                                  "interface-2-4",
                                                  "interface-2-8-refused",
                                                  "interface-2-9",
                                                  "interrupt-of-another-device",
                                                  "isolation-memory",
                                                  "leaf-64k",
                                                  "linked-four",
                                                  "linked-four-sizes",
                                                  "linked-tables-pressure",
                                                  "linked-two",
                                                  "linked-two-64k",
                                                  "linked-two-one-section",
                                                  "memory-services-no-snoop",
                                                  "oversubscribed-pairs",
                                                  "page-entries",
                                                  "paging-buffers-in-aperture",
                                                  "physical-submission",
                                                  "power-cycle",
                                                  "power-cycle-mdl",
                                                  "power-cycle-mdl-pin-failure",
                                                  "power-cycle-no-memory",
                                                  "power-cycle-pin-failure",
                                                  "power-cycle-restore-failure",
                                                  "render-preemption",
                                                  "resizable-root",
                                                  "six-levels",
                                                  "system-memory-hidden",
                                                  "table-moves-64k",
                                                  "tables-by-cpu",
                                                  "tables-by-gpu-va",
                                                  "tables-in-system-memory",
                                                  "tiny-paging-buffers",
                                                  "two-levels",
                                                  "windows-26100",
                                                  "large-pages",
                                                  "large-pages-collapse",
                                                  "linked-context-allocations",
                                                  "linked-va-calls",
                                                  "memory-added",
                                                  "integrated-gpu",
                                                  "integrated-gpu-1to1",
                                                  "two-adapters",
                                                  "two-adapters-removal",
                                                  "two-adapters-isolation",
                                                  "two-adapters-linked",
                                                  "two-adapters-trespass"};

struct Device : Cli {
  int RunSoftware(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run",  "--driver", kSoftware,          "--device",
                                          "none", "--json",   Path("report.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const int status = Run(arguments);
    std::ifstream file(Path("report.json"));
    report = status == kExitUsage ? nullptr : nlohmann::json::parse(file);
    return status;
  }
  nlohmann::json report;
};

TEST_F(Device, WithASoftwareDriverDoesTheMainJobBehindTheIommu) {
  EXPECT_EQ(RunSoftware({"--seed", "5"}), kExitGood) << out_;
  EXPECT_EQ(report["machine"]["engine"], "device");
  EXPECT_EQ(report["machine"]["timing"], "estimated");
  EXPECT_EQ(report["machine"]["iommu"], "remap");
  EXPECT_EQ(report["bytes_verified"], 1 << 20);
  EXPECT_TRUE(report["not_applicable"].is_null());
  EXPECT_GE(report["counters"]["device"]["dma_read_bytes"], 1 << 20) << "the bytes came by the bus";
  EXPECT_GT(report["counters"]["iommu"]["iotlb_misses"], 0);
  const auto cycles = report["cycles"];
  EXPECT_EQ(RunSoftware({"--seed", "5"}), kExitGood);
  EXPECT_EQ(report["cycles"], cycles) << "equal runs take equal times";
}

TEST_F(Device, WithASoftwareDriverVerifiesEveryScenarioThatItsCapsCanCarry) {
  std::vector<std::string> not_applicable;
  for (const workload::Scenario& scenario : workload::Scenarios()) {
    if (workload::ForPhysicalModel(scenario)) continue;  // physical_device_test.cc runs these
    SCOPED_TRACE(scenario.name);
    const int status = RunSoftware({"--scenario", scenario.name});
    EXPECT_NE(status, kExitFailed) << out_;
    if (status != kExitNotApplicable) continue;
    not_applicable.push_back(scenario.name);
    EXPECT_THAT(out_, StartsWith("gmmu run: not applicable: "));
    EXPECT_EQ(report["passed"], false);
    EXPECT_TRUE(report["not_applicable"].is_string());
    EXPECT_TRUE(report["faults"].empty() && report["leaks"].empty() && report["findings"].empty());
  }
  EXPECT_THAT(not_applicable, ::testing::UnorderedElementsAreArray(kNotForSoftware));
}

TEST_F(Device, HasTheIdsSizesAndInterruptOfTheConfiguration) {
  EXPECT_EQ(RunSoftware({"--set", "device.vendor=0x1414", "--set", "device.id=0x8E", "--set", "device.memory_mib=32",
                         "--set", "device.visible_mib=16", "--set", "device.interrupt=line"}),
            kExitGood)
      << out_;
  EXPECT_EQ(report["configuration"]["device"]["vendor"], 0x1414);
  EXPECT_GT(report["counters"]["device"]["interrupts"], 0);
}

// An interrupt storm never ends on its own: no fence wait finishes, and the interrupt routine keeps
// running. The model must end the run.
TEST_F(Device, ThatStormsEndsTheRunWithTheNameOfTheStorm) {
  const auto run = [&](const char* storm, const char* scenario) {
    setenv("GMMU_STORM", storm, 1);
    const int status =
        Run({"run", "--driver", kSoftware, "--device", GMMU_DRIVERS "storming.so", "--scenario", scenario});
    unsetenv("GMMU_STORM");
    return status;
  };
  EXPECT_EQ(run("interrupts", "main-job"), kExitFailed);
  EXPECT_THAT(out_, ::testing::ContainsRegex("an interrupt storm at [0-9]+ ns: .* messages of vector 0x3[0-9a-f] "
                                             "\\(gpu 01:00.0\\)"));
  EXPECT_EQ(run("faults", "main-job"), kExitFailed);
  EXPECT_THAT(out_,
              ::testing::ContainsRegex("a storm of DMA faults: the IOMMU has recorded 4096 since .* of device 01:00.0: "
                                       "read of logical page 0xabcde[0-3]000: no read permission"));
}

TEST_F(Device, IsRefusedWhereItMeansNothing) {
  ExpectRefusal({"run", "--device", "none"}, "needs a driver that knows it");
  ExpectRefusal({"run", "--driver", kSoftware, "--device", Path("no.so")}, "cannot be read");
  ExpectRefusal({"run", "--driver", kSoftware, "--device", "none", "--set", "device.registers_kib=5"},
                "device.registers_kib");
  EXPECT_EQ(Run({"run", "--driver", kSoftware, "--device", "none", "--engine", "fast"}), kExitUsage);
  ExpectRefusal({"replay", "gen:random,footprint=256KiB,count=3000", "--set", "device.model=none"},
                "device.model is for gmmu run");
}

// examples/drivers/gmmu puts pass-through functions between the driver and the system, which must not change the run.
TEST_F(Device, ADriverForOurGpuDoesWhatTheOneThatIsBuiltInDoesAndSaysWhatItWasAsked) {
  const auto cycles = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", "--engine", "fast", "--json", Path("report.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(Run(arguments), kExitGood) << out_;
    std::ifstream file(Path("report.json"));
    return nlohmann::json::parse(file)["cycles"];
  };
  const auto own = cycles({});
  EXPECT_EQ(cycles({"--driver", GMMU_DRIVERS "counting.so"}), own);
  EXPECT_THAT(err_, HasSubstr("driver: counting: "));
  EXPECT_THAT(err_, HasSubstr(" page table updates\n"));
}

// The built-in driver has the capabilities that these scenarios need.
TEST_F(Device, OurOwnDriverCanCarryEveryScenario) {
  for (const char* scenario : {"dual-pte", "tables-by-cpu", "logical-pieces", "interface-2-0"}) {
    EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", scenario}), kExitGood) << scenario << out_;
  }
  std::ofstream(Path("plain.toml"))
      << "title = \"t\"\nparts = [\"p\"]\nevidence = \"documents\"\nprocedure = \"main_job\"\n"
         "needs = [\"DXGK_GPUMMUCAPS.DualPteSupported\"]\n";
  EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", Path("plain.toml")}), kExitNotApplicable);
  EXPECT_THAT(out_, HasSubstr("not applicable: DXGK_GPUMMUCAPS.DualPteSupported is 0x0"));
}

}  // namespace
}  // namespace gmmu::app
