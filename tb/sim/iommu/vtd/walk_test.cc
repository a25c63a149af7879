// SPDX-License-Identifier: Apache-2.0
// Tests translation results and fault reasons without the effects of caches: each case starts its own
// unit.
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kIova = 0x123456789000, kHpa = 0x7654321000;

TEST(VtdWalk, PassesEverythingUntilTranslationIsOn) {
  VtdBench bench;
  const VtdResult result = bench.Access(0xABCDEF123, true);
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.translated);
  EXPECT_EQ(result.hpa, 0xABCDEF123u);
}

TEST(VtdWalk, TranslatesWithThreeLevels) {
  VtdBench bench;
  bench.Start(3);
  bench.Map(0x7FABCDE000, kHpa);
  EXPECT_EQ(bench.Access(0x7FABCDE123).hpa, kHpa + 0x123);
}

TEST(VtdWalk, TranslatesWithFourLevels) {
  VtdBench bench;
  bench.Start(4);
  bench.Map(kIova, kHpa);
  const VtdResult result = bench.Access(kIova + 0xABC, true);
  EXPECT_TRUE(result.translated);
  EXPECT_EQ(result.hpa, kHpa + 0xABC);
  EXPECT_EQ(bench.memory.reads, 2 + 2 + 4u);
}

TEST(VtdWalk, TranslatesWithFiveLevelsWhenOffered) {
  VtdParameters p;
  p.sagaw = 0xE;
  p.mgaw = 57;
  VtdBench bench(p);
  bench.Start(5);
  bench.Map(0x123456789ABC000, kHpa);
  EXPECT_EQ(bench.Access(0x123456789ABC010).hpa, kHpa + 0x10);
}

TEST(VtdWalk, TranslatesLargePages) {
  StartedVtd bench;
  bench.Map(0x40000000, 0x80000000, 3);
  bench.Map(0x200000, 0xC0200000, 2);
  EXPECT_EQ(bench.Access(0x40000000 + 0x3FFFFFFF).hpa, 0x80000000u + 0x3FFFFFFF);
  EXPECT_EQ(bench.Access(0x200000 + 0x1FFFFF).hpa, 0xC0200000u + 0x1FFFFF);
}

TEST(VtdWalk, AndsPermissionsOverAllLevels) {
  for (const unsigned leaf_level : {1u, 2u, 3u}) {
    for (unsigned weak = leaf_level; weak <= 4; ++weak) {
      for (const uint64_t bits : {uint64_t{0}, kR, kW, kRw}) {
        StartedVtd bench;
        bench.Map(0x40000000, 0x80000000, leaf_level);
        uint64_t& entry = bench.Entry(bench.top, 4, 0x40000000, weak);
        entry = (entry & ~kRw) | bits;
        EXPECT_EQ(ReasonOf(bench, 0x40000000, false), (bits & kR) ? VtdReason::kNone : VtdReason::kNoRead)
            << "leaf " << leaf_level << " weak " << weak << " bits " << bits;
        EXPECT_EQ(ReasonOf(bench, 0x40000000, true), (bits & kW) ? VtdReason::kNone : VtdReason::kNoWrite)
            << "leaf " << leaf_level << " weak " << weak << " bits " << bits;
      }
    }
  }
}

TEST(VtdWalk, BlocksBothWhenOneLevelLacksReadAndAnotherWrite) {
  StartedVtd bench;
  bench.Map(kIova, kHpa, 1, kR);
  uint64_t& upper = bench.Entry(bench.top, 4, kIova, 3);
  upper = (upper & ~kRw) | kW;
  EXPECT_EQ(ReasonOf(bench, kIova, false), VtdReason::kNoRead);
  EXPECT_EQ(ReasonOf(bench, kIova, true), VtdReason::kNoWrite);
}

TEST(VtdWalk, LooksAtReservedBitsOfPresentEntriesOnlyAndAfterThePermission) {
  StartedVtd bench;
  bench.Map(kIova, kHpa, 1, uint64_t{1} << 50);  // a reserved bit is set, but the entry is not present
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kNoRead);
  bench.Map(kIova, kHpa, 1, kR | uint64_t{1} << 50);
  EXPECT_EQ(ReasonOf(bench, kIova, true), VtdReason::kNoWrite);
  EXPECT_EQ(ReasonOf(bench, kIova, false), VtdReason::kEntryReserved);
}

TEST(VtdWalk, TreatsAPageSizeThatIsNotOfferedAsReserved) {
  VtdParameters p;
  p.pages_1g = false;
  StartedVtd bench(p);
  bench.Map(0x40000000, 0x80000000, 3);
  bench.Map(0x200000, 0x200000, 2);
  EXPECT_EQ(ReasonOf(bench, 0x40000000), VtdReason::kEntryReserved);
  EXPECT_EQ(ReasonOf(bench, 0x200000), VtdReason::kNone);
}

TEST(VtdWalk, ReservesAddressBitsAboveItsOwnWidth) {
  VtdParameters p;
  p.haw = 39;
  StartedVtd bench(p);
  bench.Map(kIova, uint64_t{1} << 39);
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kEntryReserved);
  bench.Map(kIova, uint64_t{1} << 38);
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kNone);
}

