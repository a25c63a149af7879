// SPDX-License-Identifier: Apache-2.0
// The whole board at its pins against a host written from docs/board-link.md, with the bring-up of docs/integration.md.
#include "board_pins/board_pins.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>

#include "hw/gmmu_regs.h"
#include "tb/rtl/board/link_host.h"

namespace gmmu::sim {
namespace {

using link::Bytes;

void Put(Bytes& to, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to.push_back(static_cast<uint8_t>(value >> 8 * i));
}
uint64_t Get(const Bytes& from, size_t at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{from.at(at + i)} << 8 * i;
  return value;
}

struct Write {
  uint64_t address;
  unsigned kind;
  Bytes bytes, strobes;  ///< a strobe each byte
};

/// The board and the program at the other end of its line, which serves host memory from a map of words.
class BoardTest : public testing::Test {
 protected:
  BoardTest() {
    host_.Open(1);
    Until([&] { return host_.opened; }, "the session");
    Until([&] { return (BoardRegister(8) & 16) != 0; }, "VRAM");
  }
  ~BoardTest() override {
    for (const SdramFinding& finding : board_.sdram().findings()) ADD_FAILURE() << finding.text;
    EXPECT_FALSE(host_.limit_broken);
  }

  template <typename Done>
  void Until(const Done& done, const std::string& what, uint64_t bound = 2'000'000) {
    for (const uint64_t end = board_.cycles() + bound; !done();) {
      ASSERT_LT(board_.cycles(), end) << "waited for " << what;
      Run(40);
    }
  }
  void Run(uint64_t cycles) {
    host_.Step(board_.cycles());
    for (; !host_.line.empty(); host_.line.pop_front()) board_.from_host.push_back(host_.line.front());
    board_.Run(board_.from_host.size() > 1 ? 400 : cycles);
    for (; !board_.to_host.empty(); board_.to_host.pop_front()) host_.FromLine(board_.to_host.front());
    while (Message()) {}
  }

  // ---- messages up
  bool Message() {
    const Bytes& up = host_.up;
    if (up.empty()) return false;
    size_t size = 0;
    switch (up[0]) {
      case 1:
        if ((size = 14) > up.size()) return false;
        Serve(Get(up, 1, 2), Get(up, 7, 6), static_cast<unsigned>(up[13]) + 1);
        break;
      case 2: {
        if (up.size() < 13) return false;
        const unsigned beats = up[11] + 1u, beat = up[12] == 0 ? 8 : 9;
        if ((size = 13 + beats * beat) > up.size()) return false;
        Write write{Get(up, 5, 6), up[1] & 3u, {}, {}};
        for (unsigned i = 0; i < beats; ++i) {
          for (unsigned n = 0; n < 8; ++n) {
            const bool on = beat == 9 ? (up[13 + i * 9] >> n & 1) != 0 : i > 0 || n >= (write.address & 7);
            write.strobes.push_back(on);
            write.bytes.push_back(up[13 + i * beat + (beat - 8) + n]);
            if (on && write.kind == 0) memory_[(write.address & ~7ull) + i * 8 + n] = write.bytes.back();
          }
        }
        writes_.push_back(write);
        break;
      }
      case 3:
        if (up.size() < 3 || (size = 3 + up[1] * 8u) > up.size()) return false;
        answers_.emplace_back(up.begin() + 2, up.begin() + static_cast<long>(size));
        break;
      case 4:
        if ((size = 3) > up.size()) return false;
        room_ += Get(up, 1, 2);
        break;
      default: ADD_FAILURE() << "message " << unsigned{up[0]}; return false;
    }
    host_.up.erase(host_.up.begin(), host_.up.begin() + static_cast<long>(size));
    return true;
  }
  void Serve(uint64_t id, uint64_t address, unsigned beats) {
    Bytes out = {0x17};
    Put(out, id, 2), Put(out, beats - 1, 1);
    ++reads_;
    if (refused_ && *refused_ == address >> 12) {
      out.push_back(2);
      return host_.Send(out);
    }
    out.push_back(0);
    for (uint64_t at = address & ~7ull; at < (address & ~7ull) + beats * 8; ++at) out.push_back(Byte(at));
    host_.Send(out);
  }
  uint8_t Byte(uint64_t at) const { return memory_.count(at) != 0 ? memory_.at(at) : 0; }

