// SPDX-License-Identifier: Apache-2.0
#include "twin/interrupts.h"

#include <gtest/gtest.h>

namespace gmmu::sim::twin {
namespace {

struct Messages {
  unsigned begun = 0;
  Interrupts interrupts{[this] { ++begun; }};
  Messages() { interrupts.set_open(true); }
};

TEST(Interrupts, AMessageForEachEnabledCauseThatAppears) {
  Messages m;
  m.interrupts.Raise(1);
  EXPECT_EQ(m.begun, 0u);
  m.interrupts.set_enable(3);
  EXPECT_EQ(m.begun, 1u);
  m.interrupts.Raise(1);  // already pending
  m.interrupts.Sent();
  EXPECT_EQ(m.begun, 1u);
  m.interrupts.Raise(2);
  EXPECT_EQ(m.begun, 2u);
}

TEST(Interrupts, OneAtATimeAndOneMoreAfterAClearThatLeavesACauseStanding) {
  Messages m;
  m.interrupts.set_enable(7);
  m.interrupts.Raise(1);
  m.interrupts.Raise(2);
  EXPECT_EQ(m.begun, 1u);
  m.interrupts.Sent();
  EXPECT_EQ(m.begun, 2u);
  m.interrupts.Sent();
  m.interrupts.Clear(1);
  EXPECT_EQ(m.begun, 3u);
  m.interrupts.Sent();
  m.interrupts.Clear(2);
  EXPECT_EQ(m.begun, 3u);
  EXPECT_TRUE(m.interrupts.idle());
}

TEST(Interrupts, HeldWhileClosedAndDroppedWithItsCauses) {
  Messages m;
  m.interrupts.set_enable(7);
  m.interrupts.set_open(false);
  m.interrupts.Raise(1);
  EXPECT_FALSE(m.interrupts.idle());
  m.interrupts.Clear(1);
  EXPECT_TRUE(m.interrupts.idle());
  m.interrupts.Raise(2);
  m.interrupts.set_open(true);
  EXPECT_EQ(m.begun, 1u);
}

}  // namespace
}  // namespace gmmu::sim::twin
