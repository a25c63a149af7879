// SPDX-License-Identifier: Apache-2.0
// Tests the contents of the VT-d unit's caches, observed as the number of memory reads that an access needs.
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint16_t kSid = VtdBench::kSid, kDid = VtdBench::kDid;
constexpr uint64_t kGiB = uint64_t{1} << 30;

VtdParameters CachingMode() {
  VtdParameters p;
  p.caching_mode = true;
  return p;
}

TEST(VtdCaches, ServeARepeatedAccessWithoutAnyRead) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  EXPECT_EQ(bench.Cost(0x1000), 6u);
  EXPECT_EQ(bench.Cost(0x1FF8), 0u);
  EXPECT_EQ(bench.Cost(0x1000, true), 0u);  // permissions are cached with the translation
  EXPECT_EQ(bench.Count("iotlb_hits"), 2u);
}

TEST(VtdCaches, StartANeighbourPageAtTheLowestTable) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Map(0x2000, 0x3000);
  bench.Map(0x200000, 0x4000);
  bench.Map(kGiB, 0x5000);
  bench.Access(0x1000);
  EXPECT_EQ(bench.Cost(0x2000), 1u);
  EXPECT_EQ(bench.Cost(0x200000), 2u);
  EXPECT_EQ(bench.Cost(kGiB), 3u);
}

TEST(VtdCaches, DoWithoutAnyWhenBuiltWithNone) {
  VtdParameters p;
  p.context_entries = p.iotlb_ways = p.psc_entries = 0;
  StartedVtd bench(p);
  bench.Map(0x1000, 0x2000);
  EXPECT_EQ(bench.Cost(0x1000), 6u);
  EXPECT_EQ(bench.Cost(0x1000), 6u);
}

TEST(VtdCaches, CoverAWholeLargePageWithOneEntry) {
  StartedVtd bench;
  bench.Map(0x40000000, 0x80000000, 3);
  bench.Map(0x200000, 0x600000, 2);
  bench.Access(0x40000000);
  bench.Access(0x200000);
  EXPECT_EQ(bench.Cost(0x7FFFF000), 0u);
  EXPECT_EQ(bench.Cost(0x3FF000), 0u);
}

TEST(VtdCaches, ReplaceTheLeastRecentlyUsedWay) {
  VtdParameters p;
  p.iotlb_sets = 1;
  p.iotlb_ways = 2;
  p.psc_entries = 0;
  StartedVtd bench(p);
  for (uint64_t page = 1; page <= 3; ++page) bench.Map(page << 12, page << 20);
  bench.Access(0x1000);
  bench.Access(0x2000);
  bench.Access(0x1000);
  bench.Access(0x3000);  // evicts page 2
  EXPECT_EQ(bench.Cost(0x1000), 0u);
  EXPECT_EQ(bench.Cost(0x3000), 0u);
  EXPECT_EQ(bench.Cost(0x2000), 4u);
}

TEST(VtdCaches, ReplaceTheLeastRecentlyUsedContext) {
  VtdParameters p;
  p.context_entries = 2;
  StartedVtd bench(p);
  bench.Map(0x1000, 0x2000);
  for (const uint16_t sid : {0x101, 0x102}) bench.SetContext(sid, kDid, bench.top, 4);
  bench.Access(0x1000, false, 0x100);
  EXPECT_EQ(bench.Cost(0x1000, false, 0x101),
            2u);  // reads the root and context entries; the translation is in the IOTLB
  bench.Access(0x1000, false, 0x100);
  bench.Access(0x1000, false, 0x102);
  EXPECT_EQ(bench.Cost(0x1000, false, 0x100), 0u);
  EXPECT_EQ(bench.Cost(0x1000, false, 0x101), 2u);
}

TEST(VtdCaches, KeepDomainsApart) {
  StartedVtd bench;
  const uint64_t other = bench.NewTable();
  bench.SetContext(0x200, 6, other, 4);
  bench.Map(0x1000, 0x2000);
  bench.Entry(other, 4, 0x1000, 1) = 0x9000 | kRw;
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(bench.Access(0x1000, false, kSid).hpa, 0x2000u);
    EXPECT_EQ(bench.Access(0x1000, false, 0x200).hpa, 0x9000u);
  }
  bench.Submit(VtdBench::IotlbDomain(6));
  EXPECT_EQ(bench.Cost(0x1000, false, kSid), 0u);
  EXPECT_EQ(bench.Cost(0x1000, false, 0x200), 4u);
}

