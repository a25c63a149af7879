// SPDX-License-Identifier: Apache-2.0
// Tests the effects of invalidations, observed as the number of memory reads that an access needs.
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint16_t kSid = VtdBench::kSid, kDid = VtdBench::kDid;
constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(VtdInvalidation, OfAPageDropsThatPageOfThatDomainOnly) {
  StartedVtd bench;
  for (const uint64_t page : {1, 2, 3}) bench.Map(page << 12, page << 20);
  for (const uint64_t page : {1, 2, 3}) bench.Access(page << 12);
  bench.Submit(VtdBench::IotlbPage(kDid + 1), VtdBench::Pages(0x2000, 0));
  EXPECT_EQ(bench.Cost(0x2000), 0u);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x2000, 0, true));
  EXPECT_EQ(bench.Cost(0x1000), 0u);
  EXPECT_EQ(bench.Cost(0x3000), 0u);
  EXPECT_EQ(bench.Cost(0x2000), 1u);  // IH: the cached table pointers are kept
}

TEST(VtdInvalidation, MasksTheLowBitsOfTheAddress) {
  StartedVtd bench;
  for (uint64_t page = 0; page < 12; ++page) {
    bench.Map(page << 12, page << 20);
    bench.Access(page << 12);
  }
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x6000, 2, true));  // covers pages 4 to 7 instead of 6 to 9
  for (uint64_t page = 0; page < 12; ++page) EXPECT_EQ(bench.Cost(page << 12), page >= 4 && page < 8 ? 1u : 0u) << page;
}

TEST(VtdInvalidation, DropsTablesOnTheWayUnlessOnlyLeavesChanged) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Map(0x200000, 0x3000);
  bench.Access(0x1000);
  bench.Access(0x200000);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x1000, 0, false));
  EXPECT_EQ(bench.Cost(0x1000), 4u);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x1000, 0, true));
  EXPECT_EQ(bench.Cost(0x1000), 1u);
}

TEST(VtdInvalidation, KeepsTablesThatCoverOtherAddresses) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Map(0x200000, 0x3000);
  bench.Map(0x201000, 0x4000);
  bench.Access(0x1000);
  bench.Access(0x200000);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x1000, 0, false));
  EXPECT_EQ(bench.Cost(0x201000), 1u);  // the pointer to another level-1 table is kept
}

TEST(VtdInvalidation, NeedsAMaskOfNineForATwoMebibytePageAndEighteenForAGibibyte) {
  for (const unsigned level : {2u, 3u}) {
    const unsigned needed = 9 * (level - 1);
    const uint64_t page = level == 2 ? 0x200000 : kGiB;
    for (unsigned mask = 0; mask <= 18; ++mask) {
      StartedVtd bench;
      bench.Map(page, 0, level);
      bench.Access(page);
      bench.Map(page, 4 * kGiB, level);
      bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(page + 0x5000, mask));
      EXPECT_EQ(bench.Access(page).hpa, mask >= needed ? 4 * kGiB : 0) << level << " " << mask;
    }
  }
}

TEST(VtdInvalidation, DropsALargePageAtAnyOverlapWhenBuiltSo) {
  VtdParameters p;
  p.keep_larger_pages = false;
  StartedVtd bench(p);
  bench.Map(0x200000, 0, 2);
  bench.Access(0x200000);
  bench.Map(0x200000, kGiB, 2);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x3FF000, 0));
  EXPECT_EQ(bench.Access(0x200000).hpa, kGiB);
}

TEST(VtdInvalidation, ServesALargePageThatTookTheSmallOnesPlace) {
  StartedVtd bench;
  bench.Map(0x200000, 0x5000);
  bench.Map(0x201000, 0x9000);
  bench.Access(0x200000);
  bench.Access(0x201000);
  bench.Map(0x200000, kGiB, 2);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x200000, 9));
  EXPECT_EQ(bench.Access(0x200000).hpa, kGiB);
  EXPECT_EQ(bench.Access(0x201000).hpa, kGiB + 0x1000);
}

