// SPDX-License-Identifier: Apache-2.0
// Tests the whole main job, including the driver, on a machine of the behavioural twin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "host/config.h"
#include "tb/sw/os/hal/flat_machine.h"
#include "tb/sw/os/hal/flat_remapping.h"
#include "twin/fast_engine.h"
#include "workload/input.h"
#include "workload/job.h"

namespace gmmu::workload {
namespace {

using ::testing::Contains;
using ::testing::Field;

/// A machine whose hardware always reports the resources in `held` as in use, in addition to the
/// real ones.
struct Holding : sim::twin::FastMachine {
  Holding(const sim::MachineConfig& config, const std::vector<hw::InUse>& held) : FastMachine(config), more(held) {}
  std::vector<hw::InUse> ResourcesInUse() override {
    std::vector<hw::InUse> all = FastMachine::ResourcesInUse();
    all.insert(all.begin(), more.begin(), more.end());
    return all;
  }
  const std::vector<hw::InUse> more;
};

struct JobBench {
  sim::MachineConfig machine = sim::MachineConfig::Default();
  std::vector<hw::InUse> in_use;
  bool flat = false;  ///< the machine has the tests' flat remapping unit instead of VT-d
  os::Parameters os;
  uint64_t bytes = 100'000;
  uint64_t seed = 1;

  std::vector<uint8_t> copy;
  bool dumped = false;

