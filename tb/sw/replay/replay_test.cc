// SPDX-License-Identifier: Apache-2.0
// Tests whole replays on the fast engine.
#include "replay/replay.h"

#include <gtest/gtest.h>

#include "tb/sw/replay/replayed.h"

namespace gmmu::replay {
namespace {

TEST(Replay, MakesEveryAccessOfThePhasesAndCountsTheirTranslations) {
  Options options;
  options.skip = 100, options.warmup = 1'000, options.window = 2, options.epoch = 500;
  const Ran run = Replayed(options, RandomAccesses(1 << 20, 4'000, 7, 30, 32));
  ASSERT_EQ(run.result.phases.size(), 2u);
  const PhaseResult& warmup = run.result.phases[0];
  const PhaseResult& region = run.result.phases[1];
  EXPECT_EQ(warmup.tally.accesses, 1'000u);
  EXPECT_EQ(region.tally.accesses, 2'900u);
  EXPECT_EQ(region.tally.faults, 0u);
  EXPECT_EQ(region.tally.latency.count(), 2'900u);
  EXPECT_EQ(Counted(region.counters, "port_client", "lookups"), 2'900u);
  EXPECT_EQ(Counted(region.counters, "translation_checker", "answers"), 2'900u);
  EXPECT_EQ(Counted(region.counters, "gpu_clients", "client_read_bytes") +
                Counted(region.counters, "gpu_clients", "client_write_bytes"),
            2'900u * 64);
  uint64_t in_rows = 0, lookups = 0;
  for (const Row& row : region.rows) {
    in_rows += row.tally.accesses;
    lookups += Counted(row.counters, "port_client", "lookups");
    EXPECT_LT(row.first_cycle, row.last_cycle);
  }
  EXPECT_GT(region.rows.size(), 3u);
  EXPECT_EQ(in_rows, 2'900u);
  EXPECT_EQ(lookups, 2'900u);
}

TEST(Replay, GivesTheSameCyclesForTheSameSeed) {
  Options options;
  options.fragmented = 50;
  const auto accesses = RandomAccesses(4 << 20, 2'000, 3, 10, 8);
  const Ran first = Replayed(options, accesses), second = Replayed(options, accesses);
  EXPECT_EQ(first.result.phases[0].tally.cycles(), second.result.phases[0].tally.cycles());
  EXPECT_EQ(first.job.cycles, second.job.cycles);
}

TEST(Replay, BreaksTheStatedShareOfBlocks) {
  for (const unsigned percent : {0u, 50u, 100u}) {
    Options options;
    options.fragmented = percent;
    const Ran run = Replayed(options, RandomAccesses(16 << 20, 5'000, 3));
    const BackingFacts& backing = run.result.backing;
    EXPECT_EQ(backing.pieces, 256u);
    const double whole = static_cast<double>(backing.whole_pieces) / 256;
    EXPECT_NEAR(whole, 1 - percent / 100.0, percent == 50 ? 0.15 : 0.0);
  }
}

TEST(Replay, MapsPagesOfEverySizeWhereTheMachineHasThem) {
  const auto accesses = RandomAccesses(8 << 20, 2'000, 9, 20);
  Options options;
  options.page_size = PageSize::k2m;
  EXPECT_EQ(Replayed(options, accesses).result.backing.whole_pieces, 4u);
  options.fragmented = 100;
  EXPECT_EQ(Replayed(options, accesses).result.backing.whole_pieces, 0u);
  options.fragmented = 0, options.page_size = PageSize::k64k;
  const Ran run = Replayed(options, accesses, "[driver]\nleaf_64k = true\n");
  EXPECT_EQ(run.result.backing.whole_pieces, 128u);
}

TEST(Replay, ReachesSystemMemoryThroughTheIommu) {
  Options options;
  options.memory = Memory::kSystem;
  const Ran system = Replayed(options, RandomAccesses(1 << 20, 1'000, 9));
  const Ran vram = Replayed({}, RandomAccesses(1 << 20, 1'000, 9));
  const auto read = [](const Ran& run) { return Counted(run.result.phases[0].counters, "gpu_bus", "host_read_bytes"); };
  EXPECT_GE(read(system), 64'000u);
  EXPECT_LT(read(vram), 1'000u);
  EXPECT_GT(Counted(system.result.phases[0].counters, "iommu", "requests"), 900u);
  EXPECT_GT(system.result.phases[0].tally.latency.Quantile(5'000),
            vram.result.phases[0].tally.latency.Quantile(5'000) + 400);
}

TEST(Replay, ARequestThatJoinsAWalkOfTheIommuHasMissedItsTlb) {
  std::vector<trace::Access> accesses = RandomAccesses(4 << 20, 300, 9);
  for (trace::Access& access : accesses) {
    access.address = access.address / 4096 * 4096;
    access.bytes = 256;  // becomes four requests in quick succession
  }
  Options options;
  options.memory = Memory::kSystem;
  const Ran run = Replayed(options, accesses, "[iommu]\niotlb_sets = 1\niotlb_ways = 2\n");
  const auto count = [&](const char* name) { return Counted(run.result.phases[0].counters, "iommu", name); };
  EXPECT_GE(count("requests"), 1'200u);
  EXPECT_EQ(count("requests"), count("iotlb_hits") + count("iotlb_misses"));
  EXPECT_GT(count("iotlb_misses"), 1'100u);
  EXPECT_EQ(count("missed"), count("walks") + count("waited"));
  EXPECT_LT(count("walks"), 400u);
}

TEST(Replay, KeepsGapsWhereTheyAreWanted) {
  std::vector<trace::Access> accesses = RandomAccesses(1 << 16, 100, 9);
  for (size_t i = 0; i < accesses.size(); i += 2) accesses[i].address -= uint64_t{0x2A00} << 32;
  Options options;
  const auto reads = [](const Ran& run) { return Counted(run.result.phases[0].counters, "gpu_walker", "table_reads"); };
  const uint64_t closed = reads(Replayed(options, accesses));
  options.keep_gaps = true;
  EXPECT_EQ(reads(Replayed(options, accesses)), closed + 2) << "a table of level 2 and one of level 1 more";
}

TEST(Replay, WaitsForArrivalsOfAnOpenLoop) {
  std::vector<trace::Access> accesses = RandomAccesses(1 << 16, 11, 9);
  for (size_t i = 0; i < accesses.size(); ++i) accesses[i].cycles = 5'000'000 + i * 10'000;
  trace::Header open;
  open.loop = trace::Loop::kOpen;
  const Ran run = Replayed({}, accesses, "", open);
  const Tally& tally = run.result.phases[0].tally;
  EXPECT_GE(tally.cycles(), 100'000u);
  EXPECT_LT(tally.cycles(), 101'000u);
  EXPECT_LT(tally.latency.max(), 2'000u);
}

/// Counts the polls during the phase "region". The number of polls measures what idle simulated
/// time costs the host.
uint64_t Looks(const Options& options, const std::vector<trace::Access>& accesses, const trace::Header& header) {
  uint64_t looks = 0;
  const auto look = [&](const std::string& phase, uint64_t, uint64_t) { looks += phase == "region" ? 1 : 0; };
  Replayed(options, accesses, "", header, nullptr, look);
  return looks;
}

TEST(Replay, TimeInWhichNoAccessIsDueCostsNothing) {
  std::vector<trace::Access> accesses = RandomAccesses(1 << 16, 3, 9);
  trace::Header open;
  open.loop = trace::Loop::kOpen;
  for (const uint64_t idle : {uint64_t{1'000'000}, uint64_t{1'000'000'000'000}, uint64_t{2'000'000'000'000'000}}) {
    for (size_t i = 0; i < accesses.size(); ++i) accesses[i].cycles = i * idle;
    for (const trace::Header& header : {open, trace::Header()}) {
      const uint64_t looks = Looks({}, accesses, header);
      EXPECT_GT(looks, 0u);
      EXPECT_LT(looks, 20u) << idle << (header.loop == trace::Loop::kOpen ? "" : ", closed loop");
    }
    const Tally tally = Replayed({}, accesses, "", open).result.phases[0].tally;
    EXPECT_GE(tally.cycles(), 2 * idle);
    EXPECT_LT(tally.cycles(), 2 * idle + 2'000);
    EXPECT_LT(tally.latency.max(), 2'000u);
  }
}

TEST(Replay, RowsOfCyclesAreNotCutInIdleTime) {
  std::vector<trace::Access> accesses = RandomAccesses(1 << 16, 2, 9);
  accesses[1].cycles = 1'000'000'000;
  Options options;
  options.epoch_cycles = 10'000;
  options.warps = 1;
  const std::vector<Row> rows = Replayed(options, accesses).result.phases[0].rows;
  EXPECT_LT(rows.size(), 5u);
  EXPECT_GE(rows.back().last_cycle - rows.front().first_cycle, 1'000'000'000u);
}

TEST(Replay, AnAccessBehindTheEndOfTheMachinesTimeIsRefused) {
  std::vector<trace::Access> accesses = RandomAccesses(1 << 16, 2, 9);
  for (const uint64_t cycles : {uint64_t{1} << 62, ~uint64_t{0}}) {
    accesses[1].cycles = cycles;
    Options options;
    options.workload = "late.trace";
    try {
      Replayed(options, accesses);
      FAIL() << cycles;
    } catch (const ReplayError& error) {
      EXPECT_NE(std::string(error.what()).find("late.trace: an access at"), std::string::npos) << error.what();
    }
  }
}

/// Returns one access to each of `pieces` blocks of `piece` bytes.
std::vector<trace::Access> OneInEach(uint64_t pieces, uint64_t piece) {
  std::vector<trace::Access> accesses = RandomAccesses(1 << 20, pieces, 1);
  for (uint64_t i = 0; i < pieces; ++i) accesses[i].address = i * piece;
  return accesses;
}

TEST(Replay, TakesPagesOfEveryMemorySegmentWhereNoneHasRoomForAll) {
  const Ran run = Replayed({}, OneInEach(58 * 16, 65'536), "[driver]\nvisible_vram_kib = 32768\n");
  EXPECT_EQ(run.result.backing.pieces, 58u * 16) << "58 MiB in segments of 32 MiB";
  EXPECT_GT(run.result.backing.whole_pieces, 0u);
}

TEST(Replay, GivesLargePagesTheirPlacesFirstWhereTheyAreShort) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Options options;
    options.seed = seed;
    options.page_size = PageSize::k2m;
    EXPECT_EQ(Replayed(options, OneInEach(18, kLargePage)).result.backing.whole_pieces, 18u) << seed;
  }
}

TEST(Replay, RefusesPagesAndTablesThatVramHasNoRoomForBeforeTheFirstAccess) {
  const auto refusal = [](const Options& options, const std::vector<trace::Access>& accesses, const char* toml) {
    try {
      Replayed(options, accesses, toml);
    } catch (const ReplayError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Options options;
  EXPECT_NE(refusal(options, OneInEach(1022, 65'536), "").find("gpu.vram_mib"), std::string::npos);
  options.page_size = PageSize::k2m;
  EXPECT_NE(refusal(options, OneInEach(31, kLargePage), "").find("of 31 pages of 2 MiB"), std::string::npos);
  options.page_size = PageSize::k64k;
  EXPECT_NE(refusal(options, OneInEach(40, kLargePage), "[driver]\nleaf_64k = true\nvisible_vram_kib = 2048\n")
                .find("driver.page_tables=system"),
            std::string::npos);
  EXPECT_EQ(refusal(options, OneInEach(40, kLargePage),
                    "[driver]\nleaf_64k = true\nvisible_vram_kib = 2048\npage_tables = \"system\"\n"),
            "");
}

}  // namespace
}  // namespace gmmu::replay
