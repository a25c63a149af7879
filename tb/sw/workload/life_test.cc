// SPDX-License-Identifier: Apache-2.0
// Tests the JobResult that RunLife produces.
#include "workload/life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/base/bug_check.h"
#include "tb/sw/os/life_bench.h"
#include "workload/clients.h"

namespace gmmu::workload {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr uint64_t kHole = 0x10000000, kOtherHole = 0x20000000;

/// Makes a client read an unmapped page. With `must`, the client is expected to end with the fault.
void ReadHole(Life& life, uint64_t va, bool must) {
  os::GpuProcess* process = nullptr;
  life.Work([&] { process = life.vidmm.CreateProcess("process"); });
  ClientRun run = AllLines(process, va, kPage);
  if (must) run.fault = regs::Fault::kEntryInvalid;
  RunClients(life.vidmm, {run}, "a hole", life.result.checks);
}

TEST(LifeResult, AFaultThatAClientHadToEndAtIsNoneOfWhatEndedTheRun) {
  os::test::LifeBench bench;
  const JobResult stopped = bench.Run([](Life& life) {
    ReadHole(life, kHole, true);
    throw os::BugCheck("what ended it");
  });
  ASSERT_THAT(stopped.checks, SizeIs(1));
  EXPECT_TRUE(stopped.checks[0].passed);
  ASSERT_THAT(stopped.faults, SizeIs(1));
  EXPECT_THAT(stopped.faults[0].text, HasSubstr("what ended it"));

  const JobResult faulted = bench.Run([](Life& life) {
    ReadHole(life, kHole, true);
    ReadHole(life, kOtherHole, false);
  });
  ASSERT_THAT(faulted.faults, SizeIs(1));
  EXPECT_EQ(faulted.faults[0].address / kPage, kOtherHole / kPage);
  EXPECT_THAT(faulted.faults[0].text, AllOf(HasSubstr("entry_invalid"), Not(HasSubstr("0x10000"))));

  const JobResult again = bench.Run([](Life& life) {
    ReadHole(life, kHole, true);
    ReadHole(life, kHole, false);
  });
  EXPECT_THAT(again.faults, SizeIs(1)) << "the same address, which had to fault once";
}

TEST(LifeResult, HasEveryModeOfDmaInItsOrder) {
  os::test::LifeBench bench;
  bench.options.os.iommu = os::RemapPolicy::kNever;
  bench.options.os.limit_bits = 40;
  bench.options.os.secure_vm_key = true;
  for (const bool stops : {false, true}) {
    const JobResult result = bench.Run([&](Life& life) {
      life.Work([&] { life.graphics.StartSecureVm(); });
      if (stops) throw os::BugCheck("behind the activation");
    });
    EXPECT_THAT(result.modes, ElementsAre(os::DmaMode::kPhysical, os::DmaMode::kIdentity)) << stops;
  }
  bench.options.os.limit_bits = 32;
  bench.options.os.iommu = os::RemapPolicy::kWhenPossible;
  EXPECT_THAT(bench.Run([](Life&) {}).modes, ElementsAre(os::DmaMode::kRemapped));
}

}  // namespace
}  // namespace gmmu::workload
