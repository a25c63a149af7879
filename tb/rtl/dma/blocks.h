// SPDX-License-Identifier: Apache-2.0
// The benches of single blocks: a clock, chance, and streams that keep the valid/ready contract.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Vgmmu_dma_blocks_bench.h"
#include "tb/rtl/coverage.h"
#include "tb/rtl/manner.h"
#include "verilated.h"

namespace gmmu::dma {

constexpr unsigned kBeat = sizeof(Vgmmu_dma_blocks_bench::realign_data_i);  ///< bytes of the bus
constexpr unsigned kBeatLg2 = kBeat == 8 ? 3 : kBeat == 16 ? 4 : kBeat == 32 ? 5 : 6;

/// Blocks with a clock. Drive sets inputs, Sample sees both sides of every handshake.
template <typename Top>
class BenchOf : public Dice {
 public:
  explicit BenchOf(uint64_t seed) : Dice(seed), top(std::make_unique<Top>(&context_)) {
    top->vram_bytes_i = 64 << 20;
    top->rst_i = 1;
    for (int n = 0; n < 4; ++n) Tick([] {}, [] {});
    top->rst_i = 0;
  }
  ~BenchOf() { top->final(); }
  void Tick(const std::function<void()>& drive, const std::function<void()>& sample) {
    drive();
    top->clk_i = 0;
    top->eval();
    sample();
    top->clk_i = 1;
    top->eval();
    ++now;
  }

  uint64_t now = 0;

 private:
  VerilatedContext context_;

 public:
  std::unique_ptr<Top> top;

 private:
  Coverage coverage_{context_};
};
using Blocks = BenchOf<Vgmmu_dma_blocks_bench>;

/// A bus beat in C++.
struct Beat {
  std::vector<uint8_t> data = std::vector<uint8_t>(kBeat);
  uint64_t strb = 0;
  bool last = false;

  bool operator==(const Beat& other) const {
    if (strb != other.strb || last != other.last) return false;
    for (unsigned lane = 0; lane < kBeat; ++lane)
      if ((strb >> lane & 1) && data[lane] != other.data[lane]) return false;
    return true;
  }
};
inline std::ostream& operator<<(std::ostream& out, const Beat& beat) {
  out << std::hex << "strb " << beat.strb << (beat.last ? " last" : "") << " data";
  for (uint8_t byte : beat.data) out << ' ' << int{byte};
  return out << std::dec;
}

/// Bytes as they lie on the bus from `lane` on, beat by beat.
inline std::vector<Beat> Lay(unsigned lane, const std::vector<uint8_t>& bytes) {
  std::vector<Beat> beats;
  for (size_t n = 0; n < bytes.size(); ++n) {
    const size_t at = lane + n;
    if (n == 0 || at % kBeat == 0) beats.emplace_back();
    beats.back().data[at % kBeat] = bytes[n];
    beats.back().strb |= uint64_t{1} << (at % kBeat);
  }
  beats.back().last = true;
  return beats;
}

template <typename Port>
Beat TakeBeat(const Port& data, uint64_t strb, bool last) {
  Beat beat;
  std::memcpy(beat.data.data(), &data, kBeat);
  beat.strb = strb;
  beat.last = last;
  return beat;
}

}  // namespace gmmu::dma
