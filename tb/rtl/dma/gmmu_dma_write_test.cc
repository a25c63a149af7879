// SPDX-License-Identifier: Apache-2.0
// Tests the writer alone, with two slots of 64 bytes and with 64 of 128 bytes.
#include "tb/rtl/dma/unit_world.h"

namespace gmmu::dma {
namespace {

class Writer : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  static constexpr unsigned kPages = 64;
  static uint64_t Chunk(int unit) { return unit == 2 ? 64 : 128; }
  static uint8_t Value(size_t job, uint64_t n) { return 31 * job + 7 * n + (n >> 8); }

  /// Returns jobs in ascending order, adjacent or with gaps, which write each byte at most once.
  static std::vector<UnitJob> Jobs(Blocks& blocks) {
    std::vector<UnitJob> jobs;
    uint64_t at = 0x10000000 + blocks.Random(0, 100);
    while (true) {
      UnitJob job;
      job.length = blocks.Random(1, blocks.Chance(50) ? 40 : 5000);
      job.address = at;
      job.label = jobs.size();
      at += job.length + (blocks.Chance(30) ? blocks.Random(0, 200) : 0);
      if (at > 0x10000000 + 4096 * kPages) return jobs;
      jobs.push_back(job);
    }
  }
  /// Offers jobs and beats until all jobs have retired or a fault is pending. Returns the number of
  /// retired jobs.
  unsigned Run(Blocks& blocks, UnitWorld& world, int unit, const std::vector<UnitJob>& jobs, Manner manner,
               bool fails) {
    auto& top = blocks.t;
    std::vector<Beat> beats;
    for (size_t n = 0; n < jobs.size(); ++n) {
      std::vector<uint8_t> bytes;
      for (uint64_t i = 0; i < jobs[n].length; ++i) bytes.push_back(Value(n, i));
      for (const Beat& beat : Lay(jobs[n].address % kBeat, bytes)) beats.push_back(beat);
    }
    size_t next = 0, given = 0;
    unsigned retired = 0, after = 0;
    Offer offer, data;
    for (unsigned n = 0; n < 400000 && after < 60; ++n) {
      after += fails ? top.fault_valid_o[unit] != 0 : retired == jobs.size();
      blocks.Step(
          [&] {
            world.Drive();
            top.job_valid_i[unit] = offer.Now(next < jobs.size(), blocks, manner.idle_percent);
            if (top.job_valid_i[unit]) OfferJob(blocks, unit, jobs[next]);
            top.data_valid_i[unit] = data.Now(given < beats.size(), blocks, manner.idle_percent);
            if (top.data_valid_i[unit]) {
              std::memcpy(&top.data_i[unit], beats[given].data.data(), kBeat);
              top.strb_i[unit] = beats[given].strb;
            }
          },
          [&] {
            world.Sample(true);
            if (top.job_valid_i[unit] && top.job_ready_o[unit]) ++next, offer.Taken();
            if (top.data_valid_i[unit] && top.data_ready_o[unit]) ++given, data.Taken();
            retired += top.retired_o[unit];
          });
    }
    top.job_valid_i[unit] = top.data_valid_i[unit] = 0;
    EXPECT_EQ(fails, top.fault_valid_o[unit] != 0);
    if (!fails) EXPECT_EQ(retired, jobs.size());
    return retired;
  }
  /// Compares the bytes of the first `count` jobs.
  static void Compare(const UnitWorld& world, const std::vector<UnitJob>& jobs, size_t count) {
    unsigned wrong = 0;
    size_t bytes = 0;
    for (size_t n = 0; n < count; ++n)
      for (uint64_t i = 0; i < jobs[n].length && wrong < 5; ++i) {
        const auto place = world.Find(jobs[n], jobs[n].address + i, true);
        if (place.zero) continue;
        ++bytes;
        const auto found = world.written.find(place.at);
        if (found != world.written.end() && found->second == Value(n, i)) continue;
        ++wrong;
        ADD_FAILURE() << "byte " << i << " of job " << n;
      }
    if (count == jobs.size()) EXPECT_EQ(world.written.size(), bytes) << "bytes written beside";
  }
};

TEST_P(Writer, WritesRandomRangesAndNothingElse) {
  const auto [unit, manner] = GetParam();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    UnitWorld world(blocks, unit, kManners[manner]);
    MakeWindow(world, blocks, kPages);
    const auto jobs = Jobs(blocks);
    Run(blocks, world, unit, jobs, kManners[manner], false);
    Compare(world, jobs, jobs.size());
    world.ExpectRest();
    blocks.Step([&] { blocks.t.stop_i[unit] = 1; }, [&] {});
    blocks.Step([&] {}, [&] { EXPECT_TRUE(blocks.t.quiet_o[unit]); });
  }
}

