// SPDX-License-Identifier: Apache-2.0
// Tests drivers with one deliberate error each (tb/sw/app/drivers/misbehaving.cc): the report must
// name the error. Also tests runs in which each callback and each allocation fails once.
#include "app/fail_each.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Misbehaving : Cli {
  ~Misbehaving() override { unsetenv("GMMU_MISDEED"); }
  static std::string Driver(const std::string& misdeed) {
    setenv("GMMU_MISDEED", misdeed.c_str(), 1);
    return GMMU_DRIVERS "misbehaving.so";
  }
  nlohmann::json Json(const std::string& name) const {
    std::ifstream file(Path(name));
    return nlohmann::json::parse(file);
  }
};

struct Misdeed {
  const char* name;
  const char* text;
};
void PrintTo(const Misdeed& misdeed, std::ostream* out) { *out << misdeed.name; }
struct Guarded : Misbehaving, ::testing::WithParamInterface<Misdeed> {};

TEST_P(Guarded, AccessOutsideOfWhatACallGivesNamesIt) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Driver(GetParam().name), "--json", Path("report.json")}),
            kExitFailed);
  EXPECT_THAT(out_, HasSubstr(GetParam().text));
  EXPECT_EQ(Json("report.json")["faults"].at(0)["name"], "bug_check");
}

