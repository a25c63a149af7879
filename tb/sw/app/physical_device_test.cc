// SPDX-License-Identifier: Apache-2.0
// Tests drivers of the physical addressing model, which have no page tables:
// examples/drivers/physical, and variants of it with one change each
// (tb/sw/app/drivers/physical_misbehaving.c).
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli_bench.h"
#include "workload/scenario.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPhysical = GMMU_DRIVERS "physical.so";

/// The scenarios that must pass with this driver. For all others, the report names a missing
/// capability.
const std::vector<std::string> kForPhysical = {"interface-2-0",       "main-job",        "physical-aperture",
                                               "physical-eviction",   "physical-paging", "physical-passes",
                                               "physical-preemption", "physical-shared", "physical-split",
                                               "physical-submission", "varied-work",     "windows-22621"};

struct PhysicalDevice : Cli {
  ~PhysicalDevice() override { unsetenv("GMMU_MISDEED"); }
  int RunDriver(const std::string& driver, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run", "--driver", driver, "--device", "none", "--json", Path("report.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const int status = Run(arguments);
    std::ifstream file(Path("report.json"));
    report = status == kExitUsage ? nullptr : nlohmann::json::parse(file);
    return status;
  }
  int RunMisdeed(const std::string& misdeed, std::vector<std::string> more = {}) {
    setenv("GMMU_MISDEED", misdeed.c_str(), 1);
    return RunDriver(GMMU_DRIVERS "physical_misbehaving.so", std::move(more));
  }
  nlohmann::json report;
};

TEST_F(PhysicalDevice, DoesTheMainJobByPatchedCommands) {
  EXPECT_EQ(RunDriver(kPhysical, {"--seed", "5", "--out", Path("copy")}), kExitGood) << out_;
  EXPECT_EQ(report["bytes_verified"], 1 << 20);
  EXPECT_EQ(report["machine"]["iommu"], "physical");
  EXPECT_EQ(std::filesystem::file_size(Path("copy")), 1u << 20);
  const auto cycles = report["cycles"];
  EXPECT_EQ(RunDriver(kPhysical, {"--seed", "5"}), kExitGood);
  EXPECT_EQ(report["cycles"], cycles) << "equal runs take equal times";
}

TEST_F(PhysicalDevice, VerifiesEveryScenarioThatIsNotAboutPageTables) {
  std::vector<std::string> verified;
  for (const workload::Scenario& scenario : workload::Scenarios()) {
    SCOPED_TRACE(scenario.name);
    const int status = RunDriver(kPhysical, {"--scenario", scenario.name});
    EXPECT_NE(status, kExitFailed) << out_;
    if (status == kExitGood) verified.push_back(scenario.name);
    else EXPECT_THAT(out_, AllOf(StartsWith("gmmu run: not applicable: "), ::testing::ContainsRegex("DX|DRIVER_INIT")));
  }
  EXPECT_THAT(verified, ::testing::UnorderedElementsAreArray(kForPhysical));
}

TEST_F(PhysicalDevice, PassesCheckDriver) {
  EXPECT_EQ(Run({"check-driver", kPhysical, "--device", "none", "--only", "*m*"}), kExitGood) << out_ << err_;
  EXPECT_THAT(out_,
              AllOf(HasSubstr(" 0 failed, "), HasSubstr("  system-memory: DXGK_VIDMMCAPS.GpuMmuSupported is 0x0")));
}

TEST_F(PhysicalDevice, ScenariosOfItAreNotApplicableToADriverWithPageTables) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", "physical-split"}), kExitNotApplicable);
  EXPECT_THAT(out_, HasSubstr("DXGK_VIDMMCAPS.GpuMmuSupported is 0x1, must be 0x0"));
  EXPECT_EQ(Run({"run", "--list"}), kExitGood);
  EXPECT_THAT(out_, HasSubstr("\nphysical-split, for a driver without page tables\n"));
}

