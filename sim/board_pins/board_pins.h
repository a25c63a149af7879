// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "board_pins/sdram_chip.h"

class VerilatedContext;
class Vgmmu_ulx3s;

namespace gmmu::sim {

/// A serial cable that passes, damages, loses and inserts bytes and can be cut.
class SerialCable {
 public:
  /// `noise` is the probability that a byte is disturbed. The cable is cut after `cut_after` bytes,
  /// counting both directions.
  SerialCable(double noise, uint64_t cut_after, uint64_t seed) : noise_(noise), cut_after_(cut_after), chance_(seed) {}

  /// Passes a byte, and appends the bytes that arrive at the other end (none, one or several) to
  /// `to`.
  void Pass(uint8_t byte, std::deque<uint8_t>& to);
  bool cut() const { return passed_ >= cut_after_; }
  uint64_t passed() const { return passed_; }
  uint64_t spoilt() const { return spoilt_; }

 private:
  const double noise_;
  const uint64_t cut_after_;
  std::mt19937_64 chance_;
  uint64_t passed_ = 0, spoilt_ = 0;
};

/// The ULX3S board at its pins: the Verilated gmmu_ulx3s, its SDRAM chip and both ends of its
/// serial line.
///
/// The oscillator pin is driven with the GPU's clock (80 MHz), because the PLL model passes its
/// input through. To shorten simulations, a bit on the line lasts kCyclesPerBit cycles, fewer than
/// on the board.
class BoardPins {
 public:
  static constexpr unsigned kCyclesPerBit = 4;
  static constexpr unsigned kClockHz = 80'000'000;

  BoardPins();
  ~BoardPins();

  /// Runs `cycles` clock cycles. Bytes in `from_host` are sent whenever the line is free; bytes
  /// from the board are appended to `to_host`.
  void Run(uint64_t cycles);
  std::deque<uint8_t> from_host, to_host;

  /// Holds the board's reset button FIRE1 while `down` is true.
  void Reset(bool down);

  uint64_t cycles() const { return cycles_; }
  unsigned leds() const;
  const SdramChip& sdram() const { return sdram_; }
  SdramChip& sdram() { return sdram_; }

 private:
  bool Drive();
  void Sample(bool level);
  void ClockSdram();

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vgmmu_ulx3s> top_;
  SdramChip sdram_;
  uint16_t on_the_way_ = 0;  ///< dq data in flight between the chip and the FPGA
  uint64_t cycles_ = 0;
  unsigned out_ = 0, out_left_ = 0;              ///< bits to the board, cycles until all are sent
  unsigned in_ = 0, in_bits_ = 0, in_wait_ = 0;  ///< bits from the board, cycles until the next is sampled
};

}  // namespace gmmu::sim
