// SPDX-License-Identifier: Apache-2.0
#include "gmmu/turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace gmmu {
namespace {

TEST(Turns, AlternateAndEnd) {
  std::string order;
  Turns* self = nullptr;
  Turns turns([&] {
    order += "b";
    self->Yield();
    order += "d";
  });
  self = &turns;
  EXPECT_FALSE(turns.begun());
  order += "a";
  EXPECT_TRUE(turns.Resume(nullptr));
  order += "c";
  EXPECT_FALSE(turns.Resume(nullptr));
  order += "e";
  EXPECT_EQ(order, "abcde");
  EXPECT_TRUE(turns.ended());
  EXPECT_FALSE(turns.Resume(nullptr));
}

TEST(Turns, HandOverWhatTheBodyThrows) {
  Turns turns([] { throw std::out_of_range("far"); });
  EXPECT_THROW(turns.Resume(nullptr), std::out_of_range);
  EXPECT_TRUE(turns.ended());
}

TEST(Turns, CallIdleWhileTheBodyRunsAndPassOnWhatItThrowsAfterTheTurn) {
  std::atomic<bool> told{false};
  Turns* self = nullptr;
  Turns turns([&] {
    for (int i = 0; i < 1000 && !told; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    self->Yield();
  });
  self = &turns;
  EXPECT_THROW(turns.Resume([&] {
    told = true;
    throw std::out_of_range("stop");
  }),
               std::out_of_range);
  EXPECT_TRUE(told);
  EXPECT_FALSE(turns.ended());
  EXPECT_FALSE(turns.Resume(nullptr));
}

}  // namespace
}  // namespace gmmu
