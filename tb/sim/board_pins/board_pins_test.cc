// SPDX-License-Identifier: Apache-2.0
// Tests the whole board at its pins with the bring-up of docs/integration.md. The host program follows
// docs/board-link.md.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tb/sim/board_pins/board_host.h"

namespace gmmu::sim {
namespace {

using link::Bytes;

class BoardTest : public testing::Test, protected BoardHost {
 protected:
  using BoardHost::Run;  // hides the private testing::Test::Run
  ~BoardTest() override {
    for (const SdramFinding& finding : board_.sdram().findings()) ADD_FAILURE() << finding.text;
    EXPECT_FALSE(host_.limit_broken);
  }
};

TEST_F(BoardTest, SaysWhatItIs) {
  EXPECT_EQ(BoardRegister(0), 0x024452'42554D4D47u);
  EXPECT_EQ(BoardRegister(2), uint64_t{20'000'000} << 32 | 80'000'000);
  EXPECT_EQ(BoardRegister(3), 32u << 20);
  EXPECT_EQ(BoardRegister(10), 0x7333786C75u);
  EXPECT_EQ(BoardRegister(15), 0u);
  const uint64_t before = BoardRegister(4), cycles = board_.cycles();
  Run(10'000);
  const uint64_t passed = BoardRegister(4) - before;
  EXPECT_NEAR(static_cast<double>(passed), static_cast<double>(board_.cycles() - cycles), 3000);
  EXPECT_EQ(BoardRegister(9) >> 16, 0u);  // damaged frames only: the reset may truncate a hello
}

TEST_F(BoardTest, ControlMessageAndLedsKeepWhatIsWritten) {
  WriteBoard(16, 0xFEE01234), WriteBoard(17, 0xFFFFFFFF12345678), WriteBoard(5, 0xA3);
  EXPECT_EQ(BoardRegister(16), 0xFEE01234u);
  EXPECT_EQ(BoardRegister(17), 0x112345678u);  // enable and data
  EXPECT_EQ(BoardRegister(18), 0u);
  EXPECT_EQ(BoardRegister(5), 0xA1u);
  EXPECT_EQ(board_.leds() >> 4, 0xAu);
  EXPECT_EQ(board_.leds() & 3, 3u);  // the LEDs show: VRAM ready, session open
  host_.Open(2);
  Until([&] { return host_.opened; }, "the session");
  EXPECT_EQ(board_.leds() >> 4, 0u);
}

TEST_F(BoardTest, TheWindowReachesAllOfVram) {
  std::mt19937_64 chance(1);
  std::map<uint32_t, uint8_t> oracle;
  for (int i = 0; i < 30; ++i) {
    const auto words = static_cast<uint8_t>(1 + chance() % 32);
    const auto offset = static_cast<uint32_t>(chance() % ((32u << 20) / 8 - 32)) * 8;
    const auto strobes = static_cast<uint8_t>(i % 3 == 0 ? chance() : 0xFF);
    Bytes data(words * 8u);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(chance());
    WriteWindow(offset, Bytes(data.size()));  // SDRAM cells that were never written have undefined contents
    WriteWindow(offset, data, strobes);
    for (uint32_t n = 0; n < data.size(); ++n) oracle[offset + n] = strobes >> n % 8 & 1 ? data[n] : 0;
    const Bytes read = ReadWindow(offset, words);
    ASSERT_EQ(read.size(), data.size() + 1);
    EXPECT_EQ(read[0], 0);
    for (uint32_t n = 0; n < data.size(); ++n) ASSERT_EQ(read[n + 1], oracle[offset + n]) << offset + n;
  }
}

TEST_F(BoardTest, AnotherKeyOfVramMakesItsContentsOthers) {
  Bytes data;
  Put(data, 0x0123456789ABCDEF, 8);
  WriteWindow(0x8000, data);
  EXPECT_EQ(Get(ReadWindow(0x8000, 1), 1, 8), 0x0123456789ABCDEFu);
  WriteBoard(11, 0xFFFF'9E37);
  EXPECT_EQ(BoardRegister(11), 0x9E37u);
  EXPECT_EQ(Get(ReadWindow(0x8000, 1), 1, 8), 0x0123456789ABCDEF ^ 0x9E379E379E379E37u);
  WriteWindow(0x8008, data);
  EXPECT_EQ(Get(ReadWindow(0x8008, 1), 1, 8), 0x0123456789ABCDEFu);
  ReadWindow(0x8008, 1);
  WriteBoard(11, 0);
  EXPECT_EQ(Get(ReadWindow(0x8000, 1), 1, 8), 0x0123456789ABCDEFu);
  WriteBoard(11, 1);
  host_.Open(2);
  Until([&] { return host_.opened; }, "the session");
  EXPECT_EQ(BoardRegister(11), 0u);
}

TEST_F(BoardTest, AWindowAccessPastVramIsAnError) {
  EXPECT_EQ(ReadWindow((32u << 20) - 8, 2)[0], 2);
  EXPECT_EQ(ReadWindow((32u << 20) - 8, 1)[0], 0);
  const uint64_t before = BoardRegister(9) >> 48;
  WriteWindow(33u << 20, Bytes(8));
  Until([&] { return BoardRegister(9) >> 48 == before + 1; }, "the count of the error");
}

TEST_F(BoardTest, PagesInAndTellsByAMessage) {
  for (uint64_t i = 0; i < 100; ++i) memory_[0x100000003 + i] = static_cast<uint8_t>(i * 7 + 1);
  WriteBoard(16, 0xFEE00010), WriteBoard(17, uint64_t{1} << 32 | 0x41);
  BringUp(0x500003, 0x400009, 100);
  WriteBoard(5, 1);
  WriteRegister(0x1010, 1);
  Until([&] { return !writes_.empty() && writes_.back().kind == 2; }, "the interrupt message");
  ASSERT_EQ(writes_.size(), 2u);  // the fence record arrives before the message
  EXPECT_EQ(writes_[0].address, 0x30000u);
  EXPECT_EQ(Get(writes_[0].bytes, 0, 8), 0x0000000100000001u);
  EXPECT_EQ(writes_[1].address, 0xFEE00010u);
  EXPECT_EQ(Get(writes_[1].bytes, 0, 4), 0x41u);
  EXPECT_EQ(writes_[1].strobes, (Bytes{1, 1, 1, 1, 0, 0, 0, 0}));
  const Bytes vram = ReadWindow(0x100008, 14);
  for (uint64_t i = 0; i < 100; ++i) ASSERT_EQ(vram[2 + i], static_cast<uint8_t>(i * 7 + 1)) << i;
}

TEST_F(BoardTest, PagesOutInFrontOfTheFence) {
  Bytes data(304);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 3 + 5);
  WriteWindow(0x100000, Bytes(data.begin(), data.begin() + 256)),
      WriteWindow(0x100100, Bytes(data.begin() + 256, data.end()));
  BringUp(0x400009, 0x500005, 290);
  WriteRegister(0x1010, 1);
  Until([&] { return !writes_.empty() && writes_.back().address == 0x30000; }, "the fence");
  for (uint64_t i = 0; i < 290; ++i) ASSERT_EQ(Byte(0x100000005 + i), data[9 + i]) << i;
  EXPECT_EQ(memory_.count(0x100000004), 0u);
  EXPECT_EQ(memory_.count(0x100000005 + 290), 0u);
}

TEST_F(BoardTest, ARefusedReadIsAnErrorOfTheRing) {
  refused_ = 0x100000000 >> 12;
  BringUp(0x500003, 0x400009, 100);
  WriteRegister(0x1010, 1);
  Until([&] { return (Register(0x1028) & 2) != 0; }, "the ring's error");
  for (const Write& write : writes_) EXPECT_NE(write.address, 0x30000u);
}

TEST_F(BoardTest, ARegisterWriteThatWaitsForAWalkDoesNotKeepItsDataAway) {
  for (uint64_t i = 0; i < 100; ++i) memory_[0x100000003 + i] = 9;
  BringUp(0x500003, 0x400009, 100);
  WriteRegister(0x1010, 1);
  Until([&] { return reads_ > 0; }, "a read");
  // Each of these writes to space.root changes the root and therefore flushes the space.
  for (int i = 0; i < 20; ++i) WriteRegister(0x2018, 0x8001000000800000 | (i & 1 ? 0 : 0x1000));
  Until([&] { return !writes_.empty() && writes_.back().address == 0x30000; }, "the fence or an end", 6'000'000);
}

TEST_F(BoardTest, TheResetButtonEndsTheSession) {
  board_.Reset(true);
  Run(400);
  board_.Reset(false);
  Until([&] { return host_.announcements > 0; }, "an announcement");
  EXPECT_EQ(board_.leds() & 2, 0u);
}

}  // namespace
}  // namespace gmmu::sim
