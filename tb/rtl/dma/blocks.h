// SPDX-License-Identifier: Apache-2.0
// Shared by the unit benches: their base class, the structs of their ports, and a C++ type for a
// bus beat.
#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "Vgmmu_dma_blocks_bench.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu::dma {

constexpr unsigned kBeat = sizeof(Vgmmu_dma_blocks_bench::realign_data_i);  ///< bytes of a bus beat
constexpr unsigned kBeatLg2 = kBeat == 8 ? 3 : kBeat == 16 ? 4 : kBeat == 32 ? 5 : 6;

/// The structs of the units' ports.
template <typename Top>
struct UnitStructs;
#define GMMU_UNIT_STRUCTS(top)                                 \
  template <>                                                  \
  struct UnitStructs<V##top> {                                 \
    using Request = GMMU_STRUCT(top, xlate_req_t);             \
    using Response = GMMU_STRUCT(top, xlate_rsp_t);            \
    using Done = GMMU_STRUCT(top, xlate_done_t);               \
    using ApertureResponse = GMMU_STRUCT(top, aperture_rsp_t); \
    using ReadRequest = GMMU_STRUCT(top, rd_req_t);            \
    using ReadResponse = GMMU_STRUCT(top, rd_rsp_t);           \
    using WriteRequest = GMMU_STRUCT(top, wr_req_t);           \
    using WriteResponse = GMMU_STRUCT(top, wr_rsp_t);          \
  }
GMMU_UNIT_STRUCTS(gmmu_dma_blocks_bench);

/// A bench of blocks after a reset, with 64 MiB of VRAM.
template <typename Top>
class BenchOf : public BlockBench<Top> {
 public:
  using Structs = UnitStructs<Top>;
  explicit BenchOf(uint64_t seed) : BenchOf(0, seed) {}
  BenchOf(unsigned size, uint64_t seed) : BlockBench<Top>(size, seed) {
    this->t.vram_bytes_i = 64 << 20;
    this->Reset();
  }
};
using Blocks = BenchOf<Vgmmu_dma_blocks_bench>;

/// A bus beat: data, byte mask and last flag.
struct Beat {
  std::vector<uint8_t> data = std::vector<uint8_t>(kBeat);
  uint64_t strb = 0;
  bool last = false;

  bool operator==(const Beat& other) const {
    if (strb != other.strb || last != other.last) return false;
    for (unsigned lane = 0; lane < kBeat; ++lane)
      if ((strb >> lane & 1) && data[lane] != other.data[lane]) return false;
    return true;
  }
};
inline std::ostream& operator<<(std::ostream& out, const Beat& beat) {
  out << std::hex << "strb " << beat.strb << (beat.last ? " last" : "") << " data";
  for (uint8_t byte : beat.data) out << ' ' << int{byte};
  return out << std::dec;
}

/// Returns the bus beats that carry `bytes`, starting in lane `lane`.
inline std::vector<Beat> Lay(unsigned lane, const std::vector<uint8_t>& bytes) {
  std::vector<Beat> beats;
  for (size_t n = 0; n < bytes.size(); ++n) {
    const size_t at = lane + n;
    if (n == 0 || at % kBeat == 0) beats.emplace_back();
    beats.back().data[at % kBeat] = bytes[n];
    beats.back().strb |= uint64_t{1} << (at % kBeat);
  }
  beats.back().last = true;
  return beats;
}

template <typename Port>
Beat TakeBeat(const Port& data, uint64_t strb, bool last) {
  Beat beat;
  std::memcpy(beat.data.data(), &data, kBeat);
  beat.strb = strb;
  beat.last = last;
  return beat;
}

}  // namespace gmmu::dma
