// SPDX-License-Identifier: Apache-2.0
// Tests demand paging in whole replays on the fast engine.
#include "replay/demand_pages.h"

#include "tb/sw/replay/replayed.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kPiece = 65536;

Options Demand() {
  Options options;
  options.demand = true;
  options.warps = 4;
  return options;
}

std::vector<trace::Access> Random(uint64_t footprint, unsigned writes = 0) {
  return RandomAccesses(footprint, 2'000, 5, writes, 16);
}

/// Returns one access to each page, in address order.
std::vector<trace::Access> Sweep(uint64_t footprint) {
  std::vector<trace::Access> accesses = Random(footprint);
  accesses.resize(footprint / 4096);
  for (size_t i = 0; i < accesses.size(); ++i) accesses[i].address = 0x10000000 + i * 4096;
  return accesses;
}

const DemandTally& Of(const Ran& run) { return run.result.phases.at(0).demand; }

TEST(DemandPages, ComeOnceWhenAllFit) {
  const Ran run = Replayed(Demand(), Random(2 << 20));
  const DemandTally& demand = Of(run);
  EXPECT_EQ(demand.faulted, run.result.backing.pieces);
  EXPECT_EQ(demand.bytes_in, demand.faulted * kPiece);
  EXPECT_EQ(demand.prefetched + demand.evicted + demand.written_back, 0u);
  EXPECT_GE(demand.far_faults, demand.faulted);
  EXPECT_EQ(demand.wait_cycles.count(), demand.far_faults);
  EXPECT_GT(demand.wait_cycles.mean(), 20'000) << "os.far_fault_ns";
  EXPECT_EQ(run.result.phases[0].tally.accesses, 2'000u);
  EXPECT_EQ(run.result.phases[0].tally.faults, 0u) << "they were made again";
  EXPECT_GT(run.result.phases[0].tally.latency.max(), 20'000u);
}

TEST(DemandPages, ComeInBatchesOfAtMostTheStatedSize) {
  Options one = Demand();
  one.batch = 1;
  const Ran single = Replayed(one, Random(2 << 20)), many = Replayed(Demand(), Random(2 << 20));
  EXPECT_EQ(Of(single).batch_pieces.max(), 1u);
  EXPECT_GT(Of(many).batch_pieces.max(), 1u);
  EXPECT_GT(Of(single).batches, Of(many).batches);
  EXPECT_GT(single.result.phases[0].tally.cycles(), many.result.phases[0].tally.cycles());
}

TEST(DemandPages, LeaveWhenAllDoNotFit) {
  Options options = Demand();
  options.resident_mib = 1;
  options.batch = 8;
  const Ran reads = Replayed(options, Random(2 << 20)), writes = Replayed(options, Random(2 << 20, 50));
  EXPECT_GT(Of(reads).evicted, 0u);
  EXPECT_EQ(Of(reads).evicted, Of(reads).faulted - 16) << "what came but for what fits";
  EXPECT_EQ(Of(reads).written_back, 0u);
  EXPECT_GT(Of(writes).written_back, 0u);
  EXPECT_EQ(Of(writes).bytes_out, Of(writes).written_back * kPiece);
  options.evict = Evict::kRandom;
  const Ran random = Replayed(options, Random(2 << 20));
  EXPECT_NE(Of(random).faulted, Of(reads).faulted);
  EXPECT_EQ(Of(Replayed(options, Random(2 << 20))).faulted, Of(random).faulted) << "one seed";
}

TEST(DemandPages, ThatWereAccessedLongestAgoLeaveFirst) {
  // Cycles through slightly more blocks than fit, so that LRU always evicts the block that is
  // needed next.
  std::vector<trace::Access> rounds = Sweep(2 << 20);
  rounds.resize(20 * 16);
  for (size_t i = 0; i < rounds.size(); ++i) rounds[i].address = 0x10000000 + i % 20 * kPiece;
  Options options = Demand();
  options.compute_units = 1, options.warps = 1, options.resident_mib = 1, options.batch = 1;
  const Ran lru = Replayed(options, rounds);
  EXPECT_EQ(Of(lru).faulted, rounds.size());
  options.evict = Evict::kRandom;
  EXPECT_LT(Of(Replayed(options, rounds)).faulted, rounds.size());
}

TEST(DemandPages, ArePrefetched) {
  const Ran none = Replayed(Demand(), Sweep(2 << 20));
  Options next = Demand(), tree = Demand();
  next.prefetch = 3;
  tree.prefetch_tree = true;
  for (const Options& options : {next, tree}) {
    const Ran run = Replayed(options, Sweep(2 << 20));
    EXPECT_LT(Of(run).faulted, Of(none).faulted);
    EXPECT_EQ(Of(run).faulted + Of(run).prefetched, 32u);
    EXPECT_EQ(Of(run).prefetch_used, Of(run).prefetched) << "the sweep touches all";
    EXPECT_LT(run.result.phases[0].tally.cycles(), none.result.phases[0].tally.cycles());
  }
}

TEST(DemandPages, WaitForTheSystem) {
  const Ran quick = Replayed(Demand(), Random(1 << 20));
  const Ran slow = Replayed(Demand(), Random(1 << 20), "", {},
                            [](sim::MachineConfig&, os::Parameters& parameters) { parameters.far_fault_ns = 300'000; });
  EXPECT_GT(Of(slow).wait_cycles.mean(), Of(quick).wait_cycles.mean() + 100'000);
}

TEST(DemandPages, OfAccessesThatStallInThePort) {
  const Ran run = Replayed(Demand(), Random(2 << 20), "", {}, [](sim::MachineConfig& machine, os::Parameters&) {
    machine.policy.far_fault = sim::FarFault::kStall;
  });
  EXPECT_EQ(Of(run).faulted, run.result.backing.pieces);
  const auto& counters = run.result.phases[0].counters;
  EXPECT_GT(Counted(counters, "policy", "stalls"), 0u);
  EXPECT_EQ(Counted(counters, "gpu_bus", "fault_records"), 0u);
}

}  // namespace
}  // namespace gmmu::replay
