// SPDX-License-Identifier: Apache-2.0
// Tests which entries the twin's TLBs hold at which time, as observed through counters, on a
// machine whose space 1 maps 2 MiB.
#include "twin/tlb_timing.h"

#include <map>
#include <string>

#include "tb/sim/twin/bench.h"
#include "twin/gpu.h"

namespace gmmu::sim::twin {
namespace {

class Tlbs {
 public:
  explicit Tlbs(const MachineConfig& config = Config()) : bench_(config) {
    std::vector<uint64_t> pages;
    for (uint64_t i = 0; i < 512; ++i) pages.push_back(0x1000000 + i * 0x1000);
    bench_.bare.MapSpace(pages);
    EXPECT_EQ(bench_.bare.Read(0) & 0xFFFFFFFF, 0x554D4D47u);  // the writes above have arrived
  }
  /// Looks up page `page` at time `at`; returns the lookup's duration.
  uint64_t Look(uint64_t page, uint64_t at, unsigned port = 0) {
    Cost cost;
    cost.at = kStart + at;
    EXPECT_EQ(mmu_.Lookup(port, 1, page << 12, regs::Access::kRead, 1, cost).fault, regs::Fault::kNone);
    return cost.at - kStart - at;
  }
  uint64_t Count(const std::string& name) {
    for (const hw::Counter& counter : bench_.machine.Counters())
      if (counter.name == name && counter.block.rfind("gpu_", 0) == 0) return counter.value;
    ADD_FAILURE() << "no counter " << name;
    return ~uint64_t{0};
  }
  Mmu& mmu() { return mmu_; }
  /// Writes register sizes_in_use, waits until the change is complete, and returns the register's new value.
  uint64_t Turn(const TlbSizes& sizes) {
    bench_.bare.Write(regs::SizesInUse::kOffset, sizes.Register().raw);
    while ((bench_.bare.Read(regs::InvStatus::kOffset) & 1) != 0) {}
    return bench_.bare.Read(regs::SizesInUse::kOffset);
  }

