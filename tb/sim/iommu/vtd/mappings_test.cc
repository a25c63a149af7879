// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

void Expect(const RemapMapping& mapping, uint64_t iova, uint64_t hpa, uint64_t bytes, bool read, bool write) {
  EXPECT_EQ(mapping.logical, iova);
  EXPECT_EQ(mapping.hpa, hpa);
  EXPECT_EQ(mapping.bytes, bytes);
  EXPECT_EQ(mapping.read, read);
  EXPECT_EQ(mapping.write, write);
}

TEST(VtdMappings, MergeNeighboursThatContinueEachOther) {
  StartedVtd bench;
  bench.Map(0x1000, 0x10000);
  bench.Map(0x2000, 0x11000);
  bench.Map(0x3000, 0x12000, 1, kR);  // other permission
  bench.Map(0x4000, 0x14000, 1, kR);  // a gap in the host addresses
  bench.Map(0x6000, 0x15000, 1, kR);  // a gap in the device's addresses
  const auto devices = bench.core.MappingsOf(bench.memory, bench.core.root());
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].requester, VtdBench::kSid);
  EXPECT_EQ(devices[0].domain, VtdBench::kDid);
  EXPECT_EQ(devices[0].address_bits, 48u);
  ASSERT_EQ(devices[0].mappings.size(), 4u);
  Expect(devices[0].mappings[0], 0x1000, 0x10000, 0x2000, true, true);
  Expect(devices[0].mappings[1], 0x3000, 0x12000, 0x1000, true, false);
  Expect(devices[0].mappings[2], 0x4000, 0x14000, 0x1000, true, false);
  Expect(devices[0].mappings[3], 0x6000, 0x15000, 0x1000, true, false);
}

TEST(VtdMappings, ListLargePagesAndMergeAcrossSizes) {
  VtdBench bench;
  bench.Start(3);
  bench.Map(kGiB, 8 * kGiB, 3);
  bench.Map(2 * kGiB, 9 * kGiB, 2);
  bench.Map(2 * kGiB + 0x200000, 9 * kGiB + 0x200000);
  const auto devices = bench.core.MappingsOf(bench.memory, VtdBench::kRoot);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].address_bits, 39u);
  ASSERT_EQ(devices[0].mappings.size(), 1u);
  Expect(devices[0].mappings[0], kGiB, 8 * kGiB, kGiB + 0x201000, true, true);
}

TEST(VtdMappings, ListEveryDeviceOfADomain) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.SetContext(0x0200, VtdBench::kDid, bench.top, 4);
  bench.SetContext(0x0210, 9, 0, 4, 2);
  bench.SetContext(0x02F8, 9, bench.top | 0x10, 4);  // has a reserved bit set, so it maps nothing
  const auto devices = bench.core.MappingsOf(bench.memory, VtdBench::kRoot);
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[1].requester, 0x0200);
  EXPECT_EQ(devices[1].mappings.size(), 1u);
  EXPECT_EQ(devices[2].requester, 0x0210);
  EXPECT_TRUE(devices[2].pass_through);
}

TEST(VtdMappings, LeaveOutWhatFaults) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000, 1, kRw | uint64_t{1} << 50);  // reserved bit
  bench.Map(0x2000, 0xFEE01000);                          // host address in the interrupt window
  bench.Map(0xFEE05000, 0x5000);                          // device address in the interrupt window
  bench.Map(0x40000000, 0x123000, 1, kW);
  uint64_t& upper = bench.Entry(bench.top, 4, 0x40000000, 3);
  upper = (upper & ~kRw) | kR;  // read-only above a write-only leaf: no permission is left
  bench.Map(uint64_t{1} << 40, 0x7000);
  bench.memory.unreadable.insert(bench.EntryAt(bench.top, 4, uint64_t{1} << 40, 1) >> 12);
  const auto devices = bench.core.MappingsOf(bench.memory, VtdBench::kRoot);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_TRUE(devices[0].mappings.empty());
}

TEST(VtdMappings, AndPermissionsOverAllLevels) {
  for (const uint64_t upper : {kR, kW}) {
    StartedVtd bench;
    bench.Map(0x1000, 0x9000);
    uint64_t& entry = bench.Entry(bench.top, 4, 0x1000, 4);
    entry = (entry & ~kRw) | upper;
    const auto devices = bench.core.MappingsOf(bench.memory, VtdBench::kRoot);
    ASSERT_EQ(devices.at(0).mappings.size(), 1u);
    Expect(devices[0].mappings[0], 0x1000, 0x9000, 0x1000, upper == kR, upper == kW);
  }
}

TEST(VtdMappings, CutTheInterruptWindowOutOfLargePages) {
  StartedVtd bench;
  bench.Map(3 * kGiB, 3 * kGiB, 3);  // identity mapping
  bench.Map(8 * kGiB, 3 * kGiB, 3);  // the same host address at another device address
  const auto devices = bench.core.MappingsOf(bench.memory, VtdBench::kRoot);
  ASSERT_EQ(devices.size(), 1u);
  const auto& mappings = devices[0].mappings;
  ASSERT_EQ(mappings.size(), 4u);
  Expect(mappings[0], 3 * kGiB, 3 * kGiB, 0x3EE00000, true, true);
  Expect(mappings[1], 0xFEF00000, 0xFEF00000, 0x1100000, true, true);
  Expect(mappings[2], 8 * kGiB, 3 * kGiB, 0x3EE00000, true, true);
  Expect(mappings[3], 8 * kGiB + 0x3EF00000, 0xFEF00000, 0x1100000, true, true);
}

TEST(VtdMappings, AgreeWithPeekAtEveryEdge) {
  StartedVtd bench;
  bench.Map(3 * kGiB, 3 * kGiB, 3);
  bench.Map(0x200000, 0x600000, 2, kR);
  bench.Map(0x5000, 0x9000, 1, kW);
  const auto devices = bench.core.MappingsOf(bench.memory, VtdBench::kRoot);
  for (const RemapMapping& mapping : devices.at(0).mappings) {
    for (const uint64_t offset : {uint64_t{0}, mapping.bytes - 8}) {
      const VtdResult read = bench.Peek(mapping.logical + offset, false);
      const VtdResult write = bench.Peek(mapping.logical + offset, true);
      EXPECT_EQ(read.ok(), mapping.read);
      EXPECT_EQ(write.ok(), mapping.write);
      EXPECT_EQ((mapping.read ? read : write).hpa, mapping.hpa + offset);
    }
  }
  EXPECT_FALSE(bench.Peek(0x4FF8).ok());
  EXPECT_FALSE(bench.Peek(0x6000, true).ok());
}

TEST(VtdMappings, AreEmptyWithoutARootTable) {
  VtdBench bench;
  EXPECT_TRUE(bench.core.MappingsOf(bench.memory, 0x900000).empty());
  bench.memory.unreadable.insert(0x900);
  EXPECT_TRUE(bench.core.MappingsOf(bench.memory, 0x900000).empty());
}

}  // namespace
}  // namespace gmmu::sim