TEST(VtdInvalidation, OfContextsByDeviceMatchesDomainAndMaskedFunction) {
  const auto cost = [](unsigned function_mask, uint16_t did, uint16_t sid, uint16_t probe) {
    StartedVtd bench;
    bench.Map(0x1000, 0x2000);
    for (uint16_t function = 0; function < 8; ++function) {
      bench.SetContext(static_cast<uint16_t>(0x100 + function), kDid, bench.top, 4);
      bench.Access(0x1000, false, static_cast<uint16_t>(0x100 + function));
    }
    bench.Submit(VtdBench::ContextDevice(did, sid, function_mask));
    return bench.Cost(0x1000, false, probe);
  };
  EXPECT_EQ(cost(0, kDid, 0x100, 0x100), 2u);
  EXPECT_EQ(cost(0, kDid, 0x100, 0x101), 0u);
  EXPECT_EQ(cost(0, kDid + 1, 0x100, 0x100), 0u);  // the entry has another DID, so it is kept
  EXPECT_EQ(cost(1, kDid, 0x100, 0x104), 2u);
  EXPECT_EQ(cost(1, kDid, 0x100, 0x102), 0u);
  EXPECT_EQ(cost(2, kDid, 0x100, 0x106), 2u);
  EXPECT_EQ(cost(2, kDid, 0x100, 0x101), 0u);
  EXPECT_EQ(cost(3, kDid, 0x100, 0x107), 2u);
  EXPECT_EQ(cost(3, kDid, 0x108, 0x107), 0u);
}

TEST(VtdInvalidation, OfContextsByDomainAndAllOfThem) {
  StartedVtd bench;
  const uint64_t other = bench.NewTable();
  bench.SetContext(0x200, 6, other, 4);
  bench.Map(0x1000, 0x2000);
  bench.Entry(other, 4, 0x1000, 1) = 0x9000 | kRw;
  const auto warm = [&] {
    bench.Access(0x1000, false, kSid);
    bench.Access(0x1000, false, 0x200);
  };
  warm();
  bench.Submit(VtdBench::ContextDomain(6));
  EXPECT_EQ(bench.Cost(0x1000, false, kSid), 0u);
  EXPECT_EQ(bench.Cost(0x1000, false, 0x200), 2u);
  bench.Submit(VtdBench::ContextGlobal());
  EXPECT_EQ(bench.Cost(0x1000, false, kSid), 2u);
  EXPECT_EQ(bench.Cost(0x1000, false, 0x200), 2u);
}

TEST(VtdInvalidation, OfContextsLeavesTheDomainsTranslations) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Access(0x1000);
  bench.Map(0x1000, 0x7000);
  bench.Submit(VtdBench::ContextGlobal());
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);  // legal until the IOTLB is also invalidated
  bench.Submit(VtdBench::IotlbGlobal());
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x7000u);
}

TEST(VtdInvalidation, UsesTheDomainOfTheTimeOfFilling) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Access(0x1000);
  bench.SetContext(kSid, 9, bench.top, 4);
  bench.Map(0x1000, 0x7000);
  bench.Submit(VtdBench::ContextDevice(9, kSid));  // the context entry has the old DID, so the new DID matches nothing
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);
  bench.Submit(VtdBench::ContextDevice(kDid, kSid));
  bench.Submit(VtdBench::IotlbDomain(kDid));
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x7000u);
}

TEST(VtdInvalidation, KeepsAWalkThatItOvertookFromFillingAnyCache) {
  for (unsigned steps = 0; steps < 6; ++steps) {
    StartedVtd bench;
    bench.Map(0x1000, 0x2000);
    VtdWalk walk = bench.core.Lookup({kSid, 0x1000, false, VtdAddressType::kUntranslated});
    for (unsigned i = 0; i < steps; ++i) bench.Step(walk);
    bench.Submit(VtdBench::ContextGlobal());
    bench.Submit(VtdBench::IotlbGlobal());
    while (!walk.done()) bench.Step(walk);
    bench.core.Finish(walk);
    EXPECT_GT(bench.Count("fills_refused"), 0u) << steps;
    EXPECT_EQ(bench.Cost(0x1000), 6u) << steps;
  }
}

TEST(VtdInvalidation, LetsARestartedWalkSeeTheNewTablesAndFillAgain) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  VtdWalk walk = bench.core.Lookup({kSid, 0x1000, false, VtdAddressType::kUntranslated});
  for (int i = 0; i < 5; ++i) bench.Step(walk);
  const uint64_t table = bench.NewTable();
  bench.Entry(bench.top, 4, 0x1000, 2) = table | kRw;
  bench.Map(0x1000, 0x7000);
  bench.Submit(VtdBench::IotlbGlobal());
  bench.core.Restart(walk);
  while (!walk.done()) bench.Step(walk);
  EXPECT_EQ(walk.result().hpa, 0x7000u);
  bench.core.Finish(walk);
  EXPECT_EQ(bench.Cost(0x1000), 0u);
}

