// SPDX-License-Identifier: Apache-2.0
#include "events/store.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "events/reader.h"
#include "sample.h"

namespace gmmu::events {
namespace {

TEST(Store, WhatIsWrittenIsRead) {
  const TemporaryPath file;
  {
    Store store(file.path);
    store.Note("period_ps", "2500");
    store.Add(SampleWalk(1, 100));
    store.Add(SampleLookup(1, 95));
    store.Add(SampleAccess(1, 90));
    store.Add(SampleCommand(1, 50));
    store.Add(SampleBuffer(1, 40));
    store.Add(SampleFault(300));
    store.Depth(0, hw::Gauge::kWalks, 100, 1);
    EXPECT_EQ(store.records(), 6u);
    store.Close();
  }
  const Reader reader(file.path);
  EXPECT_EQ(reader.period_ps(), 2500u);
  const auto walks = reader.All<hw::WalkEvent>();
  ASSERT_EQ(walks.size(), 1u);
  EXPECT_EQ(walks[0].va, SampleWalk(1, 100).va);
  EXPECT_TRUE(CheckSteps(walks[0]));
  ASSERT_EQ(walks[0].reads.size(), 1u);
  EXPECT_EQ(walks[0].reads[0].word, 0x8000'0000'0000'0041u);
  EXPECT_EQ(walks[0].reads[0].answered, 152u);
  const auto lookups = reader.LookupsOf(walks[0]);
  ASSERT_EQ(lookups.size(), 1u);
  EXPECT_EQ(lookups[0].ending, hw::Ending::kWalk);
  EXPECT_TRUE(CheckSteps(lookups[0]));
  const auto accesses = reader.All<hw::AccessEvent>(0, 1);
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].fault, regs::Fault::kEntryInvalid);
  const auto buffers = reader.All<hw::BufferEvent>();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_TRUE(CheckSpent(buffers[0]));
  const auto commands = reader.CommandsOf(buffers[0]);
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(commands[0].bytes, 4096u);
  EXPECT_TRUE(CheckSpent(commands[0]));
  const auto points = reader.Points();
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].cycle, 300u);
  EXPECT_EQ(points[0].second, 7u);
  EXPECT_TRUE(reader.All<hw::WalkEvent>(1).empty());
}

TEST(Store, AFileThatCannotBeMadeAndAFullDiskAreTold) {
  EXPECT_THROW(Store("/proc/no such folder/file.ev"), std::runtime_error);
  if (FILE* full = std::fopen("/dev/full", "w")) {
    std::fclose(full);
    EXPECT_THROW(
        {
          Store store("/dev/full");
          for (uint64_t number = 1; number < 100'000; ++number) store.Add(SampleWalk(number, number));
          store.Close();
        },
        std::runtime_error);
  }
}

}  // namespace
}  // namespace gmmu::events
