// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tb/netlist/block_ram.h"

namespace gmmu::netlist {

/// Event-driven simulation of a mapped netlist with one clock. A gate without a changed input costs
/// nothing. A Verilated model of the same netlist simulates only a thousand cycles per second,
/// because it evaluates every LUT and register in each cycle.
///
/// tools/fpga/netlist_sim.py writes the file, with one part per line. Nets are numbers; nets 0 and 1 are the constants:
///
///     table OUT TABLE A B C D E        a function of five nets, bit {E,D,C,B,A} of TABLE (hexadecimal)
///     ff Q D CE INVERT LSR VALUE       CE is active low if INVERT; LSR loads VALUE, which is also the initial value
///     ram16 4xDO 4xRAD 4xWAD 4xDI WRE TABLE        LUT RAM: asynchronous read, write at the edge
///     mult 36xP 18xA 18xB
///     block WIDTH_A WIDTH_B MODE_A MODE_B, then for each port {ON WE 14xAD 18xDI 18xDO}
///     init ROW WORD                    sets a word of the previous block
///     pad I T O NET                    drives while T is 0; NET carries the outside value; bit 0 of a port is first
///     port NAME NETS...                bit 0 is first
class Netlist {
 public:
  /// Throws std::runtime_error if the file cannot be read or a line is malformed.
  explicit Netlist(const std::string& path);

  uint64_t Get(const std::string& port) const;
  void Put(const std::string& port, uint64_t value);
  bool PadsDrive() const { return !pads_.empty() && values_[pads_[0].off] == 0; }
  uint64_t PadsOut() const;

  /// Propagates the inputs through the gates, then simulates a rising edge and propagates the
  /// changes.
  void Edge();
  void Settle();

 private:
  using Net = uint32_t;
  struct Gate {  ///< a table, a LUT RAM (ram >= 0: its index) or a multiplier (mult >= 0)
    uint32_t table = 0, level = 0;
    Net out = 0, in[5] = {};
    int ram = -1, mult = -1;
  };
  struct FlipFlop {
    Net q, d, ce, lsr;
    bool invert, value;
  };
  struct LutRam {
    Net out[4], read[4], write[4], data[4], enable;
    uint64_t content;
  };
  struct Multiplier {
    Net out[36], a[18], b[18];
  };
  struct Port {
    Net on, write, address[14], data[18], out[18];
  };
  struct Block {
    BlockRam ram;
    Port a, b;
    bool changed = true;  ///< an input or a word changed since the last edge
  };
  struct Pad {
    Net in, off, out, outside;
  };

  void Read(const std::string& line);
  void Connect();
  void Level();
  void Set(Net net, bool value);
  void Evaluate(const Gate& gate);
  BlockRam::PortIn In(const Port& port, uint64_t high) const;
  uint64_t Bits(const Net* nets, unsigned count) const;
  template <typename Visit>
  void VisitInputs(const Gate& gate, Visit visit) const;
  template <typename Visit>
  void VisitOutputs(const Gate& gate, Visit visit) const;

  std::vector<uint8_t> values_;
  std::vector<Gate> gates_;
  std::vector<FlipFlop> flip_flops_;
  std::vector<LutRam> rams_;
  std::vector<Multiplier> multipliers_;
  std::vector<Block> blocks_;
  std::vector<Pad> pads_;
  std::map<std::string, std::vector<Net>> ports_;

  enum Kind : uint32_t { kGate, kFlipFlop, kBlock };
  std::vector<uint32_t> first_, readers_;   ///< readers of each net: kind << 30 | index
  std::vector<std::vector<uint32_t>> due_;  ///< gates to evaluate, by level
  std::vector<uint8_t> gate_due_, flip_flop_due_;
  std::vector<const Block*> read_;  ///< blocks whose output changes at this edge
  std::vector<uint32_t> flip_flops_due_, toggles_, ram_gates_;
};

}  // namespace gmmu::netlist