  // ---- requests
  void Request(const Bytes& message) {
    Until([&] { return room_ >= message.size(); }, "room for a request");
    room_ -= message.size();
    host_.Send(message);
  }
  Bytes Answer() {  // response, then words
    Until([&] { return !answers_.empty(); }, "an answer");
    if (answers_.empty()) return Bytes(9);
    const Bytes answer = answers_.front();
    answers_.pop_front();
    return answer;
  }
  uint64_t BoardRegister(uint8_t index) {
    Request({0x16, index});
    return Get(Answer(), 1, 8);
  }
  void WriteBoard(uint8_t index, uint64_t value) {
    Bytes out = {0x15, index};
    Put(out, value, 8);
    Request(out);
  }
  uint64_t Register(uint16_t offset) {
    Bytes out = {0x12};
    Put(out, offset, 2);
    Request(out);
    return Get(Answer(), 1, 8);
  }
  void WriteRegister(uint16_t offset, uint64_t value) {
    Bytes out = {0x11};
    Put(out, offset, 2), out.push_back(0xFF), Put(out, value, 8);
    Request(out);
  }
  void WriteWindow(uint32_t offset, const Bytes& words, uint8_t strobes = 0xFF) {
    Bytes out = {0x13};
    Put(out, offset, 4), Put(out, words.size() / 8, 1), out.push_back(strobes);
    out.insert(out.end(), words.begin(), words.end());
    Request(out);
  }
  Bytes ReadWindow(uint32_t offset, uint8_t words) {
    Bytes out = {0x14};
    Put(out, offset, 4), out.push_back(words);
    Request(out);
    return Answer();
  }
  void Memory(uint64_t address, uint64_t value) {
    for (unsigned i = 0; i < 8; ++i) memory_[address + i] = static_cast<uint8_t>(value >> 8 * i);
  }
  void Vram(uint32_t offset, uint64_t value) {
    Bytes word;
    Put(word, value, 8);
    WriteWindow(offset, word);
  }
  /// The tables, registers and ring of docs/integration.md (Bring-up), but for the doorbell. `copy`: source, destination, bytes.
  void BringUp(uint64_t source, uint64_t destination, uint64_t bytes) {
    WriteBoard(5, 1);  // bus master
    Vram(0x800010, 0x801041), Vram(0x801000, 0x100041), Vram(0x801800, 0x100000005), Vram(0x801C00, 0x20005);
    Memory(0x10000, 0x580000), Memory(0x10008, 0x0001010000000020), Memory(0x10010, 1), Memory(0x10018, 0);
    Memory(0x20000, 0x0004000101000001), Memory(0x20008, source), Memory(0x20010, destination), Memory(0x20018, bytes);
    WriteRegister(0x2010, 0x0000020000009902), WriteRegister(0x2018, 0x8001000000800000);
    WriteRegister(0x1000, 0x10000), WriteRegister(0x1020, 0x30000), WriteRegister(0x1008, 0x104);
    WriteRegister(0x88, 1), WriteRegister(0x28, 1);
  }

  BoardPins board_;
  link::Host host_;
  std::map<uint64_t, uint8_t> memory_;
  std::vector<Write> writes_;
  std::optional<uint64_t> refused_;  ///< page whose reads are refused
  unsigned reads_ = 0;

 private:
  std::deque<Bytes> answers_;
  uint64_t room_ = 2048;
};

TEST_F(BoardTest, SaysWhatItIs) {
  EXPECT_EQ(BoardRegister(0), 0x014452'42554D4D47u);
  EXPECT_EQ(BoardRegister(2), uint64_t{20'000'000} << 32 | 80'000'000);
  EXPECT_EQ(BoardRegister(3), 32u << 20);
  EXPECT_EQ(BoardRegister(10), 0x7333786C75u);
  EXPECT_EQ(BoardRegister(15), 0u);
  const uint64_t before = BoardRegister(4), cycles = board_.cycles();
  Run(10'000);
  const uint64_t passed = BoardRegister(4) - before;
  EXPECT_NEAR(static_cast<double>(passed), static_cast<double>(board_.cycles() - cycles), 3000);
  EXPECT_EQ(BoardRegister(9) >> 16, 0u);  // a hello may be cut by the end of the reset
}

TEST_F(BoardTest, ControlMessageAndLedsKeepWhatIsWritten) {
  WriteBoard(6, 0xFEE01234), WriteBoard(7, 0xFFFFFFFF12345678), WriteBoard(5, 0xA3);
  EXPECT_EQ(BoardRegister(6), 0xFEE01234u);
  EXPECT_EQ(BoardRegister(7), 0x12345678u);
  EXPECT_EQ(BoardRegister(5), 0xA3u);
  EXPECT_EQ(board_.leds() >> 4, 0xAu);
  EXPECT_EQ(board_.leds() & 3, 3u);  // VRAM ready, a session
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
    WriteWindow(offset, Bytes(data.size()));  // cells that were never written hold anything
    WriteWindow(offset, data, strobes);
    for (uint32_t n = 0; n < data.size(); ++n) oracle[offset + n] = strobes >> n % 8 & 1 ? data[n] : 0;
    const Bytes read = ReadWindow(offset, words);
    ASSERT_EQ(read.size(), data.size() + 1);
    EXPECT_EQ(read[0], 0);
    for (uint32_t n = 0; n < data.size(); ++n) ASSERT_EQ(read[n + 1], oracle[offset + n]) << offset + n;
  }
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
  WriteBoard(6, 0xFEE00010), WriteBoard(7, 0x41);
  BringUp(0x500003, 0x400009, 100);
  WriteBoard(5, 3);
  WriteRegister(0x1010, 1);
  Until([&] { return !writes_.empty() && writes_.back().kind == 2; }, "the interrupt message");
  ASSERT_EQ(writes_.size(), 2u);  // the fence record is in front of the message
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
  for (int i = 0; i < 20; ++i) WriteRegister(0x2018, 0x8001000000800000 | (i & 1 ? 0 : 0x1000));  // each flushes
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
