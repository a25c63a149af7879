// SPDX-License-Identifier: Apache-2.0
#include "tb/netlist/netlist.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gmmu::netlist {
namespace {

constexpr unsigned kKindShift = 30;
constexpr uint32_t kIndex = (1u << kKindShift) - 1;

}  // namespace

Netlist::Netlist(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read the netlist " + path);
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    try {
      Read(line);
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  Connect();
  Level();
  values_.at(1) = 1;
  for (const FlipFlop& flip_flop : flip_flops_) values_[flip_flop.q] = flip_flop.value;
  for (uint32_t i = 0; i < flip_flops_.size(); ++i) flip_flops_due_.push_back(i);
  for (uint32_t i = 0; i < gates_.size(); ++i) due_[gates_[i].level].push_back(i);
  std::fill(flip_flop_due_.begin(), flip_flop_due_.end(), uint8_t{1});
  std::fill(gate_due_.begin(), gate_due_.end(), uint8_t{1});
  Settle();
}

void Netlist::Read(const std::string& line) {
  std::istringstream in(line);
  std::string word;
  in >> word;
  const auto number = [&](int base = 10) {
    std::string text;
    if (!(in >> text)) throw std::runtime_error(word + " lacks a number");
    return std::stoull(text, nullptr, base);
  };
  const auto net = [&] {
    const Net found = static_cast<Net>(number());
    if (found >= values_.size()) values_.resize(found + 1);
    return found;
  };
  const auto nets = [&](Net* to, unsigned count) { std::generate_n(to, count, net); };
  if (word == "table") {
    Gate gate;
    gate.out = net(), gate.table = static_cast<uint32_t>(number(16));
    nets(gate.in, 5);
    gates_.push_back(gate);
  } else if (word == "ff") {
    FlipFlop f{};
    f.q = net(), f.d = net(), f.ce = net(), f.invert = number() != 0, f.lsr = net(), f.value = number() != 0;
    flip_flops_.push_back(f);
  } else if (word == "ram16") {
    LutRam ram{};
    for (Net* group : {ram.out, ram.read, ram.write, ram.data}) nets(group, 4);
    ram.enable = net(), ram.content = number(16);
    Gate gate;
    gate.ram = static_cast<int>(rams_.size());
    ram_gates_.push_back(static_cast<uint32_t>(gates_.size()));
    rams_.push_back(ram);
    gates_.push_back(gate);
  } else if (word == "mult") {
    Multiplier mult{};
    nets(mult.out, 36), nets(mult.a, 18), nets(mult.b, 18);
    Gate gate;
    gate.mult = static_cast<int>(multipliers_.size());
    multipliers_.push_back(mult);
    gates_.push_back(gate);
  } else if (word == "block") {
    Block block{};
    BlockRam& ram = block.ram;
    ram.a.width = static_cast<unsigned>(number()), ram.b.width = static_cast<unsigned>(number());
    ram.a.mode = static_cast<BlockRam::Write>(number()), ram.b.mode = static_cast<BlockRam::Write>(number());
    for (Port* port : {&block.a, &block.b}) {
      port->on = net(), port->write = net();
      nets(port->address, 14), nets(port->data, 18), nets(port->out, 18);
    }
    blocks_.push_back(block);
  } else if (word == "init") {
    const uint64_t row = number();
    blocks_.at(blocks_.size() - 1).ram.words.at(row) = number(16);
  } else if (word == "pad") {
    Pad pad{};
    pad.in = net(), pad.off = net(), pad.out = net(), pad.outside = net();
    pads_.push_back(pad);
  } else if (word == "port") {
    in >> word;
    for (std::vector<Net>& list = ports_[word]; in >> std::ws && !in.eof();) list.push_back(net());
  } else {
    throw std::runtime_error("no part is called '" + word + "'");
  }
}

template <typename Visit>
void Netlist::VisitInputs(const Gate& gate, Visit visit) const {
  if (gate.ram >= 0) std::for_each_n(rams_[static_cast<size_t>(gate.ram)].read, 4, visit);
  else if (gate.mult >= 0) std::for_each_n(multipliers_[static_cast<size_t>(gate.mult)].a, 36, visit);  // a, then b
  else std::for_each_n(gate.in, 5, visit);
}

template <typename Visit>
void Netlist::VisitOutputs(const Gate& gate, Visit visit) const {
  if (gate.ram >= 0) std::for_each_n(rams_[static_cast<size_t>(gate.ram)].out, 4, visit);
  else if (gate.mult >= 0) std::for_each_n(multipliers_[static_cast<size_t>(gate.mult)].out, 36, visit);
  else visit(gate.out);
}

/// Records the gates that read each net.
void Netlist::Connect() {
  // A pad is modelled as a gate: its net carries the outside value, or the inside value while the pad drives.
  for (const Pad& pad : pads_) {
    Gate gate;
    gate.out = pad.out, gate.table = 0xccaa'ccaa;  // C ? B : A; A is the driven value
    gate.table = 0xcaca'caca;
    gate.in[0] = pad.in, gate.in[1] = pad.outside, gate.in[2] = pad.off;
    gates_.push_back(gate);
  }
  std::vector<std::vector<uint32_t>> readers(values_.size());
  for (uint32_t i = 0; i < gates_.size(); ++i)
    VisitInputs(gates_[i], [&](Net net) { readers[net].push_back(kGate << kKindShift | i); });
  for (uint32_t i = 0; i < flip_flops_.size(); ++i) {
    const FlipFlop& f = flip_flops_[i];
    for (Net net : {f.d, f.ce, f.lsr}) readers[net].push_back(kFlipFlop << kKindShift | i);
  }
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    for (const Port* port : {&blocks_[i].a, &blocks_[i].b}) {
      const auto reads = [&](Net net) { readers[net].push_back(kBlock << kKindShift | i); };
      reads(port->on), reads(port->write);
      std::for_each_n(port->address, 14, reads), std::for_each_n(port->data, 18, reads);
    }
  }
  readers[0].clear(), readers[1].clear();
  for (const std::vector<uint32_t>& list : readers) {
    first_.push_back(static_cast<uint32_t>(readers_.size()));
    readers_.insert(readers_.end(), list.begin(), list.end());
  }
  first_.push_back(static_cast<uint32_t>(readers_.size()));
  gate_due_.resize(gates_.size());
  flip_flop_due_.resize(flip_flops_.size());
}

