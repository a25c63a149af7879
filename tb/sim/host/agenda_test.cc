// SPDX-License-Identifier: Apache-2.0
#include "host/agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gmmu::sim {
namespace {

using ::testing::ElementsAre;

TEST(Agenda, ActsInTheOrderOfTimeAndOfEqualTimesInTheOrderOfTheCalls) {
  Agenda agenda;
  std::vector<int> order;
  agenda.At(20, [&] { order.push_back(3); });
  agenda.At(10, [&] {
    order.push_back(1);
    agenda.At(5, [&] { order.push_back(2); });  // in the past, so it runs at once
  });
  agenda.At(20, [&] { order.push_back(4); });
  agenda.At(21, [&] { order.push_back(5); });
  agenda.RunUntil(20);
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(agenda.now(), 20u);
  EXPECT_EQ(agenda.next(), 21u);
}

}  // namespace
}  // namespace gmmu::sim
