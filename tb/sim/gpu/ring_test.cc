// SPDX-License-Identifier: Apache-2.0
#include "gpu/ring.h"

#include <gtest/gtest.h>

namespace gmmu::sim {
namespace {

TEST(Ring, KeepsItsOrderWhenItGrows) {
  Ring<int> ring(2);
  for (int i = 0; i < 3; ++i) ring.push(i);
  ring.pop();
  for (int i = 3; i < 20; ++i) ring.push(i);
  for (int i = 1; i < 20; ++i) {
    EXPECT_EQ(ring.front(), i);
    ring.pop();
  }
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace gmmu::sim