TEST_F(PhysicalDevice, TracesItsListsAndPlaces) {
  EXPECT_EQ(RunDriver(kPhysical, {"--trace-ddi", Path("calls.jsonl")}), kExitGood);
  std::ifstream file(Path("calls.jsonl"));
  const std::string calls{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(calls,
              AllOf(HasSubstr("\"pPatchLocationList[1].PatchOffset\""),
                    HasSubstr("\"pAllocationList[0].PhysicalAddress\": \"0x"), HasSubstr("DxgkCbGetHandleData")));
}

TEST_F(PhysicalDevice, RefusesEachCallbackAndAllocationOrDoesWithoutIt) {
  for (const char* kind : {"callback", "allocation"})
    EXPECT_EQ(Run({"run", "--driver", kPhysical, "--device", "none", "--fail-each", kind}), kExitGood) << out_;
}

// Tests choices that Windows permits but the example driver does not make.
TEST_F(PhysicalDevice, MayAnswerAsInWddm1OrHaveItsBuffersInTheAperture) {
  for (const char* variant : {"none", "segments_of_wddm_1", "renaming_list", "buffers_in_aperture"})
    EXPECT_EQ(RunMisdeed(variant), kExitGood) << variant << out_;
  EXPECT_EQ(RunMisdeed("buffers_in_aperture", {"--scenario", "physical-eviction"}), kExitGood) << out_;
  EXPECT_EQ(RunMisdeed("no_listed_commands"), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("has neither translate nor list_copy"));
}

struct Misdeed {
  const char* name;
  const char* text;
};
void PrintTo(const Misdeed& misdeed, std::ostream* out) { *out << misdeed.name; }
struct PhysicalMisdeed : PhysicalDevice, ::testing::WithParamInterface<Misdeed> {};

TEST_P(PhysicalMisdeed, IsNamed) {
  EXPECT_EQ(RunMisdeed(GetParam().name), kExitFailed);
  EXPECT_THAT(out_, HasSubstr(GetParam().text));
}

std::string NameOfMisdeed(const ::testing::TestParamInfo<Misdeed>& tested) { return tested.param.name; }

// Each error causes wrong bytes or a hardware fault.
INSTANTIATE_TEST_SUITE_P(
    Bytes, PhysicalMisdeed,
    ::testing::Values(Misdeed{"wrong_patch", "the device of first process was lost: node 1 stopped at fence"},
                      Misdeed{"kept_address", "check \"bytes evicted and back\": byte 0 is "},
                      Misdeed{"early_completion", "check \"bytes paged in, read by a process\": byte 0 is "},
                      Misdeed{"patch_writes_nothing", "check \"bytes paged in, read by a process\": byte 0 is 0x0"},
                      Misdeed{"no_waits", "check \"bytes paged in, read by a process\": byte 0 is 0xef"},
                      Misdeed{"unlisted_write",
                              "no allocation list since it came in has it with "
                              "DXGK_ALLOCATIONLIST.WriteOperation"}),
    NameOfMisdeed);

INSTANTIATE_TEST_SUITE_P(
    Lists, PhysicalMisdeed,
    ::testing::Values(
        Misdeed{"patch_beyond_buffer", "D3DDDI_PATCHLOCATIONLIST.PatchOffset of patch location 0 is "},
        Misdeed{"patch_beyond_list", "AllocationIndex of patch location 0 is 0x2; the allocation list has 2 elements"},
        Misdeed{"slot_beyond_caps",
                "SlotId of patch location 0 is 0x3; DXGK_DRIVERCAPS.MaxAllocationListSlotId is 0x2"},
        Misdeed{"patch_beyond_allocation", "AllocationOffset of patch location 0 is 0x80000000; the allocation has "},
        Misdeed{"split_beyond_buffer", "SplitOffset of patch location 0 is 0x1004; the DMA buffer ends at "},
        Misdeed{"split_that_falls", "that of the location before is 0x8, and they must not fall"},
        Misdeed{"too_many_patches",
                "DxgkDdiRender moved pPatchLocationListOut by 257 elements; the patch-location list has "
                "256 (DXGK_CONTEXTINFO.PatchLocationListSize)"},
        Misdeed{"moved_past_dma_buffer", "DxgkDdiRender moved pDmaBuffer by 4097 bytes; the DMA buffer has 4096"},
        Misdeed{"past_dma_buffer", "the driver wrote past the end of a DMA buffer of 4096 bytes, DxgkDdiRender"},
        Misdeed{"past_paging_buffer", "the driver wrote past the end of a paging buffer, operation "},
        Misdeed{"past_private_data", "past the end of a DMA buffer's private data of 16 bytes"},
        Misdeed{"no_progress", "asks for another DMA buffer of 4096 bytes and has made no progress"}),
    NameOfMisdeed);

INSTANTIATE_TEST_SUITE_P(
    Calls, PhysicalMisdeed,
    ::testing::Values(
        Misdeed{"patch_fails", "bug check 0x119 VIDEO_SCHEDULER_INTERNAL_ERROR (0x3, "},
        Misdeed{"submission_fails", "bug check 0x119 VIDEO_SCHEDULER_INTERNAL_ERROR (0x2, 0xc0000001"},
        Misdeed{"submission_waits", "a wait is for IRQL below DISPATCH_LEVEL"},
        Misdeed{"held_handle", "DxgkCbAcquireHandleData without DxgkCbReleaseHandleData"},
        Misdeed{"no_patch_entry", "the driver's answers are refused: DxgkDdiPatch is missing"},
        Misdeed{"virtual_addressing", "DXGK_VIDMMCAPS.GpuMmuSupported is 0; VirtualAddressingSupported needs it"},
        Misdeed{"no_allocation_list", "DXGK_CONTEXTINFO.AllocationListSize of the context of first process is 0"},
        Misdeed{"buffers_in_local_memory",
                "DXGK_CONTEXTINFO.DmaBufferSegmentSet of the context of first process is 0x2"},
        Misdeed{"no_common_segment", "SupportedReadSegmentSet 0x0: no segment has both"}),
    NameOfMisdeed);

}  // namespace
}  // namespace gmmu::app
