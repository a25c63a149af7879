// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_counters against sums in C++. With constant inputs, a read is exact; with changing
// inputs, it lies between the sums at its start and at its end.
#include <algorithm>
#include <array>

#include "Vgmmu_counters_bench.h"
#include "hw/gmmu_regs.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::bench {
namespace {

constexpr unsigned kPorts = 7, kShared = 34;
constexpr int kReadBound = 400;  // cycles of a read; one round over all words takes less

/// The sums of the inputs so far.
struct Sums {
  std::array<std::array<uint64_t, 6>, kPorts> port{};
  std::array<uint64_t, kShared> shared{};
  std::array<uint64_t, 2> small{};
};

class CountersTest : public BlockTest<BlockBench<Vgmmu_counters_bench>> {
 protected:
  enum Size : unsigned { kDefault, kSmall, kCounts };

  CountersTest() { Clear(); }

  void Clear() {
    Reset();
    busy_ = 0;
    sums_ = {};
    Run(kReadBound);  // The block clears all words in its first round over them.
  }

  /// Runs one cycle in which each input counts with a probability of `busy_` percent. Most amounts
  /// are large.
  void Step() override {
    for (unsigned p = 0; p < kPorts; ++p) {
      GMMU_STRUCT(gmmu_counters_bench, port_count_t) count{};
      CData* const events[] = {&count.lookup, &count.hit, &count.miss, &count.merged, &count.fault};
      for (unsigned i = 0; i < 5; ++i) sums_.port[p][i] += *events[i] = Adds();
      sums_.port[p][5] += count.outstanding = Adds() ? Amount(8) : 0;
      t.port_i[p] = Pack(count);
    }
    for (unsigned i = 0; i < kShared; ++i) {
      const unsigned amount = Adds() ? Amount(t.adds_o[i]) : 0;
      sums_.shared[i] += amount;
      t.shared_i[i] = static_cast<uint16_t>(amount);
    }
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned amount = Adds() ? Amount(i == 0 ? 1 : 13) : 0;
      sums_.small[i] += amount;
      t.small_shared_i[i] = static_cast<uint16_t>(amount);
    }
    BlockBench::Step();
  }

  /// Reads one counter while the inputs keep counting.
  uint64_t Read(Size size, unsigned address) {
    t.addr_i[size] = static_cast<uint16_t>(address);
    Step();  // The address must be valid one cycle before the read.
    t.rd_i[size] = 1;
    Settle();
    int cycles = 0;
    while (t.rd_busy_o[size] && cycles < kReadBound) Step(), ++cycles;
    EXPECT_LT(cycles, kReadBound) << "the read of 0x" << std::hex << address << " does not end";
    const uint64_t data = t.rd_data_o[size];
    t.rd_i[size] = 0;
    Step();
    Step();
    return data;
  }

  unsigned PortAddress(unsigned port, unsigned element) const {
    return regs::kPortCountersBase + 64 * port + 8 * element;
  }
  unsigned SharedAddress(unsigned i) const { return regs::kCountersBase + 8 * i; }
  bool Adds() { return Chance(busy_); }
  /// Returns a random amount of `bits` bits, at least one.
  unsigned Amount(unsigned bits) {
    const unsigned most = (1u << bits) - 1;
    return std::max<unsigned>(1, rng() % 4 ? most - std::min<unsigned>(rng() % 16, most) : rng() % (most + 1));
  }

  Sums sums_;
  unsigned busy_ = 0;
};

TEST_P(CountersTest, AtRestEveryCounterIsItsSum) {
  for (unsigned busy : {100u, 40u, 2u}) {
    busy_ = busy;
    Run(1500);
    busy_ = 0;
    Run(4);
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
      EXPECT_EQ(Read(kSmall, SharedAddress(i)), sums_.small[i] & 0xffff) << "small shared " << i;
    }
  }
}

TEST_P(CountersTest, WhileTheyRunAReadLiesBetweenItsBeginAndItsEnd) {
  busy_ = 60;
  uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    const unsigned p = static_cast<unsigned>(rng() % kPorts), e = static_cast<unsigned>(rng() % 6);
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
  Run(100);
  busy_ = 0;
  EXPECT_EQ(Read(kDefault, PortAddress(0, 6)), 0u);
  EXPECT_EQ(Read(kDefault, PortAddress(kPorts, 0)), 0u);
  EXPECT_EQ(Read(kDefault, SharedAddress(kShared)), 0u);
  EXPECT_EQ(Read(kSmall, PortAddress(1, 0)), 0u);
  EXPECT_EQ(Read(kSmall, SharedAddress(2)), 0u);
}

TEST_P(CountersTest, ResetClearsThem) {
  busy_ = 100;
  Run(100);
  Clear();
  EXPECT_EQ(Read(kDefault, PortAddress(2, 5)), 0u);
  EXPECT_EQ(Read(kDefault, SharedAddress(33)), 0u);
  EXPECT_EQ(Read(kSmall, SharedAddress(1)), 0u);
}

TEST_P(CountersTest, BytesOfTheMemoryPortsAndOfTheUnitsAreCounted) {
  const unsigned beat = sizeof t.bus_strb_i[0] * 8;
  uint64_t read[2] = {}, written[2] = {}, unit_read = 0, unit_written = 0;
  for (int i = 0; i < 2000; ++i) {
    const unsigned busy = i % 500 < 250 ? 60 : 5;
    const auto bits = [&] { return static_cast<uint8_t>(Chance(busy) | Chance(busy) << 1); };
    const auto bytes = [&] { return static_cast<uint8_t>(Chance(busy) ? Random(65) : 0); };
    t.bus_r_i = bits(), t.bus_w_i = bits();
    bool counts = false;
    for (unsigned p = 0; p < 2; ++p) {
      t.bus_strb_i[p] = Chance(20) ? 0 : static_cast<std::decay_t<decltype(t.bus_strb_i[p])>>(rng());
      const unsigned strobes = static_cast<unsigned>(__builtin_popcountll(t.bus_strb_i[p]));
      read[p] += t.bus_r_i >> p & 1 ? beat : 0, written[p] += t.bus_w_i >> p & 1 ? strobes : 0;
      counts |= (t.bus_r_i >> p & 1) || ((t.bus_w_i >> p & 1) && strobes != 0);
      unit_read += t.unit_read_i[p] = bytes(), unit_written += t.unit_write_i[p] = bytes();
    }
    Step();
    Settle();
    EXPECT_EQ(t.bus_idle_o, !counts) << "the beats of one cycle are counted in the next";
  }
  t.bus_r_i = t.bus_w_i = 0;
  for (unsigned p = 0; p < 2; ++p) t.unit_read_i[p] = t.unit_write_i[p] = 0;
  Run(4);
  EXPECT_EQ(Read(kCounts, regs::kCountersBase + regs::CountersVramReadBytes::kOffset), read[0]);
  EXPECT_EQ(Read(kCounts, regs::kCountersBase + regs::CountersHostReadBytes::kOffset), read[1]);
  EXPECT_EQ(Read(kCounts, regs::kCountersBase + regs::CountersVramWriteBytes::kOffset), written[0]);
  EXPECT_EQ(Read(kCounts, regs::kCountersBase + regs::CountersHostWriteBytes::kOffset), written[1]);
  EXPECT_EQ(Read(kCounts, regs::kCountersBase + regs::CountersClientReadBytes::kOffset), unit_read);
  EXPECT_EQ(Read(kCounts, regs::kCountersBase + regs::CountersClientWriteBytes::kOffset), unit_written);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CountersTest, Seeds(3));

}  // namespace
}  // namespace gmmu::bench