 private:
  static constexpr uint64_t kStart = 1'000'000'000;
  Bench bench_;
  Mmu& mmu_ = bench_.machine.gpu(0).mmu();
};

TEST(TlbTiming, AMissWalksAHitDoesNot) {
  Tlbs tlbs;
  EXPECT_GT(tlbs.Look(3, 0), 200'000u);  // the walk makes two reads
  EXPECT_EQ(tlbs.Look(3, 1'000'000), 2'000u);
  EXPECT_EQ(tlbs.Look(3, 2'000'000, 1), 4'000u);  // another client hits the L2
  EXPECT_EQ(tlbs.Count("walks"), 1u);
  EXPECT_EQ(tlbs.Count("l2_hits"), 1u);
}

TEST(TlbTiming, WhoComesBeforeTheWalkHasEndedJoinsIt) {
  Tlbs tlbs;
  const uint64_t first = tlbs.Look(3, 0);
  // This lookup receives its response 7 ns after the lookup that started the walk.
  EXPECT_EQ(tlbs.Look(3, 100'000, 1), first - 100'000 + 7'000);
  EXPECT_EQ(tlbs.Count("walks"), 1u);
  EXPECT_EQ(tlbs.Count("l2_merged"), 1u);
}

TEST(TlbTiming, AWalkReadsForItselfThePointerThatAnotherOneHasNotBroughtYet) {
  Tlbs tlbs;
  static_cast<void>(tlbs.Look(0, 0));
  static_cast<void>(tlbs.Look(64, 10'000, 1));
  EXPECT_EQ(tlbs.Count("table_reads"), 4u);  // both walks begin at the root
  static_cast<void>(tlbs.Look(128, 1'000'000));
  EXPECT_EQ(tlbs.Count("table_reads"), 5u);
}

TEST(TlbTiming, ANeighbouringMissFetchesTheLine) {
  Tlbs tlbs;
  for (uint64_t page = 0; page < 16; ++page) static_cast<void>(tlbs.Look(page, page * 1'000'000));
  EXPECT_EQ(tlbs.Count("walks"), 3u);  // one that fills page 0, and two that fill a line each
}

TEST(TlbTiming, AnL2OfFewEntriesForgets) {
  MachineConfig small = Config();
  small.gpu.l2_entries = 64;
  Tlbs few(small), many;
  for (Tlbs* tlbs : {&few, &many}) {
    for (unsigned round = 0; round < 2; ++round)
      for (uint64_t page = 0; page < 512; page += 16)
        static_cast<void>(tlbs->Look(page, (512 * round + page) * 1'000'000));
  }
  EXPECT_EQ(many.Count("walks"), 32u);
  EXPECT_EQ(few.Count("walks"), 64u);
  EXPECT_GT(few.Count("l2_evictions"), 0u);
}

TEST(TlbTiming, AnInvalidationForgetsPagesAndPointers) {
  Tlbs tlbs;
  static_cast<void>(tlbs.Look(3, 0));
  tlbs.mmu().Invalidate(regs::Scope::kSpace, 1, 0, 0);
  EXPECT_GT(tlbs.Look(3, 1'000'000), 200'000u);
  tlbs.mmu().Invalidate(regs::Scope::kRange, 1, 0x3000, 0x4000);
  EXPECT_GT(tlbs.Look(3, 2'000'000), 100'000u);
  EXPECT_EQ(tlbs.Count("walks"), 3u);
}

TEST(TlbTiming, AnEntryIsReplacedWhenTheWalkEndsAndNotWhenItBegins) {
  MachineConfig small = Config();
  small.gpu.l2_entries = 32;
  small.gpu.l2_ways = 1;
  Tlbs tlbs(small);
  static_cast<void>(tlbs.Look(0, 0));
  static_cast<void>(tlbs.Look(64, 1'000'000, 1));  // page 64 uses page 0's L2 set
  EXPECT_EQ(tlbs.Look(0, 1'010'000, 2), 4'000u);   // the L2 still holds page 0
  EXPECT_GT(tlbs.Look(0, 2'000'000, 3), 100'000u);
  EXPECT_EQ(tlbs.Look(0, 3'000'000, 3), 2'000u);
  EXPECT_EQ(tlbs.Count("l2_evictions"), 2u);
}

TEST(TlbTiming, APageByItselfIsNotEnteredWhileAnotherOneIs) {
  Tlbs tlbs;
  for (unsigned port = 0; port < 3; ++port) static_cast<void>(tlbs.Look(64 * port, 0, port));
  EXPECT_EQ(tlbs.Look(0, 1'000'000), 2'000u);
  EXPECT_EQ(tlbs.Count("walks"), 3u);
  EXPECT_EQ(tlbs.Count("l2_fills"), 1u);  // the walks end at the same time: two pages are dropped
}

TEST(TlbTiming, FewWalkersMakeMissesWait) {
  MachineConfig one = Config();
  one.gpu.walks = 1;
  Tlbs few(one), many;
  uint64_t slow = 0, fast = 0;
  for (uint64_t page = 0; page < 512; page += 64) {
    slow = few.Look(page, 0);
    fast = many.Look(page, 0);
  }
  EXPECT_GT(slow, 2 * fast);
}

TEST(TlbTiming, TurnedDownByRegisterItIsAsOneThatWasBuiltSo) {
  MachineConfig small = Config();
  small.gpu.l1_entries = 4;
  small.gpu.l2_entries = 64;
  small.gpu.l2_ways = 2;
  small.gpu.walk_cache = 2;
  small.gpu.walks = 1;
  Tlbs built(small), turned;
  EXPECT_EQ(turned.Turn(small.gpu.tlb_sizes()), small.gpu.tlb_sizes().Register().raw);
  for (uint64_t i = 0; i < 600; ++i) {
    const uint64_t page = (i * 37 + i / 7) % 512;
    ASSERT_EQ(turned.Look(page, i * 300), built.Look(page, i * 300)) << i;
  }
  for (const char* name : {"walks", "l2_hits", "l2_evictions", "l2_merged", "wc_hits", "table_reads", "invalidations"})
    EXPECT_EQ(turned.Count(name), built.Count(name)) << name;
  const auto sweep = [](Tlbs& tlbs) {
    const uint64_t before = tlbs.Count("invalidation_cycles");
    tlbs.mmu().Invalidate(regs::Scope::kGlobal, 0, 0, 0);
    return tlbs.Count("invalidation_cycles") - before;
  };
  EXPECT_EQ(sweep(turned), sweep(built));
}

TEST(TlbTiming, SizesThatAreNotPossibleChangeNoneAndAResetPutsAllToUse) {
  Tlbs tlbs;
  const TlbSizes built = Config().gpu.tlb_sizes();
  TlbSizes wanted = built;
  wanted.walks = 3;
  EXPECT_EQ(tlbs.Turn(wanted), wanted.Register().raw);
  static_cast<void>(tlbs.Look(0, 0));
  TlbSizes wrong = built;
  wrong.walk_cache = 3;
  EXPECT_EQ(tlbs.Turn(wrong), wanted.Register().raw);
  static_cast<void>(tlbs.Look(0, 1'000'000));
  EXPECT_EQ(tlbs.Count("walks"), 2u);  // the refused change has still dropped all entries
  EXPECT_EQ(tlbs.Turn({}), built.Register().raw);
  static_cast<void>(tlbs.Turn(wanted));
  tlbs.mmu().Reset();
  EXPECT_EQ(tlbs.mmu().sizes(), built);
}

}  // namespace
}  // namespace gmmu::sim::twin
