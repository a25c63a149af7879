// SPDX-License-Identifier: Apache-2.0
// The bench of the inner primitives, and what every queue has to keep: order, offers that stand, and a ready that comes
// from a register.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "Vgmmu_prim_inner_bench.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu::inner {

/// Clocked by Step; the test's parameter is the seed.
class InnerPrimTest : public testing::TestWithParam<int> {
  VerilatedContext context_;  // goes last

 protected:
  InnerPrimTest()
      : random_(static_cast<uint64_t>(GetParam())), top_(std::make_unique<Vgmmu_prim_inner_bench>(&context_)) {
    RecordProperty("seed", GetParam());
    context_.assertOn(true);
    top_->rst_i = 1;
    for (int i = 0; i < 3; ++i) Step();
    top_->rst_i = 0;
    top_->eval();
  }
  ~InnerPrimTest() override {
    top_->final();
    if (HasFailure()) std::cout << "seed " << GetParam() << '\n';
  }
  void Step() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
  }
  unsigned Random(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool Chance(unsigned percent) { return random_() % 100 < percent; }

  std::mt19937_64 random_;
  std::unique_ptr<Vgmmu_prim_inner_bench> top_;

 private:
  Coverage coverage_{context_};
};

struct Queue {
  unsigned port;
  const char* name;
  unsigned bits, capacity, latency, per_100;  ///< capacity: words inside while nothing is taken; per_100: cycles
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
          top_->data_i[q] = static_cast<uint32_t>(random_());
        }
        // Ready comes from a register: no input changes it.
        top_->valid_i[q] = 0, top_->ready_i[q] = 1;
        top_->eval();
        const bool ready = top_->ready_o[q] != 0, valid = top_->valid_o[q] != 0;
        top_->valid_i[q] = 1, top_->ready_i[q] = 0;
        top_->eval();
        ASSERT_EQ(top_->ready_o[q] != 0, ready);
        ASSERT_EQ(top_->valid_o[q] != 0, valid);
        top_->valid_i[q] = offering, top_->ready_i[q] = !Chance(stall);
        top_->eval();
        ASSERT_EQ(top_->ready_o[q] != 0, ready);
        if (stood) {
          ASSERT_TRUE(valid);
          ASSERT_EQ(top_->data_o[q], offer);
        }
        if (valid) {
          ASSERT_FALSE(model.empty());
          ASSERT_EQ(top_->data_o[q], model.front());
        }
        const bool in = offering && ready, out = valid && top_->ready_i[q];
        stood = valid && !out, offer = top_->data_o[q];
        if (out) model.pop_front(), ++taken;
        if (in) model.push_back(top_->data_i[q] & mask), offering = false;
        ASSERT_LE(model.size(), queue.capacity);
        Step();
      }
      EXPECT_GT(taken, 1000u);
      top_->valid_i[q] = 0, top_->ready_i[q] = 1;
      for (unsigned i = 0; i < 100 && !model.empty(); ++i) {
        top_->eval();
        if (top_->valid_o[q]) model.pop_front();
        Step();
      }
      EXPECT_TRUE(model.empty()) << "words are lost";
      EXPECT_FALSE(top_->valid_o[q]);
    }
  }
  template <size_t N>
  void LatencyCapacityAndRate(const std::array<Queue, N>& queues) {
    for (const Queue& queue : queues) {
      SCOPED_TRACE(queue.name);
      const unsigned q = queue.port;
      top_->valid_i[q] = 1, top_->ready_i[q] = 0;
      top_->eval();
      ASSERT_TRUE(top_->ready_o[q]);
      Step();
      top_->valid_i[q] = 0;
      top_->eval();
      unsigned latency = 1;
      for (; !top_->valid_o[q] && latency < 10; ++latency) Step();
      EXPECT_EQ(latency, queue.latency);
      unsigned inside = 1;
      top_->valid_i[q] = 1;
      for (unsigned i = 0; i < queue.capacity + 20; ++i) {
        top_->eval();
        inside += top_->ready_o[q];
        Step();
      }
      EXPECT_EQ(inside, queue.capacity);
      top_->ready_i[q] = 1;
      for (int i = 0; i < 20; ++i) Step();
      unsigned out = 0;
      for (int i = 0; i < 100; ++i) {
        top_->eval();
        out += top_->valid_o[q];
        Step();
      }
      EXPECT_EQ(out, queue.per_100);
      // A reset drops what is inside.
      top_->ready_i[q] = 0;
      for (int i = 0; i < 4; ++i) Step();
      EXPECT_TRUE(top_->valid_o[q]);
      top_->valid_i[q] = 0;
      top_->rst_i = 1;
      Step();
      top_->rst_i = 0;
      for (int i = 0; i < 6; ++i) {
        Step();
        EXPECT_FALSE(top_->valid_o[q]);
        EXPECT_TRUE(top_->ready_o[q]);
      }
    }
  }
};

/// A RAM of 16 words and one of 1 word, elements `first` and `first` + 1: never read beside a write of the same word.
class ApartTest : public InnerPrimTest {
 protected:
  void EqualsAnArray(unsigned first) {
    std::array<uint32_t, 16> model{};
    for (unsigned a = 0; a < 16; ++a) {
      top_->ram_write_i = 1, top_->ram_write_addr_i = static_cast<uint8_t>(a), top_->ram_data_i = model[a] = a * 77;
      Step();
    }
    std::array<uint32_t, 2> shown{};
    std::array<bool, 2> known{};
    for (int i = 0; i < 6000; ++i) {
      const unsigned to = Random(3) == 0 ? 0 : Random(16);
      unsigned from = Random(3) == 0 ? 0 : Random(16);
      const bool writes = Chance(50);
      const bool reads = Chance(60) && !(writes && from == to);
      const uint32_t data = static_cast<uint32_t>(random_());
      top_->ram_write_i = writes, top_->ram_write_addr_i = static_cast<uint8_t>(to), top_->ram_data_i = data;
      top_->ram_read_i = reads, top_->ram_read_addr_i = static_cast<uint8_t>(from);
      top_->eval();
      for (unsigned r = 0; r < 2; ++r) {
        if (known[r]) ASSERT_EQ(top_->ram_o[first + r], shown[r]);  // it stands until the next read
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
