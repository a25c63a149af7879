// SPDX-License-Identifier: Apache-2.0
#include "gpu/fifo.h"

#include <gtest/gtest.h>

namespace gmmu::sim {
namespace {

TEST(Fifo, KeepsItsOrderWhenItGrows) {
  Fifo<int> fifo(2);
  for (int i = 0; i < 3; ++i) fifo.push(i);
  fifo.pop();
  for (int i = 3; i < 20; ++i) fifo.push(i);
  for (int i = 1; i < 20; ++i) {
    EXPECT_EQ(fifo.front(), i);
    fifo.pop();
  }
  EXPECT_TRUE(fifo.empty());
}

}  // namespace
}  // namespace gmmu::sim
