// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/dma/blocks.h"

namespace gmmu::dma {
namespace {

/// The bytes of a range, with its alignment at the source and at the destination.
struct Range {
  unsigned from, to;  // lanes of the first byte at the source and at the destination
  std::vector<uint8_t> bytes;
};

class Realign : public ::testing::TestWithParam<int> {
 protected:
  static Range Make(std::mt19937_64& rng, unsigned from, unsigned to, size_t length) {
    Range range{from, to, std::vector<uint8_t>(length)};
    for (uint8_t& byte : range.bytes) byte = rng();
    return range;
  }
  /// Realigns the ranges and checks all beats. Returns the number of cycles from the first output
  /// beat to the last.
  uint64_t Check(const std::vector<Range>& ranges, Manner manner, uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    auto& top = blocks.t;
    struct In {
      Beat beat;
      unsigned shift;
    };
    std::vector<In> in;
    std::vector<Beat> out;
    for (const Range& range : ranges) {
      for (const Beat& beat : Lay(range.from, range.bytes)) in.push_back({beat, (range.to - range.from) % kBeat});
      for (const Beat& beat : Lay(range.to, range.bytes)) out.push_back(beat);
    }
    size_t next = 0, seen = 0, rested = 0;
    uint64_t first = 0, last = 0;
    Offer offer;
    for (unsigned n = 0; n < 400000 && seen < out.size(); ++n)
      blocks.Step(
          [&] {
            top.realign_valid_i = offer.Now(next < in.size(), blocks, manner.idle_percent);
            if (top.realign_valid_i) {
              Beat beat = in[next].beat;
              for (unsigned lane = 0; lane < kBeat; ++lane)
                if (!(beat.strb >> lane & 1)) beat.data[lane] = blocks.rng();
              std::memcpy(&top.realign_data_i, beat.data.data(), kBeat);
              top.realign_mask_i = beat.strb;
              top.realign_last_i = beat.last;
              top.realign_shift_i = in[next].shift;
            }
            top.realign_ready_i = !blocks.Chance(manner.stall_percent);
          },
          [&] {
            // While idle_o is 1, no beat leaves; idle_o stays 1 until a beat has been accepted.
            if (top.realign_idle_o) {
              EXPECT_FALSE(top.realign_valid_o) << "idle, and a beat comes";
              rested = next;
            } else {
              EXPECT_NE(rested, next) << "nothing was taken since it was idle";
            }
            if (top.realign_valid_i && top.realign_ready_o) ++next, offer.Taken();
            if (!top.realign_valid_o || !top.realign_ready_i) return;
            const Beat beat = TakeBeat(top.realign_data_o, out[seen].strb, out[seen].last);
            EXPECT_EQ(beat, out[seen]) << "beat " << seen;
            if (seen == 0) first = blocks.now;
            last = blocks.now;
            ++seen;
          });
    EXPECT_EQ(seen, out.size()) << "beats are missing";
    EXPECT_EQ(next, in.size());
    return last - first;
  }
};

TEST_P(Realign, RandomRangesBackToBack) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 rng(seed);
    std::vector<Range> ranges;
    for (int n = 0; n < 300; ++n) {
      const uint64_t most[] = {2, kBeat, 3 * kBeat, 200};
      ranges.push_back(Make(rng, rng() % kBeat, rng() % kBeat, 1 + rng() % most[rng() % 4]));
    }
    Check(ranges, kManners[GetParam()], seed);
  }
}
INSTANTIATE_TEST_SUITE_P(Manners, Realign, ::testing::Range(0, 4));

TEST_F(Realign, EveryLanePairAtLengthsAroundABeat) {
  std::mt19937_64 rng(7);
  std::vector<Range> ranges;
  for (unsigned from = 0; from < kBeat; from += kBeat / 8)
    for (unsigned to = 0; to < kBeat; ++to)
      for (size_t length : {size_t{1}, size_t{kBeat} - 1, size_t{kBeat}, size_t{kBeat} + 1})
        ranges.push_back(Make(rng, from, to, length));
  Check(ranges, {0, 0}, 7);
}

TEST_F(Realign, ABeatACycleWhenADestinationTakesOneMore) {
  // 64 source beats become 65 destination beats. The first source beat of the next range completes
  // no destination beat, so it can be accepted while the 65th leaves, and no cycle is lost.
  std::mt19937_64 rng(3);
  std::vector<Range> ranges;
  for (int n = 0; n < 10; ++n) ranges.push_back(Make(rng, 0, kBeat - 1, 64 * kBeat));
  EXPECT_LE(Check(ranges, {0, 0}, 3), 65u * 10);
}

}  // namespace
}  // namespace gmmu::dma