TEST(VtdCaches, FaultOnAHitWhosePermissionIsTooSmallAndRecordIt) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000, 1, kR);
  bench.Access(0x1000);
  EXPECT_EQ(bench.Cost(0x1000, true), 0u);
  EXPECT_EQ(bench.Access(0x1000, true).reason, VtdReason::kNoWrite);
  EXPECT_EQ(bench.Count("faults_recorded"), 2u);
}

TEST(VtdCaches, KeepThePermissionsOfUpperLevelsWithATable) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Map(0x2000, 0x3000);
  uint64_t& upper = bench.Entry(bench.top, 4, 0x1000, 3);
  upper &= ~kW;
  bench.Access(0x1000);
  EXPECT_EQ(bench.Access(0x2000, true).reason, VtdReason::kNoWrite);  // cached pointer: R only
  EXPECT_EQ(bench.Access(0x2000, false).hpa, 0x3000u);
  EXPECT_EQ(bench.Access(0x2000, true).reason, VtdReason::kNoWrite);  // from the IOTLB
}

TEST(VtdCaches, KeepNothingThatFaultedWithoutCachingMode) {
  StartedVtd bench;
  EXPECT_EQ(bench.Access(0x1000).reason, VtdReason::kNoRead);
  bench.Map(0x1000, 0x2000);
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);  // without an invalidation
  const uint64_t other = bench.NewTable();
  EXPECT_EQ(bench.Access(0x1000, false, 0x108).reason, VtdReason::kContextNotPresent);
  bench.SetContext(0x108, 7, other, 4);
  EXPECT_EQ(bench.Access(0x1000, false, 0x108).reason, VtdReason::kNoRead);
}

TEST(VtdCaches, KeepNotPresentPagesWithCachingMode) {
  VtdBench bench(CachingMode());
  bench.Start();
  EXPECT_EQ(bench.Access(0x1000).reason, VtdReason::kNoRead);
  EXPECT_EQ(bench.Access(0x1000, true).reason, VtdReason::kNoWrite);
  bench.Map(0x1000, 0x2000);
  EXPECT_EQ(bench.Access(0x1000).reason, VtdReason::kNoRead);  // stale, but legal
  EXPECT_EQ(bench.Access(0x1000, true).reason, VtdReason::kNoWrite);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x1000, 0));
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);
  EXPECT_EQ(bench.Access(0x1000, true).hpa, 0x2000u);
}

TEST(VtdCaches, KeepErroneousPagesWithCachingMode) {
  VtdBench bench(CachingMode());
  bench.Start();
  bench.Map(0x1000, 0x2000, 1, kRw | uint64_t{1} << 50);
  EXPECT_EQ(bench.Access(0x1000).reason, VtdReason::kEntryReserved);
  bench.Map(0x1000, 0x2000);
  EXPECT_EQ(bench.Access(0x1000).reason, VtdReason::kEntryReserved);
  bench.Submit(VtdBench::IotlbDomain(kDid));
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);
}

TEST(VtdCaches, TagNotPresentContextsWithDomainZeroInCachingMode) {
  VtdBench bench(CachingMode());
  bench.Start();
  EXPECT_EQ(bench.Access(0x1000, false, 0x108).reason, VtdReason::kContextNotPresent);
  const uint64_t other = bench.NewTable();
  bench.Entry(other, 4, 0x1000, 1) = 0x9000 | kRw;
  bench.SetContext(0x108, 7, other, 4);
  EXPECT_EQ(bench.Access(0x1000, false, 0x108).reason,
            VtdReason::kContextNotPresent);  // stale, but legal
  bench.Submit(VtdBench::ContextDevice(7, 0x108));
  EXPECT_EQ(bench.Access(0x1000, false, 0x108).reason,
            VtdReason::kContextNotPresent);  // wrong domain
  bench.Submit(VtdBench::ContextDevice(0, 0x108));
  EXPECT_EQ(bench.Access(0x1000, false, 0x108).hpa, 0x9000u);
}

TEST(VtdCaches, UseAStaleTranslationUntilItIsInvalidated) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Access(0x1000);
  bench.Map(0x1000, 0x7000);
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);
  bench.Submit(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x1000, 0));
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x7000u);
}

}  // namespace
}  // namespace gmmu::sim
