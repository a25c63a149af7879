// SPDX-License-Identifier: Apache-2.0
// The bench of the clients' blocks, access to ports of any width, and an access request.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "Vgmmu_client_blocks_bench.h"
#include "hw/gmmu_regs.h"
#include "tb/rtl/block_test.h"

namespace gmmu::client {

constexpr unsigned kBeat = sizeof(Vgmmu_client_blocks_bench::r_data_i);  ///< bytes of a bus beat
constexpr unsigned kLine = 64;                                           ///< bytes of a line

/// The blocks after a reset. Sizes are numbered as in gmmu_client_blocks_bench.sv.
class Blocks : public BlockBench<Vgmmu_client_blocks_bench> {
 public:
  Blocks(unsigned size, uint64_t seed) : BlockBench(size, seed) {
    t.size_i = static_cast<uint8_t>(size);
    Reset();
  }

  /// Resets, and waits for the sweep that clears every slot.
  void Reset() {
    BlockBench::Reset();
    t.clear_i = 1;
    for (unsigned slot = 0; slot < slots(); ++slot) {
      t.clear_slot_i = static_cast<uint8_t>(slot);
      Settle(), Edge();
    }
    t.clear_i = 0;
  }
  unsigned slots() const { return t.slots_o; }
};
using BlocksTest = BlockTest<Blocks>;

/// Copies bytes to a port of any width.
template <typename Port>
void SetBytes(Port& port, const uint8_t* bytes, size_t count = sizeof(Port)) {
  std::memcpy(&port, bytes, count);
}
template <typename Port>
void RandomBytes(Port& port, Blocks& blocks) {
  for (size_t i = 0; i < sizeof port; ++i) reinterpret_cast<uint8_t*>(&port)[i] = static_cast<uint8_t>(blocks.rng());
}

/// An access of 1 to 64 bytes within one line.
struct Request {
  unsigned id = 0, space = 0;
  uint64_t va = 0;
  regs::Access access = regs::Access::kRead;
  unsigned bytes = kLine;

  unsigned first() const { return va % kLine; }  ///< offset of the first byte in its line
  unsigned last() const { return first() + bytes - 1; }
  bool write() const { return access == regs::Access::kWrite; }

  static Request Draw(Blocks& blocks, unsigned id) {
    Request r;
    r.id = id;
    r.space = static_cast<unsigned>(blocks.Random(0, 63));
    const unsigned first = blocks.Chance(40) ? 0 : static_cast<unsigned>(blocks.Random(0, 63));
    r.bytes = blocks.Chance(40) ? kLine - first : static_cast<unsigned>(blocks.Random(1, kLine - first));
    r.va = (blocks.rng() & ~uint64_t{63}) + first;
    r.access = static_cast<regs::Access>(blocks.Random(0, 2));
    return r;
  }
  void Put(Vgmmu_client_blocks_bench& t) const {
    t.q_id_i = static_cast<uint8_t>(id);
    t.q_space_i = static_cast<uint8_t>(space);
    t.q_va_i = va;
    t.q_access_i = static_cast<uint8_t>(access);
    t.q_bytes_i = static_cast<uint8_t>(bytes);
  }
};

/// Returns the CRC-32C of one more word, computed bit by bit, without the inversions.
inline uint32_t Crc32cStep(uint32_t crc, uint64_t word) {
  for (int i = 0; i < 64; ++i) crc = crc >> 1 ^ (((crc ^ static_cast<uint32_t>(word >> i)) & 1) != 0 ? 0x82F63B78u : 0);
  return crc;
}

}  // namespace gmmu::client