/// A gate's level is above the levels of all gates that it reads.
void Netlist::Level() {
  std::vector<int> driver(values_.size(), -1);
  for (size_t i = 0; i < gates_.size(); ++i)
    VisitOutputs(gates_[i], [&](Net net) {
      if (net > 1) driver[net] = static_cast<int>(i);
    });
  std::vector<unsigned> waits(gates_.size());
  std::vector<uint32_t> ready;
  for (uint32_t i = 0; i < gates_.size(); ++i) {
    VisitInputs(gates_[i], [&](Net net) { waits[i] += net > 1 && driver[net] >= 0; });
    if (waits[i] == 0) ready.push_back(i);
  }
  uint32_t highest = 0;
  for (size_t next = 0; next < ready.size(); ++next) {
    const Gate& gate = gates_[ready[next]];
    highest = std::max(highest, gate.level);
    VisitOutputs(gate, [&](Net net) {
      for (uint32_t r = first_[net]; net > 1 && r < first_[net + 1]; ++r) {
        if (readers_[r] >> kKindShift != kGate) continue;
        Gate& reader = gates_[readers_[r] & kIndex];
        reader.level = std::max(reader.level, gate.level + 1);
        if (--waits[readers_[r] & kIndex] == 0) ready.push_back(readers_[r] & kIndex);
      }
    });
  }
  if (ready.size() != gates_.size()) throw std::runtime_error("the netlist has a loop without a register");
  due_.resize(highest + 1);
}

inline void Netlist::Set(Net net, bool value) {
  if (net <= 1 || values_[net] == static_cast<uint8_t>(value)) return;
  values_[net] = value;
  for (uint32_t r = first_[net]; r < first_[net + 1]; ++r) {
    const uint32_t index = readers_[r] & kIndex;
    switch (readers_[r] >> kKindShift) {
      case kGate:
        if (gate_due_[index] == 0) gate_due_[index] = 1, due_[gates_[index].level].push_back(index);
        break;
      case kFlipFlop:
        if (flip_flop_due_[index] == 0) flip_flop_due_[index] = 1, flip_flops_due_.push_back(index);
        break;
      default: blocks_[index].changed = true;
    }
  }
}

uint64_t Netlist::Bits(const Net* nets, unsigned count) const {
  uint64_t bits = 0;
  for (unsigned i = 0; i < count; ++i) bits |= static_cast<uint64_t>(values_[nets[i]]) << i;
  return bits;
}

