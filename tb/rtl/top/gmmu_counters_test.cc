// SPDX-License-Identifier: Apache-2.0
// gmmu_counters against sums in C++: while the inputs rest a read is exact, while they run it lies
// between the sums at its begin and at its end.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "Vgmmu_counters_bench.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu::bench {
namespace {

constexpr unsigned kPorts = 7, kShared = 34;
constexpr int kReadBound = 400;  // cycles; a round over all words takes less

/// The sums of the inputs.
struct Sums {
  std::array<std::array<uint64_t, 6>, kPorts> port{};
  std::array<uint64_t, kShared> shared{};
};

class CountersTest : public testing::TestWithParam<int> {
 protected:
  enum Size : unsigned { kDefault, kSmall };

  CountersTest() : random_(static_cast<uint64_t>(GetParam())) {
    context_.randReset(0);
    context_.assertOn(true);
    top_ = std::make_unique<Vgmmu_counters_bench>(&context_);
    Reset();
  }
  ~CountersTest() override { top_->final(); }

  void Reset() {
    busy_ = 0;
    top_->rst_i = 1;
    for (int i = 0; i < 3; ++i) Step();
    top_->rst_i = 0;
    sums_ = {};
    // the words become 0 in the first round
    for (int i = 0; i < kReadBound; ++i) Step();
  }

  /// One cycle; `busy_` per cent of the inputs add something. The amounts are mostly large.
  void Step() {
    for (unsigned p = 0; p < kPorts; ++p) {
      unsigned events = 0;
      for (unsigned i = 0; i < 5; ++i) {
        if (Adds()) events |= 1u << i, ++sums_.port[p][i];
      }
      const unsigned amount = Adds() ? Amount() : 0;
      sums_.port[p][5] += amount;
      top_->port_events_i[p] = static_cast<uint8_t>(events);
      top_->port_amount_i[p] = static_cast<uint16_t>(amount);
    }
    for (unsigned i = 0; i < kShared; ++i) {
      // the small one's first counter counts events
      const unsigned amount = Adds() ? (i == 0 ? 1 : Amount()) : 0;
      sums_.shared[i] += amount;
      top_->shared_i[i] = static_cast<uint16_t>(amount);
    }
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
  }

  /// Reads one counter; cycles go on as the load says.
  uint64_t Read(Size size, unsigned address) {
    top_->addr_i[size] = static_cast<uint16_t>(address);
    Step();  // the address stands a cycle before the read
    top_->rd_i[size] = 1;
    top_->eval();
    int cycles = 0;
    while (top_->rd_busy_o[size] && cycles < kReadBound) Step(), ++cycles;
    EXPECT_LT(cycles, kReadBound) << "the read of 0x" << std::hex << address << " does not end";
    const uint64_t data = top_->rd_data_o[size];
    top_->rd_i[size] = 0;
    Step();
    Step();
    return data;
  }

  unsigned PortAddress(unsigned port, unsigned element) const {
    return top_->ports_base_o + 64 * port + 8 * element;
  }
  unsigned SharedAddress(unsigned i) const { return top_->shared_base_o + 8 * i; }
  bool Adds() { return static_cast<int>(random_() % 100) < busy_; }
  unsigned Amount() { return random_() % 4 ? 8191 - random_() % 16 : random_() % 8192; }

  VerilatedContext context_;
  std::mt19937_64 random_;
  std::unique_ptr<Vgmmu_counters_bench> top_;
  Coverage coverage_{context_};
  Sums sums_;
  int busy_ = 0;
};

TEST_P(CountersTest, AtRestEveryCounterIsItsSum) {
  for (int busy : {100, 40, 2}) {
    busy_ = busy;
    for (int i = 0; i < 1500; ++i) Step();
    busy_ = 0;
    for (int i = 0; i < 4; ++i) Step();
    for (unsigned p = 0; p < kPorts; ++p) {
      for (unsigned i = 0; i < 6; ++i) {
        EXPECT_EQ(Read(kDefault, PortAddress(p, i)), sums_.port[p][i]) << "port " << p << "." << i;
      }
    }
    for (unsigned i = 0; i < kShared; ++i) {
      EXPECT_EQ(Read(kDefault, SharedAddress(i)), sums_.shared[i]) << "shared " << i;
    }
    for (unsigned i = 0; i < 6; ++i) {
      EXPECT_EQ(Read(kSmall, PortAddress(0, i)), sums_.port[0][i] & 0xffff) << "small " << i;
    }
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(Read(kSmall, SharedAddress(i)), sums_.shared[i] & 0xffff) << "small shared " << i;
    }
  }
}

TEST_P(CountersTest, WhileTheyRunAReadLiesBetweenItsBeginAndItsEnd) {
  busy_ = 60;
  uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    const unsigned p = static_cast<unsigned>(random_() % kPorts), e = static_cast<unsigned>(random_() % 6);
    uint64_t before = sums_.port[p][e];
    uint64_t value = Read(kDefault, PortAddress(p, e));
    EXPECT_GE(value, before);
    EXPECT_LE(value, sums_.port[p][e]);
    before = sums_.shared[3];
    value = Read(kDefault, SharedAddress(3));
    EXPECT_GE(value, before);
    EXPECT_LE(value, sums_.shared[3]);
    EXPECT_GE(value, last) << "a counter went back";
    last = value;
  }
}

TEST_P(CountersTest, OtherAddressesReadZero) {
  busy_ = 100;
  for (int i = 0; i < 100; ++i) Step();
  busy_ = 0;
  EXPECT_EQ(Read(kDefault, PortAddress(0, 6)), 0u);
  EXPECT_EQ(Read(kDefault, PortAddress(kPorts, 0)), 0u);
  EXPECT_EQ(Read(kDefault, SharedAddress(kShared)), 0u);
  EXPECT_EQ(Read(kSmall, PortAddress(1, 0)), 0u);
  EXPECT_EQ(Read(kSmall, SharedAddress(2)), 0u);
}

TEST_P(CountersTest, ResetClearsThem) {
  busy_ = 100;
  for (int i = 0; i < 100; ++i) Step();
  Reset();
  EXPECT_EQ(Read(kDefault, PortAddress(2, 5)), 0u);
  EXPECT_EQ(Read(kDefault, SharedAddress(33)), 0u);
  EXPECT_EQ(Read(kSmall, SharedAddress(1)), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CountersTest, testing::Range(1, 4));

}  // namespace
}  // namespace gmmu::bench
