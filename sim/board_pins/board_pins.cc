// SPDX-License-Identifier: Apache-2.0
#include "board_pins/board_pins.h"

#include "Vgmmu_ulx3s.h"
#include "verilated.h"

namespace gmmu::sim {

void SerialCable::Pass(uint8_t byte, std::deque<uint8_t>& to) {
  ++passed_;
  if (cut()) return;
  if (noise_ <= 0 || std::uniform_real_distribution<double>(0, 1)(chance_) >= noise_) return to.push_back(byte);
  ++spoilt_;
  switch (chance_() % 4) {
    case 0: return;  // the byte is lost
    case 1: to.push_back(static_cast<uint8_t>(chance_())); return to.push_back(byte);
    default: return to.push_back(byte ^ static_cast<uint8_t>(1u << chance_() % 8));
  }
}

BoardPins::BoardPins()
    : context_(std::make_unique<VerilatedContext>()),
      top_(std::make_unique<Vgmmu_ulx3s>(context_.get())),
      sdram_(kAs4c16m16sa7, 1'000'000'000'000 / kClockHz) {
  top_->clk_25mhz = 0;
  top_->btn = 1;  // active low: the power button is not pressed
  top_->ftdi_txd = 1;
  top_->sdram_d = 0;
  top_->eval();
}

BoardPins::~BoardPins() { top_->final(); }

void BoardPins::Reset(bool down) { top_->btn = down ? 3 : 1; }

unsigned BoardPins::leds() const { return top_->led; }

/// Returns this cycle's level of the serial line to the board.
bool BoardPins::Drive() {
  if (out_left_ == 0) {
    if (from_host.empty()) return true;
    out_ = 0x200u | static_cast<unsigned>(from_host.front()) << 1;
    from_host.pop_front();
    out_left_ = 10 * kCyclesPerBit;
  }
  const bool level = (out_ >> (10 - (out_left_ + kCyclesPerBit - 1) / kCyclesPerBit) & 1) != 0;
  --out_left_;
  return level;
}

/// Samples the level of the serial line from the board.
void BoardPins::Sample(bool level) {
  if (in_bits_ == 0) {
    if (level) return;
    in_bits_ = 10, in_ = 0, in_wait_ = kCyclesPerBit / 2;
  }
  if (--in_wait_ != 0) return;
  in_wait_ = kCyclesPerBit;
  in_ = in_ >> 1 | (level ? 0x200u : 0);
  if (--in_bits_ == 0 && (in_ & 0x200) != 0) to_host.push_back(static_cast<uint8_t>(in_ >> 1));
}

/// Processes a rising edge of the SDRAM's clock, which comes late in an FPGA cycle. Data that the
/// chip then drives reaches the FPGA in the next cycle: tAC is 6 ns, and the pads and the board add
/// about 6 ns.
void BoardPins::ClockSdram() {
  SdramPins pins;
  pins.cke = top_->sdram_cke, pins.csn = top_->sdram_csn, pins.rasn = top_->sdram_rasn;
  pins.casn = top_->sdram_casn, pins.wen = top_->sdram_wen;
  pins.ba = top_->sdram_ba, pins.a = top_->sdram_a, pins.dqm = top_->sdram_dqm;
  pins.dq_driven = top_->sdram_d__en != 0;
  pins.dq = static_cast<uint16_t>(top_->sdram_d__out);
  top_->sdram_d = on_the_way_;
  on_the_way_ = sdram_.Edge(pins).dq;
}

void BoardPins::Run(uint64_t cycles) {
  for (; cycles > 0; --cycles, ++cycles_) {
    top_->ftdi_txd = Drive();
    top_->clk_25mhz = 1;
    top_->eval();
    Sample(top_->ftdi_rxd != 0);
    top_->clk_25mhz = 0;
    top_->eval();
    ClockSdram();
  }
}

}  // namespace gmmu::sim
