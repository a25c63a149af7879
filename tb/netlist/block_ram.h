// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace gmmu::netlist {

/// Block RAM of the ECP5 (DP16KD) without output registers: 512 words of 36 bits. Source: Lattice FPGA-TN-02204.
///
/// address[13:5] selects a word. Narrower data starts at the word's low bits. A word consists of 9-bit bytes; data of
/// one, two and four bits uses only eight bits of each byte. Ports of 18 and 36 bits use address bits that they do not
/// need as byte enables.
class BlockRam {
 public:
  enum class Write { kNoChange, kThrough, kReadFirst };  ///< what a port outputs when it writes
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

  /// Simulates one rising edge of the clock that both ports share. A read returns the word from
  /// before the edge; `mode` determines what a port that writes returns. Returns whether a word
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
