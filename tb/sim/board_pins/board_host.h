// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "board_pins/board_pins.h"
#include "tb/rtl/board/link_host.h"

namespace gmmu::sim {

using link::Bytes;

inline void Put(Bytes& to, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to.push_back(static_cast<uint8_t>(value >> 8 * i));
}
inline uint64_t Get(const Bytes& from, size_t at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{from.at(at + i)} << 8 * i;
  return value;
}

struct Write {
  uint64_t address;
  unsigned kind;
  Bytes bytes, strobes;  ///< one strobe per byte
};

/// The simulated board and, at the other end of its serial line, a host program that was written
/// from docs/board-link.md alone. Host memory is a map of bytes. Timeouts and unknown messages
/// throw std::runtime_error.
class BoardHost {
 public:
  BoardHost() {
    host_.Open(1);
    Until([&] { return host_.opened; }, "the session");
    Until([&] { return (BoardRegister(8) & 16) != 0; }, "VRAM");
  }
  template <typename Done>
  void Until(const Done& done, const std::string& what, uint64_t bound = 2'000'000) {
    for (const uint64_t end = board_.cycles() + bound; !done();) {
      if (board_.cycles() >= end) throw std::runtime_error("waited " + std::to_string(bound) + " cycles for " + what);
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
      default: throw std::runtime_error("message " + std::to_string(up[0]));
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
  Bytes Answer() {  // returns the response code, then the words
    Until([&] { return !answers_.empty(); }, "an answer");
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
  /// Performs the bring-up of docs/integration.md for a copy of `bytes` bytes, except for the doorbell.
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

}  // namespace gmmu::sim