TEST(VtdInvalidation, LetsARestartedWalkHitWhatAnotherWalkBrought) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  VtdWalk first = bench.core.Lookup({kSid, 0x1000, false, VtdAddressType::kUntranslated});
  VtdWalk second = bench.core.Lookup({kSid, 0x1008, false, VtdAddressType::kUntranslated});
  while (!first.done()) bench.Step(first);
  bench.core.Restart(second);
  ASSERT_TRUE(second.done());
  EXPECT_EQ(second.result().hpa, 0x2008u);
  EXPECT_EQ(second.reads(), 0u);
  bench.core.Finish(first);
  bench.core.Finish(second);
  // A request counts as one miss, however often it is retried. The first request walked the tables; the second request
  // waited for the first one's walk.
  EXPECT_EQ(bench.Count("requests"), 2u);
  EXPECT_EQ(bench.Count("missed"), 2u);
  EXPECT_EQ(bench.Count("walks"), 1u);
  EXPECT_EQ(bench.Count("waited"), 1u);
  EXPECT_EQ(bench.Count("context_misses"), 2u);
  EXPECT_EQ(bench.Count("context_hits"), 0u);
  EXPECT_EQ(bench.Count("iotlb_misses"), 1u) << "the first, behind its context entry";
  EXPECT_EQ(bench.Count("iotlb_hits"), 1u);
}

TEST(VtdInvalidation, AHitThatInTimeJoinedAWalkCountsAsAMissThatWaited) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  for (int i = 0; i < 3; ++i) static_cast<void>(bench.Access(0x1000));
  const char* const names[] = {"iotlb_hits", "iotlb_misses", "table_cache_misses", "missed", "waited", "requests"};
  const int64_t grown[] = {-1, 1, 1, 1, 1, 0};
  std::vector<uint64_t> before;
  for (const char* name : names) before.push_back(bench.Count(name));
  bench.core.CountJoined(false);
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(static_cast<int64_t>(bench.Count(names[i])) - static_cast<int64_t>(before[i]), grown[i]) << names[i];
}

TEST(VtdInvalidation, ByRegistersWorksWhileTheQueueIsOff) {
  StartedVtd bench;
  bench.CommandOff(vtd::kQie);
  bench.Map(0x1000, 0x2000);
  bench.Access(0x1000);
  bench.Map(0x1000, 0x7000);

  bench.Put(vtd::kCcmd, 8, uint64_t{1} << 63 | uint64_t{1} << 61);
  EXPECT_EQ(vtd::Bits(bench.Get(vtd::kCcmd, 8), 63, 59), 0b00101u);  // ICC 0, CIRG 1, CAIG 1
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);

  bench.Put(0xF0, 8, 0x1000);
  bench.Put(0xF8, 4, 0);
  bench.Put(0xFC, 4, 1u << 31 | 3u << 28 | kDid);
  EXPECT_EQ(vtd::Bits(bench.Get(0xF8, 8), 63, 57), 0b0011011u);  // IVT 0, IIRG 3, IAIG 3
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x7000u);
}

TEST(VtdInvalidation, ByRegistersRefusesGrainsAndMasksThatItDoesNotHave) {
  StartedVtd bench;
  bench.CommandOff(vtd::kQie);
  bench.Put(vtd::kCcmd, 8, uint64_t{1} << 63);
  EXPECT_EQ(vtd::Bits(bench.Get(vtd::kCcmd, 8), 63, 59), 0u);
  bench.Put(0xF0, 8, 0x1000 | 19);  // above MAMV
  bench.Put(0xF8, 8, uint64_t{1} << 63 | uint64_t{3} << 60 | uint64_t{kDid} << 32);
  EXPECT_EQ(vtd::Bits(bench.Get(0xF8, 8), 58, 57), 0u);
  EXPECT_EQ(vtd::Bits(bench.Get(0xF8, 8), 63, 63), 0u);
  EXPECT_EQ(bench.Count("iotlb_invalidations") + bench.Count("context_invalidations"), 0u);
}

TEST(VtdInvalidation, ByRegistersIsIgnoredWhileTheQueueIsOn) {
  StartedVtd bench;
  bench.Put(vtd::kCcmd, 8, uint64_t{1} << 63 | uint64_t{1} << 61);
  EXPECT_EQ(bench.Get(vtd::kCcmd, 8) >> 63, 1u);  // the invalidation never completes
  EXPECT_EQ(bench.Count("context_invalidations"), 0u);
}

}  // namespace
}  // namespace gmmu::sim
