// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/dma/blocks.h"

namespace gmmu::dma {
namespace {

enum Source { kPattern = 1, kWords, kSteps, kPair };

struct Make {
  Source source;
  unsigned lane;
  uint64_t length, value, step;
  std::vector<uint64_t> words;  // kWords
};

class Generate : public ::testing::TestWithParam<int> {
 protected:
  static std::vector<uint8_t> Bytes(const Make& job) {
    std::vector<uint8_t> bytes;
    for (uint64_t n = 0; n < job.length; ++n) {
      const uint64_t word = n / 8;
      const uint64_t value = job.source == kWords   ? job.words[word]
                             : job.source == kSteps ? job.value + word * job.step
                             : word == 0            ? job.value
                                                    : job.step;
      bytes.push_back(job.source == kPattern ? job.value >> (8 * (n % 4)) : value >> (8 * (n % 8)));
    }
    return bytes;
  }
  void Check(const std::vector<Make>& jobs, Manner manner, uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    auto& top = blocks.t;
    std::vector<Beat> out;
    std::deque<uint64_t> words;
    for (const Make& job : jobs) {
      for (const Beat& beat : Lay(job.lane, Bytes(job))) out.push_back(beat);
      words.insert(words.end(), job.words.begin(), job.words.end());
    }
    size_t next = 0, seen = 0;
    Offer offer, word;
    for (unsigned n = 0; n < 400000 && seen < out.size(); ++n)
      blocks.Step(
          [&] {
            top.make_valid_i = offer.Now(next < jobs.size(), blocks, manner.idle_percent);
            if (top.make_valid_i) {
              top.make_source_i = jobs[next].source;
              top.make_lane_i = jobs[next].lane;
              top.make_length_i = jobs[next].length;
              top.make_value_i = jobs[next].value;
              top.make_step_i = jobs[next].step;
            }
            top.word_valid_i = word.Now(!words.empty(), blocks, manner.idle_percent);
            if (top.word_valid_i) top.word_i = words.front();
            top.make_ready_i = !blocks.Chance(manner.stall_percent);
          },
          [&] {
            if (top.make_valid_i && top.make_ready_o) ++next, offer.Taken();
            if (top.starved_o) EXPECT_FALSE(top.word_valid_i);
            if (top.word_valid_i && top.word_ready_o) words.pop_front(), word.Taken();
            if (!top.make_valid_o || !top.make_ready_i) return;
            EXPECT_EQ(TakeBeat(top.make_data_o, top.make_strb_o, top.make_last_o), out[seen]) << "beat " << seen;
            ++seen;
          });
    EXPECT_EQ(seen, out.size()) << "beats are missing";
    EXPECT_TRUE(words.empty()) << "words are left over";
  }
};

TEST_P(Generate, RandomJobsBackToBack) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 rng(seed);
    std::vector<Make> jobs;
    for (int n = 0; n < 150; ++n) {
      Make job{static_cast<Source>(1 + rng() % 4),
               static_cast<unsigned>(rng() % kBeat),
               1 + rng() % (rng() % 4 ? 40 : 700),
               rng(),
               rng(),
               {}};
      if (job.source == kPattern) job.value &= 0xffffffff;
      if (job.source != kPattern) {
        job.lane &= ~7u;
        job.length = (job.length + 7) & ~uint64_t{7};
      }
      if (job.source == kPair) job.length = 16;
      if (job.source == kWords)
        for (uint64_t at = 0; at < job.length; at += 8) job.words.push_back(rng());
      jobs.push_back(job);
    }
    Check(jobs, kManners[GetParam()], seed);
  }
}
INSTANTIATE_TEST_SUITE_P(Manners, Generate, ::testing::Range(0, 4));

TEST_F(Generate, PatternsAtEveryLane) {
  std::vector<Make> jobs;
  for (unsigned lane = 0; lane < kBeat; ++lane)
    for (uint64_t length = 1; length <= 2 * kBeat; length += kBeat == 8 ? 1 : 7)
      jobs.push_back({kPattern, lane, length, 0x44332211, 0, {}});
  Check(jobs, {0, 0}, 1);
}

TEST_F(Generate, SaysWhenItStarves) {
  Blocks blocks(1);
  auto& top = blocks.t;
  for (int n = 0; n < 10; ++n)
    blocks.Step(
        [&] {
          top.make_valid_i = n == 0;
          top.make_source_i = kWords;
          top.make_length_i = 8;
        },
        [&] { EXPECT_EQ(top.starved_o, n > 0); });
}

}  // namespace
}  // namespace gmmu::dma
