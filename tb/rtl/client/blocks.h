// SPDX-License-Identifier: Apache-2.0
// Shared by the unit tests of rtl/client: the bench class, byte access to ports of any width, and
// an access request.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "Vgmmu_client_blocks_bench.h"
#include "hw/gmmu_regs.h"
#include "hw/traffic.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::client {

using RequestBits = GMMU_STRUCT(gmmu_client_blocks_bench, client_req_t);
using WordBits = GMMU_STRUCT(gmmu_client_blocks_bench, client_w_t);
using AnswerBits = GMMU_STRUCT(gmmu_client_blocks_bench, client_rsp_t);
using EndBits = GMMU_STRUCT(gmmu_client_blocks_bench, client_end_t);
using RunBits = GMMU_STRUCT(gmmu_client_blocks_bench, traffic_cfg_t);
using StateBits = GMMU_STRUCT(gmmu_client_blocks_bench, traffic_state_t);
using DoneBits = GMMU_STRUCT(gmmu_client_blocks_bench, xlate_done_t);
using FaultBits = GMMU_STRUCT(gmmu_client_blocks_bench, fault_info_t);

constexpr unsigned kBeat = sizeof(Vgmmu_client_blocks_bench::word_data_i);  ///< bytes of a bus beat
constexpr unsigned kLine = 64;                                              ///< bytes of a line

/// The bench with all blocks, after a reset. `size` is an instance number in
/// gmmu_client_blocks_bench.sv.
class Blocks : public BlockBench<Vgmmu_client_blocks_bench> {
 public:
  Blocks(unsigned size, uint64_t seed) : BlockBench(size, seed) { Reset(); }

  /// Resets all blocks, and drives the sweep that clears every slot.
  void Reset() {
    BlockBench::Reset();
    ExpectQuiet();
    t.clear_i = 1;
    for (unsigned slot = 0; slot < slots(); ++slot) {
      t.clear_slot_i = static_cast<uint8_t>(slot);
      Settle(), Edge();
    }
    t.clear_i = 0;
  }
  unsigned slots() const { return t.slots_o; }

 private:
  /// Expects that no output is active in the first cycle after a reset.
  void ExpectQuiet() {
    EXPECT_FALSE(t.ends_valid_o || t.ends_done_o || t.ends_hold_o) << "gmmu_client_ends";
    EXPECT_FALSE(t.regs_start_o) << "gmmu_client_regs";
    EXPECT_FALSE(t.lines_ready_o || t.lines_valid_o) << "gmmu_traffic_lines";
    EXPECT_FALSE(t.run_done_o || t.run_owner_o || t.run_req_valid_o || t.run_w_valid_o) << "gmmu_traffic";
    EXPECT_FALSE(t.tw_b_valid_o || t.tw_word_valid_o || t.tw_req_valid_o) << "gmmu_through_write";
    for (int i = 0; i < 2; ++i) {
      EXPECT_FALSE(t.write_w_valid_o[i]) << "gmmu_client_write " << i;
      EXPECT_FALSE(t.ans_valid_o[i] || t.ans_log_valid_o[i]) << "gmmu_client_answer " << i;
      EXPECT_FALSE(t.unit_valid_o[i] || t.unit_log_valid_o[i] || t.unit_xq_valid_o[i] || t.unit_ap_valid_o[i] ||
                   t.unit_done_o[i] || t.unit_idle_o[i] || t.unit_req_ready_o[i])
          << "gmmu_client " << i;
      EXPECT_FALSE(t.tr_r_valid_o[i] || t.tr_req_valid_o[i]) << "gmmu_through_read " << i;
    }
  }
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

/// Returns a value for port word_i: word number `word` of the write in slot `slot`.
inline auto PackWord(unsigned slot, unsigned word) {
  WordBits bits{};
  bits.id = static_cast<uint8_t>(slot), bits.word = static_cast<uint8_t>(word);
  return Pack(bits);
}

/// Returns a value for port end_i.
inline auto PackEnd(unsigned slot, regs::Fault fault, unsigned level, bool zero) {
  EndBits bits{};
  bits.slot = static_cast<uint8_t>(slot), bits.fault = static_cast<uint8_t>(fault);
  bits.level = static_cast<uint8_t>(level), bits.zero = zero;
  return Pack(bits);
}

/// A request for 1 to 64 bytes within one line.
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
    RequestBits bits{};
    bits.id = static_cast<uint8_t>(id), bits.space = static_cast<uint8_t>(space), bits.va = va;
    bits.access = static_cast<uint8_t>(access), bits.bytes = static_cast<uint8_t>(bytes);
    t.req_i = Pack(bits);
  }
  /// Expects that `port`, a client_req_t, holds this request.
  template <typename Port>
  void Expect(const Port& port) const {
    const auto offered = Unpack<RequestBits>(port);
    EXPECT_EQ(offered.id, id);
    EXPECT_EQ(offered.va, va);
    EXPECT_EQ(offered.bytes, bytes);
    EXPECT_EQ(offered.space, space);
    EXPECT_EQ(offered.access, static_cast<unsigned>(access));
  }
  /// Expects that `port`, a fault_info_t, holds the fault record of this access.
  template <typename Port>
  void ExpectRecord(const Port& port, regs::Fault fault, unsigned level) const {
    const auto record = Unpack<FaultBits>(port);
    EXPECT_EQ(record.reason, static_cast<unsigned>(fault));
    EXPECT_EQ(record.space, space);
    EXPECT_EQ(record.port, 37);
    EXPECT_EQ(record.access, static_cast<unsigned>(access));
    EXPECT_EQ(record.level, level);
    EXPECT_EQ(record.address, va);
  }
};

/// Drives cfg_i with `bits`, whose pattern, addresses and seed are replaced by those of `lines`.
inline void PutRun(Vgmmu_client_blocks_bench& t, RunBits bits, const hw::TrafficLines& lines) {
  bits.pattern = static_cast<uint8_t>(lines.pattern), bits.footprint_lg2 = static_cast<uint8_t>(lines.footprint_lg2);
  bits.base = lines.base, bits.first = lines.first, bits.stride = lines.stride;
  bits.count = lines.count, bits.step = lines.step, bits.seed = lines.seed;
  t.cfg_i = Pack(bits);
}

/// Returns `crc` updated with one word, bit by bit, without the initial and final inversions of CRC-32C.
inline uint32_t Crc32cStep(uint32_t crc, uint64_t word) {
  for (int i = 0; i < 64; ++i) crc = crc >> 1 ^ (((crc ^ static_cast<uint32_t>(word >> i)) & 1) != 0 ? 0x82F63B78u : 0);
  return crc;
}

}  // namespace gmmu::client
