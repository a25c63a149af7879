// SPDX-License-Identifier: Apache-2.0
#include "events/window.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "sample.h"

namespace gmmu::events {
namespace {

struct Kept : RecordSink {
  std::vector<uint64_t> ends;
  unsigned depths = 0;
  void Add(const Record& record) override {
    ends.push_back(std::visit([](const auto& event) { return EndOf(event); }, record));
  }
  void Depth(unsigned, hw::Gauge, uint64_t, unsigned) override { ++depths; }
};

TEST(Window, KeepsWhatLiesInItOrPartly) {
  Kept kept;
  WindowOptions options;
  options.from = 1000;
  options.to = 2000;
  Window window(options, kept);
  // Each walk takes 60 cycles.
  for (const uint64_t begin : {900, 960, 1500, 1999, 2000}) window.Add(SampleWalk(1, begin));
  EXPECT_EQ(kept.ends, (std::vector<uint64_t>{1020, 1560, 2059}));
  window.Depth(0, hw::Gauge::kWalks, 999, 1);
  window.Depth(0, hw::Gauge::kWalks, 1000, 1);
  EXPECT_EQ(kept.depths, 1u);
}

TEST(Window, AFaultKeepsWhatEndedAroundIt) {
  Kept kept;
  WindowOptions options;
  ParseTrigger("fault", options);
  options.around = 100;
  Window window(options, kept);
  for (uint64_t begin = 0; begin < 1000; begin += 50) window.Add(SampleWalk(1, begin));
  EXPECT_TRUE(kept.ends.empty());
  window.Add(SampleFault(1020));
  EXPECT_EQ(kept.ends, (std::vector<uint64_t>{960, 1010, 1020}));
  window.Add(SampleWalk(1, 1050));
  window.Add(SampleWalk(1, 1070));  // ends after the window
  EXPECT_EQ(kept.ends, (std::vector<uint64_t>{960, 1010, 1020, 1110}));
  EXPECT_EQ(window.triggers(), 1u);
  EXPECT_EQ(window.first_trigger(), 1020u);
  window.Add(SampleFault(5000));
  EXPECT_EQ(window.triggers(), 2u);
  EXPECT_EQ(kept.ends.size(), 5u);
}

TEST(Window, AStallIsWhatTakesMoreThanNCycles) {
  Kept kept;
  WindowOptions options;
  ParseTrigger("stall:60", options);
  options.around = 10;
  Window window(options, kept);
  window.Add(SampleWalk(1, 100));  // 60 cycles
  window.Add(SampleFault(165));
  window.Add(SampleLookup(1, 100));  // 70 cycles
  EXPECT_EQ(kept.ends, (std::vector<uint64_t>{160, 165, 170}));
}

TEST(Window, OtherTriggersAreRefused) {
  WindowOptions options;
  for (const char* text : {"", "faults", "stall", "stall:", "stall:x", "stall:1x", "stall:-1"})
    EXPECT_THROW(ParseTrigger(text, options), std::invalid_argument) << text;
  ParseTrigger("stall:250", options);
  EXPECT_EQ(options.stall, 250u);
}

}  // namespace
}  // namespace gmmu::events