INSTANTIATE_TEST_SUITE_P(
    Buffers, Guarded,
    ::testing::Values(
        Misdeed{"before_output", "wrote to byte -4 of pOutputData of DXGKQAITYPE_"},
        Misdeed{"past_paging_buffer", " of the free room of pDmaBuffer, which has "},
        Misdeed{"before_paging_buffer", "wrote to byte -8 of the free room of pDmaBuffer, which has "},
        Misdeed{"past_allocation_info", "of pAllocationInfo of DXGKARG_CREATEALLOCATION, which has "},
        Misdeed{"before_allocation_info", "wrote to byte -8 of pAllocationInfo of DXGKARG_CREATEALLOCATION"},
        Misdeed{"past_allocation_list",
                "read byte 8 of pAllocationList of DXGKARG_DESTROYALLOCATION, which has 8 bytes"},
        Misdeed{"past_escape", "of pPrivateDriverData of DXGKARG_ESCAPE, which has "},
        Misdeed{"kept_entries",
                "read pPageTableEntries (Flags.Repeat is 1: one entry), which the driver was given for a call that"},
        Misdeed{"kept_argument", ", which the driver was given for a call that is over"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    KernelRoutines, Guarded,
    ::testing::Values(Misdeed{"waits_in_dpc", "KeDelayExecutionThread above APC_LEVEL (IRQL 1): called at IRQL 2"},
                      Misdeed{"frees_waited_event", " is freed while driver thread 1 waits for it"},
                      Misdeed{"queues_twice", "IoQueueWorkItem: the work item at pool"},
                      Misdeed{"frees_set_timer", " is freed while it is set"},
                      Misdeed{"overfills_semaphore", "KeReleaseSemaphore adds 1 to 1 of the semaphore at "},
                      Misdeed{"locks_twice", "which it holds itself"},
                      Misdeed{
                          "paged_pool_in_dpc",
                          "ExAllocatePool2 of paged pool above APC_LEVEL (IRQL 1): called at IRQL 2 inside of deferred "
                          "routine at driver_misbehaving.so+0x"},
                      Misdeed{"registry_in_dpc", "ZwOpenKey above PASSIVE_LEVEL"},
                      Misdeed{"frees_pool_above_dispatch",
                              "ExFreePoolWithTag above DISPATCH_LEVEL (IRQL 2): called at "
                              "IRQL 15 inside of DxgkDdiStartDevice at driver_misbehaving.so+0x"},
                      Misdeed{"compares_text_in_dpc", "RtlCompareUnicodeString above PASSIVE_LEVEL"},
                      Misdeed{"bits_beyond_the_end", "RtlSetBits of bits 15 to 23 of a bit map of 20 bits"},
                      Misdeed{"stalls_long", "KeStallExecutionProcessor of 1000 us: the most is 50"},
                      Misdeed{"closes_twice", ", which is no open handle"},
                      Misdeed{"lowers_by_raising", "IRQL raised to a lower level"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Callbacks, Guarded,
    ::testing::Values(Misdeed{"device_information_in_isr",
                              "DxgkCbGetDeviceInformation above PASSIVE_LEVEL (IRQL 0): called at IRQL 10 inside of "
                              "DxgkDdiInterruptRoutine at driver_misbehaving.so+0x"},
                      Misdeed{"map_memory_in_dpc",
                              "DxgkCbMapMemory above PASSIVE_LEVEL (IRQL 0): called at IRQL 2 inside of "
                              "DxgkDdiDpcRoutine at driver_misbehaving.so+0x"},
                      Misdeed{"device_space_in_dpc", "DxgkCbReadDeviceSpace above PASSIVE_LEVEL (IRQL 0)"},
                      Misdeed{"acpi_in_dpc", "DxgkCbEvalAcpiMethod above PASSIVE_LEVEL (IRQL 0)"},
                      Misdeed{"notifies_at_passive_level",
                              "DxgkCbNotifyDpc below DISPATCH_LEVEL (IRQL 2): called at IRQL 0 inside of "
                              "DxgkDdiCreateDevice at driver_misbehaving.so+0x"},
                      Misdeed{
                          "kernel_memory_after_start",
                          "MmAllocateContiguousMemorySpecifyCache, which GPU isolation forbids "
                          "(DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 1), was called inside of DxgkDdiCreateDevice "
                          "at driver_misbehaving.so+0x"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// DXGKRNL_INTERFACE.Size covers only the members of the driver's interface version.
TEST_F(Misbehaving, MembersOfTheCallbackTableBehindItsSizeCannotBeRead) {
  for (const auto& [scenario, bytes] : {std::pair{"interface-2-0", "312"}, {"interface-2-4", "456"}}) {
    EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", scenario, "--driver", Driver("none")}), kExitGood) << out_;
    EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", scenario, "--driver", Driver("past_interface")}),
              kExitFailed);
    EXPECT_THAT(out_, HasSubstr(std::string("read byte ") + bytes + " of DXGKRNL_INTERFACE, which has " + bytes));
  }
}

TEST_F(Misbehaving, AReportThatNoDeferredCallTakesUpIsNamedForWhatIsMissing) {
  for (const auto& [misdeed, text] :
       {std::pair{"queues_no_dpc", "but no DxgkDdiDpcRoutine followed: DxgkCbQueueDpc was not called"},
        {"notifies_no_dpc", "but DxgkDdiDpcRoutine returned without DxgkCbNotifyDpc"}}) {
    EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Driver(misdeed), "--json", Path("report.json")}),
              kExitFailed);
    EXPECT_THAT(out_, HasSubstr(text));
    EXPECT_THAT(out_, Not(HasSubstr("no interrupt had reported")));
    EXPECT_THAT(Json("report.json")["faults"], IsEmpty());
  }
}

TEST_F(Misbehaving, WhatItLeavesOfTheKernelIsALeak) {
  for (const auto& [misdeed, kind] : {std::pair{"leaves_a_thread", "system_thread"}, {"leaves_a_handle", "handle"}}) {
    EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Driver(misdeed), "--json", Path("report.json")}),
              kExitFailed);
    EXPECT_EQ(Json("report.json")["leaks"].at(0)["kind"], kind);
    EXPECT_EQ(Json("report.json")["leaks"].size(), 1u);
  }
}

TEST_F(Misbehaving, NothingWithoutAMisdeed) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Driver("none")}), kExitGood) << out_;
}

// Every byte is correct only because the engine happens to execute the commands in order, which
// nothing guarantees. The run must therefore fail.
TEST_F(Misbehaving, WithoutWaitsBetweenCommandsIsFoundThoughEveryByteComesBack) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", Driver("no_waits"), "--json", Path("report.json")}),
            kExitFailed);
  const auto report = Json("report.json");
  EXPECT_EQ(report["bytes"], report["bytes_verified"]);
  EXPECT_THAT(report["faults"], IsEmpty());
  EXPECT_EQ(report["findings"].at(0)["probe"], "waits");
  EXPECT_THAT(report["findings"].at(0)["text"].get<std::string>(),
              AllOf(HasSubstr("missing wait: "), HasSubstr("wait_writes is not set")));
}

