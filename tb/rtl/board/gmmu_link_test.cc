// SPDX-License-Identifier: Apache-2.0
// Tests the board's end of the link against a host model written from docs/board-link.md, over a
// line with bit errors.
#include "Vgmmu_link_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/board/link_host.h"

namespace gmmu {
namespace {

constexpr double kCyclesPerBit = 7.3;
constexpr uint64_t kByte = 73;  // cycles per byte on the line

class LinkMachine : public BlockBench<Vgmmu_link_bench> {
 public:
  LinkMachine(unsigned size, uint64_t seed) : BlockBench(size, seed) {
    t.line_i = 1, t.up_valid_i = 0, t.up_i = 0, t.down_ready_i = 1;
    Reset();
  }

  void Step() override {
    host.Step(now);
    const bool level = to_board_.Drive(host.line);
    t.line_i = cut || (level != Flip());
    if (offer_.Now(!up.empty(), *this, manner.idle_percent)) t.up_valid_i = 1, t.up_i = up.front();
    else t.up_valid_i = 0;
    t.down_ready_i = !Stall();
    Settle();
    if (t.up_valid_i && t.up_ready_o) offer_.Taken(), up.pop_front();
    if (t.down_valid_o && t.down_ready_i) down.push_back(t.down_o);
    resets += t.reset_o, damaged += t.damaged_o, gaps += t.gap_o, again += t.again_o;
    if (const auto byte = to_host_.Sample(t.line_o != Flip()); byte && !cut) host.FromLine(*byte);
    Edge();
  }
  void Open(uint8_t session) {
    host.Open(session);
    Until([&] { return host.opened; }, "a frame of the session", 1000 * kByte);
  }
  link::Bytes Noise(size_t bytes, unsigned zeros_percent) {
    link::Bytes data(bytes);
    for (uint8_t& byte : data) byte = Chance(zeros_percent) ? 0 : static_cast<uint8_t>(Random(256));
    return data;
  }
  /// Sends in both directions and waits until everything has arrived.
  void Exchange(const link::Bytes& to_board, const link::Bytes& to_host) {
    const size_t down_size = down.size() + to_board.size(), up_size = host.up.size() + to_host.size();
    host.Send(to_board);
    up.insert(up.end(), to_host.begin(), to_host.end());
    Until([&] { return down.size() >= down_size && host.up.size() >= up_size; }, "all bytes",
          (to_board.size() + to_host.size() + 4000) * kByte * (flips_in_a_million == 0 ? 2 : 60));
  }

  link::Host host;
  link::Bytes down;
  std::deque<uint8_t> up;
  bool cut = false;
  unsigned flips_in_a_million = 0;  ///< cycles per million with a wrong level, in each direction
  uint64_t resets = 0, damaged = 0, gaps = 0, again = 0;

 private:
  bool Flip() { return flips_in_a_million != 0 && Random(1'000'000) < flips_in_a_million; }

