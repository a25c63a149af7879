// SPDX-License-Identifier: Apache-2.0
// The bench of the primitives that other primitives use, and tests of the contract that every queue
// keeps: words keep their order, offers are held, and ready comes from a register.
#pragma once
#include <array>
#include <deque>

#include "Vgmmu_prim_inner_bench.h"
#include "tb/rtl/block_test.h"

namespace gmmu::inner {

class InnerPrimTest : public BlockTest<BlockBench<Vgmmu_prim_inner_bench>> {
 protected:
  InnerPrimTest() { Reset(); }
};

struct Queue {
  unsigned port;
  const char* name;
  /// capacity: words that fit while the output accepts none; latency: cycles from input to output;
  /// per_100: words that are output in 100 cycles.
  unsigned bits, capacity, latency, per_100;
};

class QueuesTest : public InnerPrimTest {
 protected:
  template <size_t N>
  void KeepsOrder(const std::array<Queue, N>& queues) {
    for (const Queue& queue : queues) {
      SCOPED_TRACE(queue.name);
      const unsigned q = queue.port;
      const uint32_t mask = queue.bits == 32 ? 0xffffffff : 1;
      std::deque<uint32_t> model;
      bool stood = false, offering = false;
      uint32_t offer = 0;
      unsigned taken = 0;
      for (int i = 0; i < 6000; ++i) {
        const unsigned idle = i / 500 % 4 * 30, stall = i / 2000 % 3 * 40;
        if (!offering) {
          offering = !Chance(idle);
          t.data_i[q] = static_cast<uint32_t>(rng());
        }
        // Ready comes from a register, so no input changes it combinationally.
        t.valid_i[q] = 0, t.ready_i[q] = 1;
        Settle();
        const bool ready = t.ready_o[q] != 0, valid = t.valid_o[q] != 0;
        t.valid_i[q] = 1, t.ready_i[q] = 0;
        Settle();
        ASSERT_EQ(t.ready_o[q] != 0, ready);
        ASSERT_EQ(t.valid_o[q] != 0, valid);
        t.valid_i[q] = offering, t.ready_i[q] = !Chance(stall);
        Settle();
        ASSERT_EQ(t.ready_o[q] != 0, ready);
        if (stood) {
          ASSERT_TRUE(valid);
          ASSERT_EQ(t.data_o[q], offer);
        }
        if (valid) {
          ASSERT_FALSE(model.empty());
          ASSERT_EQ(t.data_o[q], model.front());
        }
        const bool in = offering && ready, out = valid && t.ready_i[q];
        stood = valid && !out, offer = t.data_o[q];
        if (out) model.pop_front(), ++taken;
        if (in) model.push_back(t.data_i[q] & mask), offering = false;
        ASSERT_LE(model.size(), queue.capacity);
        Step();
      }
      EXPECT_GT(taken, 1000u);
      t.valid_i[q] = 0, t.ready_i[q] = 1;
      for (unsigned i = 0; i < 100 && !model.empty(); ++i) {
        Settle();
        if (t.valid_o[q]) model.pop_front();
        Step();
      }
      EXPECT_TRUE(model.empty()) << "words are lost";
      EXPECT_FALSE(t.valid_o[q]);
    }
  }
  template <size_t N>
  void LatencyCapacityAndRate(const std::array<Queue, N>& queues) {
    for (const Queue& queue : queues) {
      SCOPED_TRACE(queue.name);
      const unsigned q = queue.port;
      t.valid_i[q] = 1, t.ready_i[q] = 0;
      Settle();
      ASSERT_TRUE(t.ready_o[q]);
      Step();
      t.valid_i[q] = 0;
      Settle();
      unsigned latency = 1;
      for (; !t.valid_o[q] && latency < 10; ++latency) Step();
      EXPECT_EQ(latency, queue.latency);
      unsigned inside = 1;
      t.valid_i[q] = 1;
      for (unsigned i = 0; i < queue.capacity + 20; ++i) {
        Settle();
        inside += t.ready_o[q];
        Step();
      }
      EXPECT_EQ(inside, queue.capacity);
      t.ready_i[q] = 1;
      Run(20);
      unsigned out = 0;
      for (int i = 0; i < 100; ++i) {
        Settle();
        out += t.valid_o[q];
        Step();
      }
      EXPECT_EQ(out, queue.per_100);
      // A reset drops the contents.
      t.ready_i[q] = 0;
      Run(4);
      EXPECT_TRUE(t.valid_o[q]);
      t.valid_i[q] = 0;
      t.rst_i = 1;
      Step();
      t.rst_i = 0;
      for (int i = 0; i < 6; ++i) {
        Step();
        EXPECT_FALSE(t.valid_o[q]);
        EXPECT_TRUE(t.ready_o[q]);
      }
    }
  }
};

/// Tests two RAMs whose outputs are ram_o[first], with 16 words, and ram_o[first + 1], with 1 word.
/// A word is never read in the cycle that writes it.
class ApartTest : public InnerPrimTest {
 protected:
  void EqualsAnArray(unsigned first) {
    std::array<uint32_t, 16> model{};
    for (unsigned a = 0; a < 16; ++a) {
      t.ram_write_i = 1, t.ram_write_addr_i = static_cast<uint8_t>(a), t.ram_data_i = model[a] = a * 77;
      Step();
    }
    std::array<uint32_t, 2> shown{};
    std::array<bool, 2> known{};
    for (int i = 0; i < 6000; ++i) {
      const unsigned to = Random(3) == 0 ? 0 : Random(16);
      unsigned from = Random(3) == 0 ? 0 : Random(16);
      const bool writes = Chance(50);
      const bool reads = Chance(60) && !(writes && from == to);
      const uint32_t data = static_cast<uint32_t>(rng());
      t.ram_write_i = writes, t.ram_write_addr_i = static_cast<uint8_t>(to), t.ram_data_i = data;
      t.ram_read_i = reads, t.ram_read_addr_i = static_cast<uint8_t>(from);
      Settle();
      for (unsigned r = 0; r < 2; ++r) {
        if (known[r]) ASSERT_EQ(t.ram_o[first + r], shown[r]);  // The value is stable until the next read.
      }
      if (reads) shown[0] = model[from], known[0] = true;
      if (reads && from == 0) shown[1] = model[0], known[1] = true;
      if (writes) model[to] = data;
      Step();
    }
    EXPECT_TRUE(known[0] && known[1]);
  }
};

}  // namespace gmmu::inner
