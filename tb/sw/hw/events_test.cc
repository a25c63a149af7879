// SPDX-License-Identifier: Apache-2.0
#include "hw/events.h"

#include <gtest/gtest.h>

#include <set>

namespace gmmu::hw {
namespace {

TEST(Events, EveryCauseHasANameOfItsOwn) {
  std::set<std::string> names;
  for (size_t i = 0; i < kCauses; ++i) names.insert(CauseName(static_cast<Cause>(i)));
  EXPECT_EQ(names.size(), kCauses);
  EXPECT_STREQ(CauseName(Cause::kClient), "client");
  EXPECT_STREQ(CauseName(Cause::kFault), "fault");
  EXPECT_STREQ(EndingName(Ending::kFault), "fault");
  EXPECT_STREQ(PointName(PointKind::kInterrupt), "interrupt");
}

TEST(Events, StepsMustFillTheSpanWithoutGapOrOverlap) {
  Span span;
  span.begin = 10;
  span.end = 20;
  EXPECT_FALSE(CheckSteps(span));
  span.steps = {{Cause::kL1, -1, 10, 12}, {Cause::kVram, 0, 12, 20}};
  EXPECT_TRUE(CheckSteps(span));
  for (const auto& steps : {std::vector<Step>{{Cause::kL1, -1, 10, 12}, {Cause::kVram, 0, 13, 20}},  // has a gap
                            {{Cause::kL1, -1, 10, 12}, {Cause::kVram, 0, 11, 20}},                   // has an overlap
                            {{Cause::kL1, -1, 10, 21}},
                            {{Cause::kL1, -1, 10, 25}, {Cause::kVram, 0, 25, 20}}}) {
    span.steps = steps;
    EXPECT_FALSE(CheckSteps(span));
  }
}

TEST(Events, WhatTheEngineSpentMustAddUp) {
  EngineSpan span;
  span.begin = 100;
  span.end = 107;
  span.spent[static_cast<size_t>(Cause::kFetch)] = 3;
  EXPECT_FALSE(CheckSpent(span));
  span.spent[static_cast<size_t>(Cause::kWrite)] = 4;
  EXPECT_TRUE(CheckSpent(span));
  span.begin = 108;
  EXPECT_FALSE(CheckSpent(span));
}

}  // namespace
}  // namespace gmmu::hw