  link::SerialPin to_board_{kCyclesPerBit}, to_host_{kCyclesPerBit};
  Offer offer_;
};
using LinkTest = BlockTest<LinkMachine>;

INSTANTIATE_TEST_SUITE_P(, LinkTest, Seeds(4), SizeAndSeed);

TEST_P(LinkTest, AnnouncesItselfUntilASessionIsOpened) {
  Until([&] { return host.announcements == 2; }, "two announcements", 3 * 4096 + 60 * kByte);
  EXPECT_FALSE(t.open_o);
  Open(7);
  EXPECT_TRUE(t.open_o);
  EXPECT_GT(resets, 4u);
  const uint64_t before = host.announcements;
  Run(3 * 4096);
  EXPECT_EQ(host.announcements, before);
}

TEST_P(LinkTest, BytesGoBothWays) {
  Open(1);
  for (const unsigned zeros : {0u, 5u, 100u}) {
    const link::Bytes a = Noise(3000, zeros), b = Noise(3000, zeros);
    down.clear(), host.up.clear();
    Exchange(a, b);
    EXPECT_EQ(down, a);
    EXPECT_EQ(host.up, b);
  }
  EXPECT_EQ(damaged + again + host.damaged + host.again, 0u);
  EXPECT_FALSE(host.limit_broken);
}

TEST_P(LinkTest, RunsOfWholeBlocksAreEncodedRight) {
  Open(1);
  for (const size_t size : {1u, 249u, 250u, 251u, 252u, 253u, 254u, 255u, 256u, 257u}) {
    const link::Bytes data(size, 0xA5);
    down.clear(), host.up.clear();
    Exchange(data, data);
    EXPECT_EQ(down, data) << size;
    EXPECT_EQ(host.up, data) << size;
  }
}

TEST_P(LinkTest, NoiseIsRepaired) {
  Open(1);
  flips_in_a_million = 100;
  const link::Bytes a = Noise(20000, 3), b = Noise(20000, 3);
  Exchange(a, b);
  EXPECT_EQ(down, a);
  EXPECT_EQ(host.up, b);
  EXPECT_GT(damaged, 0u);
  EXPECT_GT(host.damaged, 0u);
  EXPECT_GT(again, 0u);
  EXPECT_FALSE(host.limit_broken);
}

TEST_P(LinkTest, AHostWithoutRoomHoldsTheBoardUp) {
  Open(1);
  host.room = 0;
  host.Send({1});  // This frame announces that the host has no room.
  Until([&] { return down.size() == 1; }, "a byte", 100 * kByte);
  const link::Bytes data = Noise(4000, 3);
  up.assign(data.begin(), data.end());
  Run(600 * kByte);
  EXPECT_EQ(host.up.size(), 0u);
  host.room = 8;
  Until([&] { return host.up.size() == data.size(); }, "all bytes", 12000 * kByte);
  EXPECT_EQ(host.up, data);
}

TEST_P(LinkTest, ABoardThatReadsNothingHoldsTheHostUp) {
  Open(1);
  manner.stall_percent = 100;
  const link::Bytes data = Noise(9000, 3);
  host.Send(data);
  Run(12000 * kByte);
  EXPECT_FALSE(host.Quiet());
  manner.stall_percent = 0;
  Until([&] { return down.size() == data.size(); }, "all bytes", 14000 * kByte);
  EXPECT_EQ(down, data);
}

TEST_P(LinkTest, AHelloInTheMiddleBeginsAnew) {
  Open(1);
  host.Send(Noise(5000, 3));
  up.assign(3000, 0x11);
  Run(static_cast<uint64_t>(Random(100, 2000)) * kByte);
  host.line.push_back(0);  // a stray delimiter
  up.clear();
  t.up_valid_i = 0;
  resets = 0;
  Open(2);
  EXPECT_GT(resets, 4u);
  down.clear();
  const link::Bytes a = Noise(1000, 3), b = Noise(1000, 3);
  Exchange(a, b);
  EXPECT_EQ(down, a);
  EXPECT_EQ(host.up, b);
}

TEST_P(LinkTest, ACutLineIsGoneOnWithWhenItIsBack) {
  Open(1);
  const link::Bytes a = Noise(6000, 3), b = Noise(6000, 3);
  host.Send(a);
  up.assign(b.begin(), b.end());
  Run(1000 * kByte);
  cut = true;
  Run(3000 * kByte);
  cut = false;
  Until([&] { return down.size() == a.size() && host.up.size() == b.size(); }, "all bytes", 30000 * kByte);
  EXPECT_EQ(down, a);
  EXPECT_EQ(host.up, b);
}

TEST_P(LinkTest, HellosOfAnotherProtocolAreNotTaken) {
  host.Open(3, 7);
  Run(200 * kByte);
  EXPECT_FALSE(t.open_o);
  EXPECT_EQ(resets, 0u);
  host.Open(0);
  Run(200 * kByte);
  EXPECT_FALSE(t.open_o);
}

TEST_P(LinkTest, GarbageIsNothing) {
  for (int i = 0; i < 3000; ++i) host.line.push_back(static_cast<uint8_t>(Random(256)));
  Run(3100 * kByte);
  EXPECT_FALSE(t.open_o);
  EXPECT_GT(damaged, 0u);
  Open(9);
  const link::Bytes a = Noise(100, 3);
  Exchange(a, a);
  EXPECT_EQ(down, a);
}

TEST_P(LinkTest, MostOfTheLineIsPayload) {
  Open(1);
  manner = {0, 0};
  const link::Bytes data = Noise(30000, 1);
  const uint64_t begin = now;
  Exchange(data, {});
  const double to_board = static_cast<double>(data.size() * kByte) / static_cast<double>(now - begin);
  const uint64_t middle = now;
  Exchange({}, data);
  const double to_host = static_cast<double>(data.size() * kByte) / static_cast<double>(now - middle);
  std::cout << "payload of the line's bytes: to the board " << to_board << ", to the host " << to_host << '\n';
  EXPECT_GT(to_board, .9);
  EXPECT_GT(to_host, .9);
}

}  // namespace
}  // namespace gmmu
