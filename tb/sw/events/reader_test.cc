// SPDX-License-Identifier: Apache-2.0
#include "events/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "events/store.h"
#include "sample.h"

namespace gmmu::events {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Reader, GivesTheSlowestFirst) {
  const TemporaryPath file;
  Store store(file.path);
  for (uint64_t number = 1; number <= 5; ++number) {
    hw::WalkEvent walk = SampleWalk(number, 100 * number);
    walk.end += number == 3 ? 40 : number == 4 ? 20 : 0;
    store.Add(walk);
  }
  store.Close();
  const auto slowest = Reader(file.path).Slowest<hw::WalkEvent>(3);
  ASSERT_EQ(slowest.size(), 3u);
  EXPECT_EQ(slowest[0].number, 3u);
  EXPECT_EQ(slowest[1].number, 4u);
  EXPECT_EQ(slowest[2].number, 1u);
}

TEST(Reader, RefusesOtherFiles) {
  const TemporaryPath file;
  EXPECT_THAT([&] { Reader reader(file.path); }, ThrowsMessage<EventError>(HasSubstr(file.path)));
  std::ofstream(file.path) << "a report, but no file of events, and long enough to be none of SQLite's either";
  EXPECT_THAT([&] { Reader reader(file.path); }, ThrowsMessage<EventError>(HasSubstr("gmmu run --events")));
  std::ofstream(file.path, std::ios::trunc) << "";  // SQLite accepts an empty file as a database without tables
  EXPECT_THAT([&] { Reader reader(file.path); }, ThrowsMessage<EventError>(HasSubstr("version 0")));
}

}  // namespace
}  // namespace gmmu::events
