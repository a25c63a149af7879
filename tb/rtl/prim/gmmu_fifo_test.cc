// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_fifo, gmmu_fifo_ram and gmmu_skid against a deque, with and without idle input and back-pressure. Each
// word is output once, in order, and an offer stays until accepted.
#include <array>
#include <deque>

#include "prims.h"

namespace gmmu::bench {
namespace {

struct Queue {
  const char* name;
  unsigned capacity;  ///< words that fit while the output accepts none
  unsigned latency;   ///< cycles from the write to the offer
  bool full_rate;     ///< the rate is one word per cycle
};
constexpr std::array<Queue, 5> kQueues{{{"gmmu_fifo of 5", 5, 1, true},
                                        {"gmmu_fifo of 1", 1, 1, false},
                                        {"gmmu_fifo_ram of 8", 10, 3, true},
                                        {"gmmu_fifo_ram of 4", 6, 3, true},
                                        {"gmmu_skid", 2, 1, true}}};

class QueueTest : public PrimTest {};

TEST_P(QueueTest, KeepsOrderUnderIdleInputAndBackPressure) {
  std::array<std::deque<uint32_t>, 5> model;
  std::array<uint32_t, 5> next{};
  std::array<bool, 5> stood{};
  std::array<uint32_t, 5> offer{};
  for (int i = 0; i < 8000; ++i) {
    const unsigned idle = (i / 1000 % 4) * 30, stall = (i / 2000 % 4) * 30;
    for (unsigned q = 0; q < 5; ++q) {
      if (t.valid_i[q] == 0) {  // An offer stays until it is accepted.
        t.valid_i[q] = Random(100) >= idle;
        t.data_i[q] = next[q] * 2654435761u;
      }
      t.ready_i[q] = Random(100) >= stall;
    }
    Settle();
    for (unsigned q = 0; q < 5; ++q) {
      const bool in = t.valid_i[q] && t.ready_o[q];
      const bool out = t.valid_o[q] && t.ready_i[q];
      if (stood[q]) {
        ASSERT_TRUE(t.valid_o[q]) << kQueues[q].name;
        ASSERT_EQ(t.data_o[q], offer[q]) << kQueues[q].name;
      }
      if (t.valid_o[q]) {
        ASSERT_FALSE(model[q].empty()) << kQueues[q].name;
        ASSERT_EQ(t.data_o[q], model[q].front()) << kQueues[q].name;
      }
      stood[q] = t.valid_o[q] && !out;
      offer[q] = t.data_o[q];
      if (out) model[q].pop_front();
      if (in) {
        model[q].push_back(t.data_i[q]);
        ++next[q];
        ASSERT_LE(model[q].size(), kQueues[q].capacity) << kQueues[q].name;
      }
    }
    std::array<bool, 5> taken;
    for (unsigned q = 0; q < 5; ++q) taken[q] = t.valid_i[q] && t.ready_o[q];
    Step();
    for (unsigned q = 0; q < 5; ++q) {
      if (taken[q]) t.valid_i[q] = 0;
    }
  }
  for (unsigned q = 0; q < 5; ++q) EXPECT_GT(next[q], 1500u) << kQueues[q].name;
}

TEST_P(QueueTest, LatencyRateAndCapacityAreAsStated) {
  for (unsigned q = 0; q < 5; ++q) {
    // Measure the latency of one word.
    t.valid_i[q] = 1;
    t.ready_i[q] = 0;
    t.data_i[q] = 7;
    Settle();
    ASSERT_TRUE(t.ready_o[q]);
    Step();
    t.valid_i[q] = 0;
    Settle();
    unsigned latency = 1;
    for (; !t.valid_o[q] && latency < 10; ++latency) Step();
    EXPECT_EQ(latency, kQueues[q].latency) << kQueues[q].name;
    // Measure the capacity.
    unsigned inside = 1;
    t.valid_i[q] = 1;
    for (int i = 0; i < 20; ++i) {
      Settle();
      inside += t.ready_o[q];
      Step();
    }
    EXPECT_EQ(inside, kQueues[q].capacity) << kQueues[q].name;
    // Measure the rate without back-pressure.
    t.ready_i[q] = 1;
    Run(20);
    unsigned out = 0;
    for (int i = 0; i < 100; ++i) {
      Settle();
      out += t.valid_o[q] && t.ready_i[q];
      Step();
    }
    EXPECT_EQ(out, kQueues[q].full_rate ? 100u : 50u) << kQueues[q].name;
    t.valid_i[q] = 0;
    Run(20);
    EXPECT_FALSE(t.valid_o[q]);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueueTest, Seeds(3));

}  // namespace
}  // namespace gmmu::bench
