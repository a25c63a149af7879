// SPDX-License-Identifier: Apache-2.0
#include "tb/netlist/block_ram.h"

namespace gmmu::netlist {

BlockRam::Change BlockRam::Access(Port& port, const PortIn& in) {
  Change change;
  if (!in.on) return change;
  change.row = in.address >> 5;
  unsigned shift = 0;
  if (port.width <= 18 && (in.address >> 4 & 1) != 0) shift += 18;
  if (port.width <= 9 && (in.address >> 3 & 1) != 0) shift += 9;
  if (port.width <= 4) shift += in.address & 7 & ~(port.width - 1);
  const uint64_t ones = (uint64_t{1} << port.width) - 1;
  if (in.write) {
    uint64_t enabled = ones;
    for (unsigned byte = 0; port.width >= 18 && byte < port.width / 9; ++byte) {
      if ((in.address >> byte & 1) == 0) enabled &= ~(uint64_t{0x1ff} << (9 * byte));
    }
    change.mask = enabled << shift;
    change.data = in.data << shift & change.mask;
    if (port.mode == Write::kNoChange) return change;
  }
  uint64_t word = words[change.row];
  if (in.write && port.mode == Write::kThrough) word = (word & ~change.mask) | change.data;
  port.out = word >> shift & ones;
  return change;
}

bool BlockRam::Edge(const PortIn& a_in, const PortIn& b_in) {
  bool written = false;
  for (const Change& change : {Access(a, a_in), Access(b, b_in)}) {
    const uint64_t word = (words[change.row] & ~change.mask) | change.data;
    written |= word != words[change.row];
    words[change.row] = word;
  }
  return written;
}

}  // namespace gmmu::netlist
