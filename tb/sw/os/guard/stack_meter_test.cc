// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "os/base/bug_check.h"
#include "os/guard/stack_meter.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::Life;

TEST(StackMeter, CountsWhatARoutineTouchesAndNotWhatTheMachineDoes) {
  StackMeter meter;
  const auto touch = [](size_t bytes) {
    volatile char local[20'000];
    for (size_t i = 0; i < bytes; i += 64) local[sizeof local - 1 - i] = 1;
  };
  EXPECT_LT(meter.Run([] {}), 64u) << "its own calls do not count";
  const size_t deep = meter.Run([&] { touch(sizeof(char[20'000])); });
  EXPECT_GE(deep, 19'000u);
  EXPECT_LT(deep, 24'000u);
  EXPECT_LT(meter.Run([&] { StackMeter::Off([&] { touch(20'000); }); }), 1024u);
  EXPECT_THROW(meter.Run([] { StackMeter::Off([] { throw OsError("from the machine"); }); }), OsError);
  EXPECT_LT(meter.Run([] {}), 512u) << "and it is painted again";
}

class BuildStack : public DriverWithAFront {};

__attribute__((noinline)) void UseStack(size_t bytes) {
  volatile char local[20'000];
  for (size_t i = 0; i < bytes && i < sizeof local; i += 64) local[sizeof local - 1 - i] = 1;
}

// Observed on Windows build 22621: a local variable of 23 KB caused bug check 0x50, with 0x12D0
// bytes of the 24 KiB stack already in use.
TEST_F(BuildStack, OfMoreThanTheWorkerHasIsBugCheck0x50) {
  for (const size_t bytes : {size_t{8'000}, size_t{20'000}}) {
    between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      UseStack(bytes);
      return RealBuild(args);
    };
    const auto result = Run();
    if (bytes < 10'000) {
      EXPECT_TRUE(result.Passed());
      continue;
    }
    ASSERT_THAT(result.faults, SizeIs(1));
    EXPECT_EQ(result.faults[0].stop_code, 0x50u);
    EXPECT_THAT(result.faults[0].text, HasSubstr("bytes of stack; the worker of VidMm has 24576"));
  }
}

TEST_F(BuildStack, IsNotMeasuredWhenTheSwitchIsOff) {
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    UseStack(20'000);
    return RealBuild(args);
  };
  Parameters os = Defaults();
  os.build_stack_kib = 0;
  EXPECT_TRUE(Run(os).Passed());
}

TEST(BuildStackOfOurDriver, IsAFractionOfIt) {
  test::LifeBench bench;
  bool measured = false;
  bench.Run([&](Life& life) {
    workload::RunSeededMainJob(life, 100'000);
    measured = true;
    EXPECT_GT(life.adapter.miniport().driver().build_stack_used(), 0u);
    EXPECT_LT(life.adapter.miniport().driver().build_stack_used(), 8u << 10);
  });
  EXPECT_TRUE(measured);
}

}  // namespace
}  // namespace gmmu::os