void Netlist::Evaluate(const Gate& gate) {
  if (gate.ram >= 0) {
    const LutRam& ram = rams_[static_cast<size_t>(gate.ram)];
    const uint64_t word = ram.content >> (4 * Bits(ram.read, 4));
    for (unsigned i = 0; i < 4; ++i) Set(ram.out[i], (word >> i & 1) != 0);
  } else if (gate.mult >= 0) {
    const Multiplier& mult = multipliers_[static_cast<size_t>(gate.mult)];
    const uint64_t product = Bits(mult.a, 18) * Bits(mult.b, 18);
    for (unsigned i = 0; i < 36; ++i) Set(mult.out[i], (product >> i & 1) != 0);
  } else {
    Set(gate.out, (gate.table >> Bits(gate.in, 5) & 1) != 0);
  }
}

void Netlist::Settle() {
  for (std::vector<uint32_t>& level : due_) {
    for (size_t i = 0; i < level.size(); ++i) {  // evaluating a gate schedules no gate of the same level
      gate_due_[level[i]] = 0;
      Evaluate(gates_[level[i]]);
    }
    level.clear();
  }
}

BlockRam::PortIn Netlist::In(const Port& port, uint64_t high) const {
  return {values_[port.on] != 0, values_[port.write] != 0, static_cast<unsigned>(Bits(port.address, 14)),
          Bits(port.data, 18) | high << 18};
}

void Netlist::Edge() {
  Settle();
  toggles_.clear();
  for (uint32_t index : flip_flops_due_) {
    flip_flop_due_[index] = 0;
    const FlipFlop& f = flip_flops_[index];
    const bool now = values_[f.q] != 0, on = (values_[f.ce] != 0) != f.invert;
    const bool next = values_[f.lsr] != 0 ? f.value : on ? values_[f.d] != 0 : now;
    if (next != now) toggles_.push_back(f.q);
  }
  flip_flops_due_.clear();
  for (size_t i = 0; i < rams_.size(); ++i) {
    LutRam& ram = rams_[i];
    if (values_[ram.enable] == 0) continue;
    const unsigned shift = 4 * static_cast<unsigned>(Bits(ram.write, 4));
    ram.content = (ram.content & ~(uint64_t{15} << shift)) | Bits(ram.data, 4) << shift;
    const uint32_t gate = ram_gates_[i];
    if (gate_due_[gate] == 0) gate_due_[gate] = 1, due_[gates_[gate].level].push_back(gate);
  }
  read_.clear();
  for (Block& block : blocks_) {
    if (!block.changed) continue;
    const BlockRam::PortIn a = In(block.a, block.ram.a.width == 36 ? Bits(block.b.data, 18) : 0), b = In(block.b, 0);
    const uint64_t a_was = block.ram.a.out, b_was = block.ram.b.out;
    block.changed = block.ram.Edge(a, b);
    if (block.ram.a.out != a_was || block.ram.b.out != b_was) read_.push_back(&block);
  }
  for (Net net : toggles_) Set(net, values_[net] == 0);
  for (const Block* block : read_) {
    // A 36-bit port returns the low half of its word on the pins of port A.
    const bool wide = block->ram.b.width == 36;
    const uint64_t low = wide ? block->ram.b.out : block->ram.a.out,
                   high = wide ? block->ram.b.out >> 18 : block->ram.b.out;
    for (unsigned i = 0; i < 18; ++i)
      Set(block->a.out[i], (low >> i & 1) != 0), Set(block->b.out[i], (high >> i & 1) != 0);
  }
  Settle();
}

uint64_t Netlist::Get(const std::string& port) const {
  const std::vector<Net>& nets = ports_.at(port);
  return Bits(nets.data(), static_cast<unsigned>(nets.size()));
}

void Netlist::Put(const std::string& port, uint64_t value) {
  const std::vector<Net>& nets = ports_.at(port);
  for (size_t i = 0; i < nets.size(); ++i) Set(nets[i], (value >> i & 1) != 0);
}

uint64_t Netlist::PadsOut() const {
  uint64_t bits = 0;
  for (size_t i = 0; i < pads_.size(); ++i) bits |= static_cast<uint64_t>(values_[pads_[i].in]) << i;
  return bits;
}

}  // namespace gmmu::netlist