TEST(VtdWalk, ReturnsTheSnoopBitWhenItIsOffered) {
  VtdParameters p;
  p.snoop_control = true;
  StartedVtd bench(p);
  bench.Map(0x1000, kHpa, 1, kRw | vtd::kEntrySnoop);
  bench.Map(0x2000, kHpa, 1, kRw);
  EXPECT_TRUE(bench.Access(0x1000).snoop);
  EXPECT_TRUE(bench.Access(0x1000).snoop);  // from the IOTLB
  EXPECT_FALSE(bench.Access(0x2000).snoop);
  uint64_t& upper = bench.Entry(bench.top, 4, 0x1000, 2);
  upper |= vtd::kEntrySnoop;  // still reserved in a non-leaf entry
  EXPECT_EQ(bench.Peek(0x1000).reason, VtdReason::kEntryReserved);
}

TEST(VtdWalk, TakesWritesToTheInterruptWindowAsMessagesEvenWhenMapped) {
  StartedVtd bench;
  bench.Map(0xFEE01000, kHpa);
  const VtdResult write = bench.Access(0xFEE01004, true);
  EXPECT_EQ(write.outcome, RemapOutcome::kInterrupt);
  EXPECT_EQ(write.hpa, 0xFEE01004u);
  const VtdResult read = bench.Access(0xFEE01004, false);
  EXPECT_EQ(read.outcome, RemapOutcome::kBlocked);
  EXPECT_EQ(read.reason, VtdReason::kNone);
  EXPECT_EQ(bench.Fsts(), 0u);  // the fault is not recorded
}

TEST(VtdWalk, PassesThroughContextEntriesOfTypeTwo) {
  StartedVtd bench;
  bench.SetContext(VtdBench::kSid, 5, 0, 4, 2);
  const VtdResult result = bench.Access(0xFFFF12345678, true);
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.translated);
  EXPECT_EQ(result.hpa, 0xFFFF12345678u);
}

TEST(VtdWalk, DemandsTheLargestWidthOfPassThroughEntries) {
  StartedVtd bench;
  bench.SetContext(VtdBench::kSid, 5, 0, 3, 2);
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextInvalid);
}

TEST(VtdWalk, SelectsTheContextEntryByBusDeviceAndFunction) {
  StartedVtd bench;
  const uint64_t other = bench.NewTable();
  bench.SetContext(0x0208, 6, other, 4);  // 02:01.0
  bench.Map(kIova, kHpa);
  bench.Entry(other, 4, kIova, 1) = 0x9000 | kRw;
  EXPECT_EQ(bench.Access(kIova, false, 0x0100).hpa, kHpa);
  EXPECT_EQ(bench.Access(kIova, false, 0x0208).hpa, 0x9000u);
  EXPECT_EQ(bench.Access(kIova, false, 0x0101).reason, VtdReason::kContextNotPresent);
  EXPECT_EQ(bench.Access(kIova, false, 0x0300).reason, VtdReason::kRootNotPresent);
}

TEST(VtdWalk, AsksForOneReadAtATime) {
  StartedVtd bench;
  bench.Map(kIova, kHpa);
  VtdWalk walk = bench.core.Lookup({VtdBench::kSid, kIova, false, VtdAddressType::kUntranslated});
  ASSERT_FALSE(walk.done());
  EXPECT_EQ(walk.read().address, VtdBench::kRoot + 16);
  EXPECT_EQ(walk.read().bytes, 16u);
  bench.Step(walk);
  EXPECT_EQ(walk.read().bytes, 16u);
  bench.Step(walk);
  for (unsigned level = 4; level >= 1; --level) {
    ASSERT_FALSE(walk.done());
    EXPECT_EQ(walk.read().bytes, 8u);
    EXPECT_EQ(walk.read().address, bench.EntryAt(bench.top, 4, kIova, level));
    bench.Step(walk);
  }
  ASSERT_TRUE(walk.done());
  EXPECT_EQ(walk.result().hpa, kHpa);
  EXPECT_EQ(walk.reads(), 6u);
  EXPECT_EQ(bench.core.in_flight(), 1u);
  bench.core.Finish(walk);
  EXPECT_EQ(bench.core.in_flight(), 0u);
}

TEST(VtdWalk, ReadsTheEntriesOfTheWorkedExampleInItsPage) {
  StartedVtd bench;
  bench.Map(0x123456789000, 0x7654321000);
  bench.Map(0x12345678A000, 0x7654322000);
  VtdWalk walk = bench.core.Lookup({0x0100, 0x123456789ABC, false, VtdAddressType::kUntranslated});
  for (const uint64_t address : {0x10010, 0x102000, 0x101120, 0x103688, 0x104598, 0x105C48}) {
    ASSERT_FALSE(walk.done());
    EXPECT_EQ(walk.read().address, address);
    bench.Step(walk);
  }
  ASSERT_TRUE(walk.done());
  EXPECT_EQ(walk.result().hpa, 0x7654321ABCu);
  bench.core.Finish(walk);
  EXPECT_EQ(bench.Cost(0x123456789000), 0u);
  EXPECT_EQ(bench.Cost(0x12345678A000), 1u);
}

TEST(VtdWalk, PeeksWithoutATrace) {
  StartedVtd bench;
  bench.Map(kIova, kHpa);
  EXPECT_EQ(bench.Peek(kIova).hpa, kHpa);
  EXPECT_EQ(bench.Peek(kIova + 0x1000).reason, VtdReason::kNoRead);
  EXPECT_EQ(bench.Count("requests"), 0u);
  EXPECT_EQ(bench.Count("faults"), 0u);
  EXPECT_EQ(bench.Fsts(), 0u);
  EXPECT_EQ(bench.Cost(kIova), 6u);  // nothing was cached
}

}  // namespace
}  // namespace gmmu::sim
