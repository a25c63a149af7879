// SPDX-License-Identifier: Apache-2.0
// Tests the feeder alone: jobs of all sources, split into bursts of up to 128 bytes.
#include "tb/rtl/dma/blocks.h"

namespace gmmu::dma {
namespace {

enum Source { kCopy, kPattern, kWords, kSteps };

struct Make {
  Source source;
  unsigned lane;  // offset of the first byte in its 128-byte chunk
  uint64_t length, value, step;
  std::vector<uint64_t> words;  // kWords: the inline words; kCopy: the data, eight bytes per word
};
struct Shape {
  bool make, last;
  unsigned lane, stop, beats_m1;
};

class Feed : public ::testing::TestWithParam<int> {
 protected:
  static constexpr unsigned kChunk = 128;

  static std::vector<uint8_t> Bytes(const Make& job) {
    std::vector<uint8_t> bytes;
    for (uint64_t n = 0; n < job.length; ++n) {
      const uint64_t word = n / 8;
      const uint64_t value = job.source == kWords || job.source == kCopy ? job.words[word]
                                                                         : job.value + word * job.step;
      bytes.push_back(job.source == kPattern ? job.value >> (8 * (n % 4)) : value >> (8 * (n % 8)));
    }
    return bytes;
  }
  static std::vector<Shape> Shapes(const Make& job) {
    std::vector<Shape> shapes;
    for (uint64_t at = job.lane, end = job.lane + job.length; at < end;) {
      const uint64_t stop = std::min(end, (at / kChunk + 1) * kChunk) - 1;
      shapes.push_back({job.source != kCopy, stop == end - 1, static_cast<unsigned>(at % kBeat),
                        static_cast<unsigned>(stop % kBeat), static_cast<unsigned>(stop / kBeat - at / kBeat)});
      at = stop + 1;
    }
    return shapes;
  }
  /// Runs the jobs and checks all beats. Returns the number of cycles from the first beat to the
  /// last.
  uint64_t Check(const std::vector<Make>& jobs, Manner manner, uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    auto& top = blocks.t;
    std::vector<Beat> out;
    std::deque<Beat> copies;
    std::deque<uint64_t> words;
    std::deque<Shape> shapes;  // shapes of the accepted jobs
    for (const Make& job : jobs)
      for (const Beat& beat : Lay(job.lane % kBeat, Bytes(job))) {
        out.push_back(beat);
        out.back().last = false;
        if (job.source == kCopy) copies.push_back(beat);
      }
    size_t next = 0, seen = 0;
    uint64_t first = 0, last = 0;
    Offer offer, word, shape, copy;
    for (unsigned n = 0; n < 400000 && seen < out.size(); ++n)
      blocks.Step(
          [&] {
            // Copy jobs bypass the feeder's job port, but the shapes of their bursts arrive in job
            // order.
            while (next < jobs.size() && jobs[next].source == kCopy) Take(jobs[next++], shapes, words);
            top.make_valid_i = offer.Now(next < jobs.size(), blocks, manner.idle_percent);
            if (top.make_valid_i) {
              top.make_source_i = jobs[next].source;
              top.make_lane_i = jobs[next].lane % 4;
              top.make_value_i = jobs[next].value;
              top.make_step_i = jobs[next].step;
            }
            top.shape_valid_i = shape.Now(!shapes.empty(), blocks, manner.idle_percent);
            if (top.shape_valid_i) {
              top.shape_make_i = shapes.front().make;
              top.shape_last_i = shapes.front().last;
              top.shape_lane_i = shapes.front().lane;
              top.shape_stop_i = shapes.front().stop;
              top.shape_beats_m1_i = shapes.front().beats_m1;
            }
            top.copy_valid_i = copy.Now(!copies.empty(), blocks, manner.idle_percent);
            if (top.copy_valid_i) std::memcpy(&top.copy_data_i, copies.front().data.data(), kBeat);
            top.word_valid_i = word.Now(!words.empty(), blocks, manner.idle_percent);
            if (top.word_valid_i) top.word_i = words.front();
            top.feed_ready_i = !blocks.Chance(manner.stall_percent);
          },
          [&] {
            if (top.starved_o) EXPECT_FALSE(top.word_valid_i || top.copies_o);
            if (top.shape_valid_i && top.shape_ready_o) shapes.pop_front(), shape.Taken();
            if (top.copy_valid_i && top.copy_ready_o) copies.pop_front(), copy.Taken();
            if (top.word_valid_i && top.word_ready_o) words.pop_front(), word.Taken();
            if (top.make_valid_i && top.make_ready_o) Take(jobs[next++], shapes, words), offer.Taken();
            if (!top.feed_valid_o || !top.feed_ready_i) return;
            EXPECT_EQ(TakeBeat(top.feed_data_o, top.feed_strb_o, false), out[seen]) << "beat " << seen;
            if (seen++ == 0) first = blocks.now;
            last = blocks.now;
          });
    EXPECT_EQ(seen, out.size()) << "beats are missing";
    EXPECT_TRUE(words.empty() && copies.empty()) << "words or beats are left over";
    return last - first;
  }
  static void Take(const Make& job, std::deque<Shape>& shapes, std::deque<uint64_t>& words) {
    for (const Shape& shape : Shapes(job)) shapes.push_back(shape);
    if (job.source == kWords) words.insert(words.end(), job.words.begin(), job.words.end());
  }
};

TEST_P(Feed, RandomJobsBackToBack) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 rng(seed);
    std::vector<Make> jobs;
    for (int n = 0; n < 150; ++n) {
      Make job{static_cast<Source>(rng() % 4),
               static_cast<unsigned>(rng() % kChunk),
               1 + rng() % (rng() % 4 ? 40 : 700),
               rng(),
               rng(),
               {}};
      if (job.source == kPattern) job.value &= 0xffffffff;
      if (job.source == kWords || job.source == kSteps) {
        job.lane &= ~7u;
        job.length = (job.length + 7) & ~uint64_t{7};
      }
      if (job.source == kWords || job.source == kCopy)
        for (uint64_t at = 0; at < job.length; at += 8) job.words.push_back(rng());
      jobs.push_back(job);
    }
    Check(jobs, kManners[GetParam()], seed);
  }
}
INSTANTIATE_TEST_SUITE_P(Manners, Feed, ::testing::Range(0, 4));

