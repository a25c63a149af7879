// SPDX-License-Identifier: Apache-2.0
// Replaces the Verilated board of sim/board_pins by the netlist that GMMU_NETLIST names, with the same pins.
#pragma once
#include <cstdint>
#include <cstdlib>

#include "tb/netlist/netlist.h"

class VerilatedContext;

class Vgmmu_ulx3s {
 public:
  explicit Vgmmu_ulx3s(VerilatedContext* /*context*/) : netlist_(Path()) {}
  void final() {}

  void eval() {
    netlist_.Put("btn", btn), netlist_.Put("ftdi_txd", ftdi_txd), netlist_.Put("sdram_d", sdram_d);
    const bool rises = clk_25mhz != 0 && !clock_;
    clock_ = clk_25mhz != 0;
    if (!rises) return;  // other changes take effect at the next edge; no output depends on them earlier
    netlist_.Edge();
    led = Take("led"), ftdi_rxd = Take("ftdi_rxd");
    sdram_cke = Take("sdram_cke"), sdram_csn = Take("sdram_csn"), sdram_rasn = Take("sdram_rasn");
    sdram_casn = Take("sdram_casn"), sdram_wen = Take("sdram_wen"), sdram_ba = Take("sdram_ba");
    sdram_dqm = Take("sdram_dqm"), sdram_a = static_cast<uint16_t>(netlist_.Get("sdram_a"));
    sdram_d__en = netlist_.PadsDrive() ? 0xffff : 0;
    sdram_d__out = static_cast<uint16_t>(netlist_.PadsOut());
  }

  uint8_t clk_25mhz = 0, btn = 0, led = 0, ftdi_txd = 1, ftdi_rxd = 1, sdram_cke = 0, sdram_csn = 1, sdram_rasn = 1,
          sdram_casn = 1, sdram_wen = 1, sdram_ba = 0, sdram_dqm = 0;
  uint16_t sdram_a = 0, sdram_d = 0, sdram_d__en = 0, sdram_d__out = 0;

 private:
  static const char* Path() {
    const char* path = std::getenv("GMMU_NETLIST");
    return path != nullptr ? path : "netlist.txt";
  }
  uint8_t Take(const char* port) const { return static_cast<uint8_t>(netlist_.Get(port)); }

  gmmu::netlist::Netlist netlist_;
  bool clock_ = false;
};
