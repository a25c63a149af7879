// SPDX-License-Identifier: Apache-2.0
#include "tb/netlist/netlist.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <stdexcept>

namespace gmmu::netlist {
namespace {

using ::testing::HasSubstr;

class NetlistTest : public ::testing::Test {
 protected:
  ~NetlistTest() override { unlink(path_.c_str()); }
  const std::string& File(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string path_ = "/tmp/gmmu_netlist_" + std::to_string(getpid());
};

TEST_F(NetlistTest, CountsWithTablesAndFlipFlops) {
  // A two-bit counter in nets 2 and 3. Net 4 is the inverse of net 2, and net 5 is 2 xor 3. Input 6 enables, input 7
  // clears.
  Netlist n(
      File("port q 2 3\nport enable 6\nport clear 7\nff 2 4 6 0 7 0\nff 3 5 6 0 7 0\n"
           "table 4 55555555 2 0 0 0 0\ntable 5 66666666 2 3 0 0 0\n"));
  n.Put("enable", 1);
  for (unsigned i = 1; i < 10; ++i) {
    n.Edge();
    EXPECT_EQ(n.Get("q"), i % 4);
  }
  n.Put("enable", 0), n.Edge();
  EXPECT_EQ(n.Get("q"), 1u);
  n.Put("clear", 1), n.Edge();
  EXPECT_EQ(n.Get("q"), 0u) << "the reset counts without the enable";
}

TEST_F(NetlistTest, SetsWhatBeginsSetAndInvertsItsEnable) {
  Netlist n(File("port q 2\nport d 3\nport hold 4\nport set 5\nff 2 3 4 1 5 1\n"));
  EXPECT_EQ(n.Get("q"), 1u);
  n.Put("hold", 1), n.Edge();
  EXPECT_EQ(n.Get("q"), 1u);
  n.Put("hold", 0), n.Edge();
  EXPECT_EQ(n.Get("q"), 0u);
  n.Put("set", 1), n.Edge();
  EXPECT_EQ(n.Get("q"), 1u);
}

TEST_F(NetlistTest, ReadsLutRamAtOnceAndWritesItAtTheEdge) {
  Netlist n(
      File("port do 2 3 4 5\nport read 6 7 8 9\nport write 10 11 12 13\nport di 14 15 16 17\nport on 18\n"
           "ram16 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 fedcba9876543210\n"));
  for (unsigned address = 0; address < 16; ++address) {
    n.Put("read", address), n.Settle();
    EXPECT_EQ(n.Get("do"), address);
  }
  n.Put("write", 15), n.Put("di", 6), n.Put("on", 1), n.Settle();
  EXPECT_EQ(n.Get("do"), 15u);
  n.Edge();
  EXPECT_EQ(n.Get("do"), 6u);
}

TEST_F(NetlistTest, ShowsAPadFromOutsideUnlessItDrives) {
  Netlist n(File("port pin 2\nport in 3\nport off 4\nport seen 5\npad 3 4 5 2\n"));
  n.Put("pin", 1), n.Put("off", 1), n.Settle();
  EXPECT_EQ(n.Get("seen"), 1u);
  n.Put("off", 0), n.Settle();
  EXPECT_EQ(n.Get("seen"), 0u);
  EXPECT_TRUE(n.PadsDrive());
}

TEST_F(NetlistTest, RefusesLoopsAndWrongLinesByName) {
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      Netlist n(File(text));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("table 2 1 3 0 0 0 0\ntable 3 1 2 0 0 0 0\n"), HasSubstr("loop without a register"));
  EXPECT_THAT(refusal("port a 2\nlatch 2 3\n"), HasSubstr(":2: no part is called 'latch'"));
  EXPECT_THAT(refusal("ff 2 3\n"), HasSubstr(":1: ff lacks a number"));
}

/// Compares both ports with an array of bits, at every width.
TEST(BlockRam, KeepsItsBitsAtEveryWidth) {
  std::mt19937_64 chance(7);
  RecordProperty("seed", 7);
  for (unsigned width : {1u, 2u, 4u, 9u, 18u, 36u}) {
    BlockRam ram;
    ram.a.width = ram.b.width = width;
    ram.a.mode = BlockRam::Write::kReadFirst, ram.b.mode = BlockRam::Write::kNoChange;
    const unsigned step = width == 1 ? 1 : width == 2 ? 2 : width == 4 ? 4 : width == 9 ? 8 : width == 18 ? 16 : 32;
    std::vector<uint64_t> want(16384 / step);
    uint64_t shown = 0;
    for (int i = 0; i < 20000; ++i) {
      const uint64_t ones = (uint64_t{1} << width) - 1;
      const unsigned row = static_cast<unsigned>(chance() % want.size() % 37),
                     other = static_cast<unsigned>(chance() % want.size() % 37);
      const uint64_t data = chance() & ones;
      unsigned enables = width == 18   ? static_cast<unsigned>(chance() % 4)
                         : width == 36 ? static_cast<unsigned>(chance() % 16)
                                       : 0;
      const bool write = chance() % 2 != 0;
      const uint64_t before = want[row], beside = want[other];
      ram.Edge({true, write, row * step | enables, data}, {other != row, false, other * step, 0});
      if (write) {
        for (unsigned byte = 0; byte < (width + 8) / 9; ++byte) {
          if (width >= 18 && (enables >> byte & 1) == 0) continue;
          const uint64_t mask = (uint64_t{0x1ff} << 9 * byte) & ones;
          want[row] = (want[row] & ~mask) | (data & mask);
        }
      }
      if (other != row) shown = beside;
      ASSERT_EQ(ram.a.out, before) << width << " bits, step " << i;
      ASSERT_EQ(ram.b.out, shown) << width << " bits, step " << i;
    }
  }
}

TEST(BlockRam, SharesItsWordsBetweenWidths) {
  BlockRam ram;
  ram.a.width = 36, ram.b.width = 9;
  ram.Edge({true, true, 3 << 5 | 15, 0x8'4433'2211}, {});
  const uint64_t want[] = {0x8'4433'2211 & 0x1ff, 0x8'4433'2211 >> 9 & 0x1ff, 0x8'4433'2211 >> 18 & 0x1ff,
                           0x8'4433'2211 >> 27 & 0x1ff};
  for (unsigned byte = 0; byte < 4; ++byte) {
    ram.Edge({}, {true, false, 3 << 5 | byte << 3, 0});
    EXPECT_EQ(ram.b.out, want[byte]) << byte;
  }
}

TEST(BlockRam, ShowsWhatItWritesOrKeepsItsOutput) {
  BlockRam ram;
  ram.a.width = ram.b.width = 18;
  ram.a.mode = BlockRam::Write::kThrough;
  ram.Edge({true, true, 5 << 4 | 3, 0x1abcd}, {true, true, 6 << 4 | 3, 0x2222});
  EXPECT_EQ(ram.a.out, 0x1abcdu);
  EXPECT_EQ(ram.b.out, 0u);
}

}  // namespace
}  // namespace gmmu::netlist