TEST_F(Misbehaving, WithARaceIsFoundWithBothCalls) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--scenario", "threads-interleave", "--set", "os.build_stack_kib=0",
                 "--driver", Driver("race")}),
            kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("data race on "), HasSubstr("DxgkDdiEscape"), HasSubstr("no lock orders them")));
}

struct Sweep : Misbehaving {
  int Refuse(const std::string& kind, const std::string& misdeed, const std::string& most) {
    return Run({"run", "--engine", "fast", "--fail-each", kind, "--most", most, "--driver", Driver(misdeed), "--json",
                Path("sweep.json")});
  }
};

TEST_F(Sweep, OfOurOwnDriverEndsEachRunWithoutALeakOrACrash) {
  for (const char* kind : {"callback", "allocation"}) {
    SCOPED_TRACE(kind);
    EXPECT_EQ(Refuse(kind, "none", "8"), kExitGood) << out_ << err_;
    const auto sweep = Json("sweep.json");
    EXPECT_EQ(sweep["schema"], "gmmu-fail-each 1");
    EXPECT_EQ(sweep["tried"], 8);
    EXPECT_GT(sweep["seen"], 8);
    EXPECT_EQ(sweep["runs"].size(), 8u);
    for (const auto& run : sweep["runs"]) {
      EXPECT_EQ(run["good"], true);
      EXPECT_THAT(run["refused"].get<std::string>(), Not(IsEmpty()));
      EXPECT_THAT(run["inside"].get<std::string>(), Not(IsEmpty()));
    }
    EXPECT_THAT(out_, HasSubstr("8 of "));
  }
}

TEST_F(Misbehaving, WhatWasRefusedOnPurposeStandsInTheReport) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--set", "inject.fail_callback=1", "--json", Path("report.json")}),
            kExitFailed);
  EXPECT_THAT(out_, HasSubstr("refused on purpose: DxgkCb"));
  EXPECT_EQ(Json("report.json")["refused_on_purpose"]["inside"], "DxgkDdiStartDevice");
  EXPECT_THAT(Json("report.json")["leaks"], IsEmpty());
  Run({"run", "--engine", "fast", "--set", "inject.fail_allocation=1", "--json", Path("report.json")});
  EXPECT_THAT(Json("report.json")["refused_on_purpose"]["what"].get<std::string>(), HasSubstr("pool block "));
  EXPECT_EQ(Run({"run", "--engine", "fast", "--set", "inject.fail_callback=1000000"}), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("inject.fail_callback = 1000000: nothing in this run met with that fault"));
}

TEST_F(Sweep, OfADriverThatKeepsMemoryWhenItsStartIsRefusedNamesTheLeak) {
  EXPECT_EQ(Refuse("callback", "leaks_when_refused", "4"), kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("leak: "), HasSubstr("leaked pool"), HasSubstr("inject.fail_callback=")));
}

TEST_F(Sweep, OfADriverThatTrustsItsAllocationsNamesTheCrash) {
  EXPECT_EQ(Refuse("allocation", "trusts_allocations", "60"), kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("pool block  bad of 24 bytes in DxgkDdiCreateDevice: bug check 0x7e"),
                          HasSubstr("--set inject.fail_allocation=")));
}

TEST_F(Sweep, OfARunThatFailsAnywayIsNotBegun) {
  EXPECT_EQ(Refuse("callback", "past_escape", "4"), kExitFailed);
  EXPECT_THAT(err_, HasSubstr("the run fails with nothing refused (bug check 0x7e), so it is not swept"));
  EXPECT_FALSE(std::filesystem::exists(Path("sweep.json")));
}

TEST_F(Sweep, RefusesWhatDoesNotGoWithIt) {
  ExpectRefusal({"run", "--fail-each", "fence"}, "--fail-each");
  ExpectRefusal({"run", "--engine", "fast", "--fail-each", "callback", "--out", Path("copy")},
                "--out does not go with --fail-each");
  ExpectRefusal({"run", "--most", "3"}, "--most");
}

}  // namespace
}  // namespace gmmu::app