  JobBench() {
    os.aperture_bytes = 1 << 20;
    machine.host.memory_gib = 4;
    os.limit_bits = 32;  // does not cover all memory, so remapping is needed
    os.page_table_bits = {9, 9, 9, 9};
  }
  JobResult Run() {
    const std::vector<uint8_t> input = SeededInput(seed, bytes);
    std::unique_ptr<sim::twin::FastMachine> platform;
    if (flat) platform = std::make_unique<os::test::FlatMachine>(machine);
    else platform = std::make_unique<Holding>(machine, in_use);
    JobOptions options;
    options.os = os;
    options.os.seed = seed;
    options.seed = seed;
    options.input = &input;
    options.out = [this](const void* from, size_t size) {
      copy.insert(copy.end(), static_cast<const uint8_t*>(from), static_cast<const uint8_t*>(from) + size);
    };
    options.after_first_page_in = [this] { dumped = true; };
    if (flat) options.remapping = os::test::FlatRemapping::Make;
    JobResult result;
    RunMainJob(*platform, options, result);
    EXPECT_EQ(platform->ram().views(), result.faults.empty() && result.leaks.empty() ? 0u : platform->ram().views());
    if (result.Passed()) {
      EXPECT_EQ(copy, input);
    }
    return result;
  }
};

std::string Explain(const JobResult& result) {
  std::string text;
  for (const auto& check : result.checks) {
    if (!check.passed) text += "check " + check.name + ": " + check.text + "\n";
  }
  for (const auto& fault : result.faults) text += fault.source + ": " + fault.text + "\n";
  for (const auto& leak : result.leaks) text += "leak " + leak.kind + " " + leak.name + " by " + leak.created_by + "\n";
  for (const auto& finding : result.findings) text += finding.probe + ": " + finding.text + "\n";
  return text;
}

class Sizes : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Sizes, ComeBackThroughTheWholeMachine) {
  JobBench life;
  life.bytes = GetParam();
  const JobResult result = life.Run();
  EXPECT_TRUE(result.Passed()) << Explain(result);
  EXPECT_EQ(result.bytes_verified, life.bytes);
  EXPECT_EQ(result.modes.back(), os::DmaMode::kRemapped);
  EXPECT_TRUE(life.dumped);
  EXPECT_GT(result.cycles, 0u);
}

INSTANTIATE_TEST_SUITE_P(MainJob, Sizes, ::testing::Values(0, 1, 63, 4095, 4096, 4097, 65536, (1 << 20) + 3));

TEST(MainJob, RunsInPhysicalModeWithScatteredPages) {
  JobBench life;
  life.os.iommu = os::RemapPolicy::kNever;
  life.os.limit_bits = 40;
  const JobResult result = life.Run();
  EXPECT_TRUE(result.Passed()) << Explain(result);
  EXPECT_EQ(result.modes.back(), os::DmaMode::kPhysical);
}

TEST(MainJob, RunsInPiecesWhenVramIsSmall) {
  JobBench life;
  life.machine.gpu.vram_mib = 1;
  life.bytes = (1 << 20) + 3;
  life.os.aperture_bytes = 256 << 10;  // smaller than the ranges to be mapped
  const JobResult result = life.Run();
  EXPECT_TRUE(result.Passed()) << Explain(result);
}

TEST(MainJob, RunsWithTwoAndSixPageTableLevels) {
  for (const std::vector<uint64_t>& bits : {std::vector<uint64_t>{10, 12}, {5, 6, 7, 6, 6, 6}, {12, 9, 9}}) {
    JobBench life;
    life.os.page_table_bits = bits;
    const JobResult result = life.Run();
    EXPECT_TRUE(result.Passed()) << bits.size() << " levels\n" << Explain(result);
  }
}

TEST(MainJob, RefusesAGpuThatReachesTooLittleMemoryWithoutRemapping) {
  JobBench life;
  life.os.iommu = os::RemapPolicy::kNever;
  const JobResult result = life.Run();
  EXPECT_FALSE(result.Passed());
  ASSERT_FALSE(result.faults.empty());
  EXPECT_THAT(result.faults.front().text, ::testing::HasSubstr("reaches memory up to 0xffffffff"));
}

TEST(MainJob, DependsOnTheSeedForPlacementOnly) {
  JobBench first, again, other;
  other.seed = 2;
  const JobResult one = first.Run(), two = again.Run(), three = other.Run();
  EXPECT_EQ(one.simulated_ns, two.simulated_ns);
  EXPECT_EQ(one.counters.size(), two.counters.size());
  for (size_t i = 0; i < one.counters.size(); ++i) EXPECT_EQ(one.counters[i].value, two.counters[i].value);
  EXPECT_TRUE(three.Passed()) << Explain(three);
}

// Nothing above os/hal/remapping.h and iommu/remapper.h depends on VT-d: the job also works with
// another remapping unit.
TEST(MainJob, RunsOnARemappingUnitThatIsNotVtd) {
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{300'000}}) {
    JobBench life;
    life.flat = true;
    life.bytes = bytes;
    const JobResult result = life.Run();
    EXPECT_TRUE(result.Passed()) << Explain(result);
    EXPECT_EQ(result.bytes_verified, bytes);
    EXPECT_EQ(result.modes.back(), os::DmaMode::kRemapped);
  }
}

TEST(MainJob, FailsOnThatUnitWhenALogicalPageIsNotMapped) {
  JobBench life;
  life.flat = true;
  life.os.inject.unmapped_page = true;
  const JobResult result = life.Run();
  EXPECT_FALSE(result.Passed());
  EXPECT_THAT(result.faults, Contains(Field(&os::Fault::name, "no word in the table"))) << Explain(result);
}

TEST(MainJob, FailsWhenALogicalPageIsNotMapped) {
  JobBench life;
  life.os.inject.unmapped_page = true;
  const JobResult result = life.Run();
  EXPECT_FALSE(result.Passed());
  EXPECT_THAT(result.faults, Contains(Field(&os::Fault::name, "no read permission"))) << Explain(result);
  EXPECT_THAT(result.faults, Contains(Field(&os::Fault::name, "bus_read"))) << Explain(result);
}

TEST(MainJob, FailsWhenAnEntryNamesAnotherPage) {
  JobBench life;
  life.os.inject.wrong_pte = true;
  const JobResult result = life.Run();
  EXPECT_FALSE(result.Passed());
  EXPECT_THAT(Explain(result), ::testing::HasSubstr("clients in sequence"));
}

TEST(MainJob, FailsWhenAnAdlNamesAnotherPage) {
  JobBench life;
  life.os.iommu = os::RemapPolicy::kNever;
  life.os.limit_bits = 40;
  life.os.inject.wrong_adl = true;
  EXPECT_THAT(Explain(life.Run()), ::testing::HasSubstr("clients in sequence"));
}

TEST(MainJob, FailsWhenAFlushIsMissing) {
  JobBench life;
  life.os.inject.missing_flush = true;
  const JobResult result = life.Run();
  EXPECT_FALSE(result.Passed());
  EXPECT_THAT(result.findings, Contains(Field(&hw::Finding::probe, "translation")));
}

TEST(MainJob, FailsWhenAFenceIsNeverSignalled) {
  JobBench life;
  life.machine.inject.drop_fence = true;
  const JobResult result = life.Run();
  EXPECT_FALSE(result.Passed());
  ASSERT_FALSE(result.faults.empty());
  EXPECT_EQ(result.faults.front().source, "timeout");
  EXPECT_THAT(result.faults.front().text, ::testing::HasSubstr("fence"));
}

TEST(MainJob, FailsWhenABitOfVramFlips) {
  JobBench life;
  life.machine.inject.vram_flip.after_write_bytes = 100'000;
  const JobResult result = life.Run();
  EXPECT_THAT(result.checks, Contains(Field(&Check::passed, false))) << Explain(result);
}

TEST(MainJob, CountsWhatTheHardwareStillHoldsAtPowerOff) {
  JobBench life;
  life.in_use = {{"rtl_slot", "the GPU has work under way"}};
  const JobResult result = life.Run();
  EXPECT_THAT(result.leaks, Contains(Field(&os::Leak::kind, "rtl_slot"))) << Explain(result);
  EXPECT_FALSE(result.Passed());
}

class Leaks : public ::testing::TestWithParam<std::string> {};

TEST_P(Leaks, AreNamedAtPowerOff) {
  JobBench life;
  life.os.inject.leak = GetParam();
  const JobResult result = life.Run();
  if (GetParam() != "rtl_slot") {  // with rtl_slot, a lost response prevents the GPU's power-down
    EXPECT_TRUE(result.faults.empty()) << Explain(result);
  }
  EXPECT_THAT(result.leaks, Contains(Field(&os::Leak::kind, GetParam()))) << Explain(result);
  EXPECT_FALSE(result.Passed());
}

INSTANTIATE_TEST_SUITE_P(MainJob, Leaks, ::testing::ValuesIn(os::Inject::LeakKinds()));

}  // namespace
}  // namespace gmmu::workload
