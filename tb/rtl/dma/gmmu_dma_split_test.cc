// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/dma/blocks.h"

namespace gmmu::dma {
namespace {

struct Range {
  uint64_t address, length;
  uint8_t user;
};
struct Piece {
  uint64_t address;
  unsigned bytes;
  bool last;
  uint8_t user;
  bool operator==(const Piece& o) const {
    return address == o.address && bytes == o.bytes && last == o.last && user == o.user;
  }
};

class Split : public ::testing::TestWithParam<int> {
 protected:
  static std::vector<Piece> Model(const std::vector<Range>& ranges, uint64_t chunk) {
    std::vector<Piece> pieces;
    for (const Range& range : ranges)
      for (uint64_t at = range.address, left = range.length; left != 0;) {
        const uint64_t bytes = std::min(left, chunk - at % chunk);
        left -= bytes;
        pieces.push_back({at, static_cast<unsigned>(bytes), left == 0, range.user});
        at += bytes;
      }
    return pieces;
  }
  /// Splits the ranges and checks all bursts. Returns the number of cycles from the first burst to
  /// the last.
  uint64_t Check(int unit, const std::vector<Range>& ranges, Manner manner, uint64_t seed) {
    SCOPED_TRACE("unit " + std::to_string(unit) + " seed " + std::to_string(seed));
    Blocks blocks(seed);
    auto& top = blocks.t;
    const std::vector<Piece> expected = Model(ranges, unit == 0 ? 64 : 256);
    size_t next = 0, seen = 0;
    uint64_t first = 0, last = 0;
    Offer offer;
    for (unsigned n = 0; n < 400000 && seen < expected.size(); ++n)
      blocks.Step(
          [&] {
            top.split_valid_i[unit] = offer.Now(next < ranges.size(), blocks, manner.idle_percent);
            if (top.split_valid_i[unit]) {
              top.split_address_i[unit] = ranges[next].address;
              top.split_length_i[unit] = ranges[next].length;
              top.split_user_i[unit] = ranges[next].user;
            }
            top.split_ready_i[unit] = !blocks.Chance(manner.stall_percent);
          },
          [&] {
            if (top.split_valid_i[unit] && top.split_ready_o[unit]) ++next, offer.Taken();
            if (!top.split_valid_o[unit] || !top.split_ready_i[unit]) return;
            const Piece piece{top.split_address_o[unit], top.split_bytes_m1_o[unit] + 1u, top.split_last_o[unit] != 0,
                              top.split_user_o[unit]};
            EXPECT_TRUE(piece == expected[seen]) << "piece " << seen << " at " << piece.address;
            EXPECT_EQ(top.split_space_o[unit], 5);
            if (seen == 0) first = blocks.now;
            last = blocks.now;
            ++seen;
          });
    EXPECT_EQ(seen, expected.size()) << "pieces are missing";
    EXPECT_EQ(next, ranges.size());
    return last - first;
  }
};

TEST_P(Split, CutsAtChunksAndKeepsOrder) {
  for (int unit = 0; unit < 2; ++unit)
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      std::mt19937_64 rng(seed);
      std::vector<Range> ranges;
      for (int n = 0; n < 200; ++n) {
        const uint64_t most[] = {3, 70, 600, 9000};
        ranges.push_back(
            {rng() >> (rng() % 60) & ~(uint64_t{1} << 63), 1 + rng() % most[rng() % 4], static_cast<uint8_t>(rng())});
      }
      Check(unit, ranges, kManners[GetParam()], seed);
    }
}
INSTANTIATE_TEST_SUITE_P(Manners, Split, ::testing::Range(0, 4));

TEST_F(Split, GivesAPieceEveryCycleAlsoAcrossRanges) {
  std::vector<Range> ranges;
  for (unsigned n = 0; n < 50; ++n) ranges.push_back({64 * n, 1 + n, static_cast<uint8_t>(n)});
  EXPECT_EQ(Check(0, ranges, {0, 0}, 1), 49u);
}

TEST_F(Split, CountsLengthsBeyond32BitsAndAddressesToTheEnd) {
  // The first range ends at the end of the address space; the addresses of the second carry through
  // many bits.
  Check(1, {{0xfffffffffffffe01, 0x1ff, 1}, {0x00ffffffffffff01, 0x400, 2}}, {0, 0}, 1);
  Blocks blocks(1);
  auto& top = blocks.t;
  uint64_t bytes = 0;
  unsigned pieces = 0;
  bool last = false;
  for (unsigned n = 0; n < 1000 && !last; ++n)
    blocks.Step(
        [&] {
          top.split_valid_i[1] = n == 0;
          top.split_address_i[1] = 0x80;
          top.split_length_i[1] = 0x300000080;  // more than 32 bits; the first burst is short
          top.split_ready_i[1] = 1;
        },
        [&] {
          if (!top.split_valid_o[1]) return;
          bytes += top.split_bytes_m1_o[1] + 1;
          last = top.split_last_o[1];
          EXPECT_EQ(top.split_address_o[1], pieces == 0 ? 0x80 : 0x100u * pieces);
          ++pieces;
        });
  EXPECT_FALSE(last);  // The range has more than 1000 bursts, so the loop ends before the last one.
  EXPECT_EQ(bytes, 0x80 + 0x100u * (pieces - 1));
}

}  // namespace
}  // namespace gmmu::dma
