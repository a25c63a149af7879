// SPDX-License-Identifier: Apache-2.0
// Checks the MMU's latencies and rates against bounds. mmu_speed.h defines each measurement.
#include <gtest/gtest.h>

#include <iostream>

#include "tb/rtl/mmu/mmu_speed.h"

namespace gmmu::bench {
namespace {

class MmuSpeedTest : public testing::Test {
 protected:
  explicit MmuSpeedTest(unsigned latency = 50) : mmu_(latency) {}
  ~MmuSpeedTest() override {
    for (const std::string& error : mmu_.errors()) ADD_FAILURE() << error;
  }
  MmuSpeed mmu_;
};

TEST_F(MmuSpeedTest, AHitIsAnsweredAfterTwoCycles) {
  const uint64_t hit = mmu_.HitLatency();
  std::cout << "L1 hit: " << hit << " cycles\n";
  EXPECT_LE(hit, 2u);
}

TEST_F(MmuSpeedTest, EveryClientsPortAnswersAHitEveryCycle) {
  const double rate = mmu_.HitsPerCycle();
  std::cout << "L1 hits: " << rate << " a cycle and port\n";
  EXPECT_GE(rate, 1.0);
}

TEST_F(MmuSpeedTest, TheEnginesPortsTogetherAnswerAHitEveryCycle) {
  const double rate = mmu_.EngineHitsPerCycle();
  std::cout << "L1 hits of the engine's ports: " << rate << " a cycle\n";
  EXPECT_GE(rate, 0.999);
}

TEST_F(MmuSpeedTest, HitsPassWaitingMisses) {
  const double rate = mmu_.HitsPerCycleBehind(MmuSpeed::kMissSlots - 1);
  std::cout << "L1 hits while misses wait: " << rate << " a cycle and port\n";
  EXPECT_GE(rate, 1.0);
}

TEST_F(MmuSpeedTest, AnL2HitAfterAnL1Miss) {
  const uint64_t l2 = mmu_.L2HitLatency();
  std::cout << "L2 hit: " << l2 << " cycles\n";
  EXPECT_LE(l2, 4u);
}

TEST_F(MmuSpeedTest, L2HitsAreAnsweredEveryCycle) {
  const double rate = mmu_.L2HitsPerCycle();
  std::cout << "L2 hits: " << rate << " a cycle\n";
  // The rate is below 1 because a miss whose L1 hint names another page takes one extra cycle.
  EXPECT_GE(rate, 0.985);
}

class ColdWalk : public MmuSpeedTest, public testing::WithParamInterface<unsigned> {
 protected:
  ColdWalk() : MmuSpeedTest(GetParam()) {}
};

TEST_P(ColdWalk, OfThreeReads) {
  const uint64_t walk = mmu_.ColdWalk();
  std::cout << "cold walk, 3 reads, L = " << GetParam() << ": " << walk << " cycles = 3L + " << walk - 3 * GetParam()
            << "\n";
  // A short read latency leaves two steps exposed: the computation of the next index from
  // registers, and the row's service up to its read, which begins one cycle after the request.
  EXPECT_LE(walk, 3 * GetParam() + (GetParam() < 6 ? 17 : 7));
}

INSTANTIATE_TEST_SUITE_P(Latencies, ColdWalk, testing::Values(1u, 10u, 50u));

TEST_F(MmuSpeedTest, AWalkFromTheWalkCache) {
  const uint64_t walk = mmu_.WalkCacheHit();
  std::cout << "walk-cache hit, L = 50: " << walk << " cycles = L + " << walk - 50 << "\n";
  EXPECT_LE(walk, 50u + 5);
}

TEST_F(MmuSpeedTest, SequentialMisses) {
  const double each = mmu_.SequentialMisses();
  std::cout << "sequential misses, 8 walkers, L = 50: " << each << " cycles each\n";
  EXPECT_LE(each, 1.4);
}

TEST_F(MmuSpeedTest, SequentialMissesOfAllClientsTogether) {
  const double each = mmu_.SharedSequentialMisses();
  std::cout << "sequential misses of all clients' ports, 8 walkers, L = 50: " << each << " cycles each\n";
  EXPECT_LE(each, 1.6);
}

TEST_F(MmuSpeedTest, SparseMisses) {
  const double each = mmu_.SparseMisses();
  std::cout << "sparse misses of " << static_cast<double>(mmu_.table_reads()) / 400
            << " reads, 8 walkers, L = 50: " << each << " cycles each\n";
  EXPECT_LE(each, 19.5);
}

TEST_F(MmuSpeedTest, SparseMissesFromTheWalkCache) {
  const double each = mmu_.SparseCachedMisses();
  std::cout << "sparse misses, walk cache hits, 8 walkers, L = 50: " << each << " cycles each\n";
  EXPECT_LE(each, 6.75);
}

}  // namespace
}  // namespace gmmu::bench
