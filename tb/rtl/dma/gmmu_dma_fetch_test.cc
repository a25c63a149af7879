// SPDX-License-Identifier: Apache-2.0
// Tests the fetcher alone, with two chunks and with eight.
#include "tb/rtl/dma/unit_world.h"

namespace gmmu::dma {
namespace {

class Fetcher : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  static constexpr unsigned kPages = 8;

  static UnitJob WordJob(Blocks& blocks) {
    UnitJob job = RandomJob(blocks, kPages, blocks.Chance(50) ? 100 : 3000);
    job.address &= ~uint64_t{7};
    job.length = (job.length + 7) & ~uint64_t{7};
    return job;
  }
  static std::vector<uint64_t> Words(const UnitWorld& world, const UnitJob& job, uint64_t end) {
    std::vector<uint64_t> words;
    for (uint64_t at = job.address; at < end; at += 8) {
      uint64_t word = 0;
      for (int n = 7; n >= 0; --n) {
        const auto place = world.Find(job, at + n, false);
        word = word << 8 | (place.zero ? 0 : UnitWorld::Fresh(place.at));
      }
      words.push_back(word);
    }
    return words;
  }
  /// Offers one job and expects its `words`, followed by an error if `fails` is set.
  void Take(Blocks& blocks, UnitWorld& world, int unit, const UnitJob& job, const std::vector<uint64_t>& words,
            Manner manner, bool fails) {
    auto& top = blocks.t;
    bool taken = false, failed = false;
    size_t seen = 0;
    for (unsigned n = 0; n < 60000 && (seen < words.size() || (fails && !failed)); ++n)
      blocks.Step(
          [&] {
            world.Drive();
            top.job_valid_i[unit] = !taken;
            OfferJob(blocks, unit, job);
            top.out_ready_i[unit] = !blocks.Chance(manner.stall_percent);
          },
          [&] {
            world.Sample(false);
            EXPECT_TRUE(top.awake_o[unit] || !top.job_valid_i[unit]);
            if (top.job_valid_i[unit] && top.job_ready_o[unit]) taken = true;
            if (!top.out_valid_o[unit]) return;
            if (top.out_last_o[unit]) {
              EXPECT_TRUE(fails && seen == words.size()) << "error after word " << seen;
              failed = true;
            } else if (top.out_ready_i[unit]) {
              uint64_t word;
              std::memcpy(&word, &top.out_data_o[unit], 8);
              if (seen < words.size()) EXPECT_EQ(word, words[seen]) << "word " << seen;
              ++seen;
            }
          });
    top.job_valid_i[unit] = 0;
    EXPECT_EQ(seen, words.size());
    EXPECT_EQ(failed, fails);
  }
};

TEST_P(Fetcher, GivesTheWordsOfOneRangeAfterTheOther) {
  const auto [unit, manner] = GetParam();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    UnitWorld world(blocks, unit, kManners[manner]);
    MakeWindow(world, blocks, kPages);
    for (int n = 0; n < 30; ++n) {
      const UnitJob job = WordJob(blocks);
      Take(blocks, world, unit, job, Words(world, job, job.address + job.length), kManners[manner], false);
    }
    for (int n = 0; n < 3; ++n) blocks.Step([&] { world.Drive(); }, [&] { world.Sample(false); });
    world.ExpectRest();
    EXPECT_FALSE(blocks.t.awake_o[unit]);
  }
}

TEST_P(Fetcher, SaysWhyAWordCouldNotBeReadAndForgetsOnAbort) {
  const auto [unit, manner] = GetParam();
  for (uint64_t seed = 10; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    auto& top = blocks.t;
    UnitWorld world(blocks, unit, kManners[manner]);
    MakeWindow(world, blocks, kPages);
    UnitPage& page = world.pages[0x10003];
    page.zero = false;
    if (seed % 2) {
      page.fault = regs::Fault::kEntryInvalid, page.level = 2;
    } else {
      page.target = regs::Target::kVram;
      world.bus_errors.insert({0, page.page});
    }
    UnitJob job;
    job.address = 0x10002e00 + 8 * blocks.Random(0, 60);
    job.length = 3000;
    Take(blocks, world, unit, job, Words(world, job, 0x10003000), kManners[manner], true);
    const auto fault = FaultOf(blocks, unit);
    EXPECT_EQ(fault.reason, static_cast<int>(seed % 2 ? regs::Fault::kEntryInvalid : regs::Fault::kBusRead));
    EXPECT_EQ(fault.level, seed % 2 ? 2 : 0);
    EXPECT_EQ(fault.place.address, 0x10003000u);
    bool quiet = false;
    for (int n = 0; n < 5000 && !quiet; ++n)
      blocks.Step([&] { world.Drive(), top.stop_i[unit] = 1, top.out_ready_i[unit] = 0; },
                  [&] { world.Sample(false), quiet = top.quiet_o[unit]; });
    ASSERT_TRUE(quiet) << "not quiet after 5000 cycles";
    blocks.Step([&] { world.Drive(); }, [&] { world.Sample(false); });
    top.stop_i[unit] = 0;
    for (int n = 0; n < 3; ++n) blocks.Step([&] { world.Drive(); }, [&] { world.Sample(false); });
    world.ExpectRest();
    EXPECT_FALSE(blocks.t.awake_o[unit]);
    const UnitJob good{true, regs::Target::kSystem, 0x2008, 64, 0};
    Take(blocks, world, unit, good, Words(world, good, 0x2008 + 64), kManners[manner], false);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Fetcher, ::testing::Combine(::testing::Values(4, 5), ::testing::Range(0, 4)));

}  // namespace
}  // namespace gmmu::dma
