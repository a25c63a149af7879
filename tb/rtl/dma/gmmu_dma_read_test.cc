// SPDX-License-Identifier: Apache-2.0
// Tests the reader alone, with two slots of 64 bytes and with 32 of 128 bytes. Translation, aperture map
// and memory respond in random order.
#include "tb/rtl/dma/unit_world.h"

namespace gmmu::dma {
namespace {

struct Expected {
  Beat beat;
  uint8_t label;
};

class Reader : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  static constexpr unsigned kPages = 24;
  static uint64_t Chunk(int unit) { return unit == 0 ? 64 : 128; }

  /// Appends the beats of a job's bytes below address `end`.
  static void Append(std::vector<Expected>& out, const UnitWorld& world, const UnitJob& job, uint64_t end) {
    if (end == job.address) return;
    std::vector<uint8_t> bytes;
    for (uint64_t at = job.address; at < end; ++at) {
      const auto place = world.Find(job, at, false);
      bytes.push_back(place.zero ? 0 : UnitWorld::Fresh(place.at));
    }
    auto beats = Lay(job.address % kBeat, bytes);
    beats.back().last = end == job.address + job.length;
    for (const Beat& beat : beats) out.push_back({beat, job.label});
  }
  /// Runs jobs until all beats are output or a fault is reported.
  void Run(Blocks& blocks, UnitWorld& world, int unit, const std::vector<UnitJob>& jobs,
           const std::vector<Expected>& expected, Manner manner, bool fails) {
    auto& top = blocks.t;
    size_t next = 0, seen = 0;
    Offer offer;
    bool over = false;
    unsigned after = 0;
    for (unsigned n = 0; n < 400000 && after < 40; ++n) {
      after += over;
      blocks.Step(
          [&] {
            world.Drive();
            top.job_valid_i[unit] = offer.Now(next < jobs.size(), blocks, manner.idle_percent);
            if (top.job_valid_i[unit]) OfferJob(blocks, unit, jobs[next]);
            top.out_ready_i[unit] = !blocks.Chance(manner.stall_percent);
          },
          [&] {
            world.Sample(false);
            if (top.job_valid_i[unit] && top.job_ready_o[unit]) ++next, offer.Taken();
            if (top.fault_valid_o[unit]) EXPECT_TRUE(fails) << "fault";
            over = fails ? top.fault_valid_o[unit] && top.drained_o[unit] : seen == expected.size();
            if (!top.out_valid_o[unit] || !top.out_ready_i[unit]) return;
            ASSERT_LT(seen, expected.size()) << "a beat too many";
            const Beat beat = TakeBeat(top.out_data_o[unit], top.out_mask_o[unit], top.out_last_o[unit]);
            EXPECT_EQ(beat, expected[seen].beat) << "beat " << seen;
            EXPECT_EQ(top.out_label_o[unit], expected[seen].label);
            ++seen;
          });
      if (HasFatalFailure()) return;
    }
    top.job_valid_i[unit] = 0;
    EXPECT_EQ(seen, expected.size()) << "beats are missing";
    EXPECT_EQ(fails, top.fault_valid_o[unit] != 0);
  }
};

TEST_P(Reader, GivesTheBytesOfRandomRangesInOrder) {
  const auto [unit, manner] = GetParam();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    UnitWorld world(blocks, unit, kManners[manner]);
    MakeWindow(world, blocks, kPages);
    std::vector<UnitJob> jobs;
    std::vector<Expected> expected;
    for (int n = 0; n < 60; ++n) {
      jobs.push_back(RandomJob(blocks, kPages, blocks.Chance(50) ? 100 : 6000));
      Append(expected, world, jobs.back(), jobs.back().address + jobs.back().length);
    }
    Run(blocks, world, unit, jobs, expected, kManners[manner], false);
    world.ExpectRest();
    blocks.Step([&] { blocks.t.stop_i[unit] = 1; }, [&] {});
    blocks.Step([&] {}, [&] { EXPECT_TRUE(blocks.t.quiet_o[unit]); });
  }
}

TEST_P(Reader, StopsAtTheFirstFailureInOrderAndStartsAnew) {
  const auto [unit, manner] = GetParam();
  for (uint64_t seed = 10; seed < 22; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    auto& top = blocks.t;
    UnitWorld world(blocks, unit, kManners[manner]);
    MakeWindow(world, blocks, kPages);
    for (unsigned n = 2; n < kPages; n += 5)
      BreakPage(world, blocks, world.pages[0x10000 + n], regs::Fault::kEntryInvalid);
    std::vector<UnitJob> jobs;
    std::vector<Expected> expected;
    const UnitJob* failed = nullptr;
    uint64_t bad = 0;
    while (jobs.size() < 40) {
      UnitJob job = RandomJob(blocks, kPages, 5000);
      if (job.physical) continue;  // Skip physical ranges: they could overlap a bad page.
      jobs.push_back(job);
    }
    for (const UnitJob& job : jobs) {
      bad = FirstBad(world, job, Chunk(unit), false);
      Append(expected, world, job, bad);
      if (bad == job.address + job.length) continue;
      failed = &job;
      break;
    }
    ASSERT_NE(failed, nullptr);
    Run(blocks, world, unit, jobs, expected, kManners[manner], true);
    const auto place = world.Find(*failed, bad, false);
    const auto fault = FaultOf(blocks, unit);
    EXPECT_EQ(fault.reason, static_cast<int>(place.fault));
    EXPECT_EQ(fault.access, 0);
    EXPECT_EQ(fault.level, place.level);
    EXPECT_EQ(fault.place.address, bad);
    EXPECT_EQ(top.fault_label_o[unit], failed->label);
    top.out_ready_i[unit] = 0;
    GiveUp(blocks, world, unit, false);
    std::vector<Expected> again;
    const UnitJob good{true, regs::Target::kVram, 0x1003, 300, 9};
    Append(again, world, good, 0x1003 + 300);
    Run(blocks, world, unit, {good}, again, kManners[manner], false);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Reader, ::testing::Combine(::testing::Values(0, 1), ::testing::Range(0, 4)));

}  // namespace
}  // namespace gmmu::dma
