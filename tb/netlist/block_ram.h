// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace gmmu::netlist {

/// Block RAM of the ECP5 (DP16KD) without output registers: 512 words of 36 bits. Facts: Lattice FPGA-TN-02204.
///
/// A word is at address[13:5]. Narrower data lie in it from the low bits up, in bytes of nine bits of which data of one, two
/// and four bits use eight. A port of 18 or 36 bits takes its byte enables from the address bits that it does not need.
class BlockRam {
 public:
  enum class Write { kNoChange, kThrough, kReadFirst };  ///< what the port's output shows when it writes
  struct PortIn {
    bool on = false, write = false;
    unsigned address = 0;
    uint64_t data = 0;
  };
  struct Port {
    unsigned width = 18;
    Write mode = Write::kNoChange;
    uint64_t out = 0;
  };

  /// One rising edge of both ports' clock. Reads return the old word, except for kThrough. Returns whether a word
  /// changed.
  bool Edge(const PortIn& a, const PortIn& b);
  std::array<uint64_t, 512> words{};
  Port a, b;

 private:
  struct Change {
    unsigned row = 0;
    uint64_t mask = 0, data = 0;
  };
  Change Access(Port& port, const PortIn& in);
};

}  // namespace gmmu::netlist