TEST_F(Feed, PatternsAtEveryLane) {
  std::vector<Make> jobs;
  for (unsigned lane = 0; lane < kBeat; ++lane)
    for (uint64_t length = 1; length <= 2 * kBeat; length += kBeat == 8 ? 1 : 7)
      jobs.push_back({kPattern, lane, length, 0x44332211, 0, {}});
  Check(jobs, {0, 0}, 1);
}

TEST_F(Feed, ABeatACycleAcrossBurstsAndCopies) {
  std::vector<Make> jobs;
  for (int n = 0; n < 100; ++n)
    jobs.push_back({kCopy, kBeat * (n % 4), kBeat, 0, 0, std::vector<uint64_t>(kBeat / 8, n)});
  EXPECT_EQ(Check(jobs, {0, 0}, 1), 99u);
  EXPECT_EQ(Check({{kPattern, 0, 4096, 7, 0, {}}}, {0, 0}, 1), 4096 / kBeat - 1);
}

TEST_F(Feed, SaysWhenItStarves) {
  Blocks blocks(1);
  auto& top = blocks.t;
  for (int n = 0; n < 10; ++n)
    blocks.Step(
        [&] {
          top.make_valid_i = n == 0;
          top.make_source_i = kWords;
          top.shape_valid_i = n == 1;
          top.shape_make_i = top.shape_last_i = 1;
          top.shape_stop_i = 7;
        },
        [&] { EXPECT_EQ(top.starved_o, n > 1); });
}

}  // namespace
}  // namespace gmmu::dma