TEST_P(Writer, ReportsTheFirstFailureInOrderAndIssuesNothingAfterIt) {
  const auto [unit, manner] = GetParam();
  for (uint64_t seed = 10; seed < 22; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Blocks blocks(seed);
    auto& top = blocks.t;
    UnitWorld world(blocks, unit, kManners[manner]);
    MakeWindow(world, blocks, kPages);
    for (int n = 0; n < 3; ++n)
      BreakPage(world, blocks, world.pages[0x10000 + blocks.Random(0, kPages - 2)], regs::Fault::kWriteProtect);
    const auto jobs = Jobs(blocks);
    size_t failed = 0;
    uint64_t bad = 0;
    for (; failed < jobs.size(); ++failed) {
      bad = FirstBad(world, jobs[failed], Chunk(unit), true);
      if (bad != jobs[failed].address + jobs[failed].length) break;
    }
    if (failed == jobs.size()) continue;  // No job touches a bad page, so none fails.
    EXPECT_EQ(Run(blocks, world, unit, jobs, kManners[manner], true), failed);
    const auto place = world.Find(jobs[failed], bad, true);
    const auto fault = FaultOf(blocks, unit);
    EXPECT_EQ(fault.reason, static_cast<int>(place.fault));
    EXPECT_EQ(fault.access, 1);
    EXPECT_EQ(fault.level, place.level);
    EXPECT_EQ(fault.place.address, bad);
    EXPECT_EQ(top.fault_label_o[unit], jobs[failed].label);
    Compare(world, jobs, failed);
    const uint64_t issued = world.bursts;
    GiveUp(blocks, world, unit, true);
    EXPECT_EQ(world.bursts, issued) << "issued after the failure";
    const std::vector<UnitJob> again{{true, regs::Target::kVram, 0x700003, 300, 9}};
    Run(blocks, world, unit, again, kManners[manner], false);
    Compare(world, again, 0);
  }
}

TEST_P(Writer, IsStuckWhenTheOldestBurstLacksData) {
  const int unit = std::get<0>(GetParam());
  Blocks blocks(1);
  auto& top = blocks.t;
  UnitWorld world(blocks, unit, {0, 0});
  const unsigned beats = kBeat < Chunk(unit) ? 2 : 1;  // beats per burst
  bool taken = false;
  for (int n = 0; n < 70; ++n)  // Let the sweep of the slot marks finish.
    blocks.Step([&] { world.Drive(); }, [&] { world.Sample(true); });
  for (int n = 0; n < 50; ++n) {
    blocks.Step(
        [&] {
          world.Drive();
          top.job_valid_i[unit] = !taken;
          OfferJob(blocks, unit, {true, regs::Target::kVram, 0x1000, beats * kBeat, 1});
          top.data_valid_i[unit] = (n == 30 && beats == 2) || n == 45;
          top.strb_i[unit] = ~uint64_t{0} >> (64 - kBeat);
        },
        [&] {
          world.Sample(true);
          taken |= top.job_valid_i[unit] && top.job_ready_o[unit];
          if (n < 3) EXPECT_FALSE(top.stuck_o[unit] && !taken);
          // stuck_o is 0 while a beat has arrived but is not yet counted.
          const bool comes = beats == 2 && (n == 31 || n == 32);
          if (n > 10 && n < 45) EXPECT_EQ(top.stuck_o[unit], !comes) << n;
        });
  }
  for (int n = 0; n < 100; ++n) blocks.Step([&] { world.Drive(); }, [&] { world.Sample(true); });
  EXPECT_FALSE(top.stuck_o[unit]);
  EXPECT_EQ(world.written.size(), beats * kBeat);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Writer, ::testing::Combine(::testing::Values(2, 3), ::testing::Range(0, 4)));

}  // namespace
}  // namespace gmmu::dma
