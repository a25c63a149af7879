// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

TEST(VtdRegisters, OfferTheCapabilitiesOfAComparableUnit) {
  VtdParameters p;
  p.num_fault_records = 1;
  VtdBench bench(p);
  EXPECT_EQ(bench.Get(vtd::kVer, 4), 0x10u);
  EXPECT_EQ(bench.Get(vtd::kCap, 8), 0x00D2008C222F0606u);
  EXPECT_EQ(bench.Get(vtd::kEcap, 8), 0xF4Bu);
}

TEST(VtdRegisters, StateEachParameterInTheCapabilities) {
  VtdParameters p;
  p.num_fault_records = 8;
  p.caching_mode = p.rwbf = p.snoop_control = true;
  p.pages_1g = false;
  p.pass_through = false;
  p.fro = 0x40;
  p.iro = 0x20;
  VtdBench bench(p);
  const uint64_t cap = bench.Get(vtd::kCap, 8), ecap = bench.Get(vtd::kEcap, 8);
  EXPECT_EQ(vtd::Bits(cap, 47, 40), 7u);
  EXPECT_EQ(vtd::Bits(cap, 7, 7), 1u);
  EXPECT_EQ(vtd::Bits(cap, 4, 4), 1u);
  EXPECT_EQ(vtd::Bits(cap, 37, 34), 1u);
  EXPECT_EQ(vtd::Bits(cap, 33, 24), 0x40u);
  EXPECT_EQ(vtd::Bits(ecap, 17, 8), 0x20u);
  EXPECT_EQ(vtd::Bits(ecap, 7, 7), 1u);
  EXPECT_EQ(vtd::Bits(ecap, 6, 6), 0u);
}

TEST(VtdRegisters, ReadSixtyFourBitsAsHalvesToo) {
  VtdBench bench;
  const uint64_t cap = bench.Get(vtd::kCap, 8);
  EXPECT_EQ(bench.Get(vtd::kCap, 4), cap & 0xFFFFFFFF);
  EXPECT_EQ(bench.Get(vtd::kCap + 4, 4), cap >> 32);
}

TEST(VtdRegisters, TakeHalvesOfSixtyFourBitRegisters) {
  VtdBench bench;
  bench.Put(vtd::kRtaddr, 4, 0x12345FFF);
  bench.Put(vtd::kRtaddr + 4, 4, 0x7);
  EXPECT_EQ(bench.Get(vtd::kRtaddr, 8), 0x712345000u);  // reserved bits stay 0
}

TEST(VtdRegisters, KeepReadOnlyRegistersAgainstWrites) {
  VtdBench bench;
  for (const uint32_t offset : {vtd::kVer, vtd::kCap, vtd::kEcap, vtd::kGsts, vtd::kIqh, vtd::kIqercd, vtd::kPmen,
                                vtd::kFeuaddr, vtd::kIeuaddr}) {
    const uint64_t before = bench.Get(offset, 4);
    bench.Put(offset, 4, 0xFFFFFFFF);
    EXPECT_EQ(bench.Get(offset, 4), before) << std::hex << offset;
  }
}

TEST(VtdRegisters, RefuseAccessesOfAWrongShape) {
  VtdBench bench;
  EXPECT_EQ(bench.Get(vtd::kVer, 1), 0xFFu);
  EXPECT_EQ(bench.Get(vtd::kVer, 2), 0xFFFFu);
  EXPECT_EQ(bench.Get(vtd::kCap + 4, 8), ~uint64_t{0});
  EXPECT_EQ(bench.Get(0x1000, 4), 0xFFFFFFFFu);
  bench.Put(vtd::kRtaddr, 2, 0xFFFF);
  bench.Put(vtd::kGcmd, 8, vtd::kTe);  // GCMD is a 32-bit register
  bench.Put(vtd::kFedata - 4, 8, ~uint64_t{0});
  EXPECT_EQ(bench.Gsts(), 0u);
  EXPECT_EQ(bench.Get(vtd::kFedata, 4), 0u);
  EXPECT_EQ(bench.Get(vtd::kRtaddr, 8), 0u);
  EXPECT_EQ(bench.Count("bad_register_accesses"), 3u);
}

TEST(VtdRegisters, MaskBothInterruptsAfterReset) {
  VtdBench bench;
  EXPECT_EQ(bench.Get(vtd::kFectl, 4), vtd::kIm);
  EXPECT_EQ(bench.Get(vtd::kIectl, 4), vtd::kIm);
}

TEST(VtdCommand, LatchesTheRootOnlyAtSrtp) {
  VtdBench bench;
  bench.Put(vtd::kRtaddr, 8, 0x5000);
  EXPECT_EQ(bench.core.root(), 0u);
  bench.Command(vtd::kSrtp);
  EXPECT_EQ(bench.core.root(), 0x5000u);
  EXPECT_EQ(bench.Gsts(), vtd::kSrtp);
  bench.Put(vtd::kRtaddr, 8, 0x6000);
  EXPECT_EQ(bench.core.root(), 0x5000u);
  bench.Put(vtd::kGcmd, 4, 0);  // SRTP is one-shot, so writing 0 does nothing
  EXPECT_EQ(bench.core.root(), 0x5000u);
  EXPECT_EQ(bench.Gsts(), vtd::kSrtp);
  bench.Put(vtd::kGcmd, 4, vtd::kSrtp);
  EXPECT_EQ(bench.core.root(), 0x6000u);
}

TEST(VtdCommand, KeepsCachesAcrossSrtp) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Access(0x1000);
  bench.Put(vtd::kRtaddr, 8, 0x7000000);
  bench.Command(vtd::kSrtp);
  EXPECT_EQ(bench.Access(0x1000).hpa, 0x2000u);  // valid until software invalidates
  bench.Submit(VtdBench::ContextGlobal());
  EXPECT_EQ(bench.Access(0x1000).reason, VtdReason::kRootNotPresent);
}

TEST(VtdCommand, SwitchesTranslationOffWhenAWriteForgetsTheLevelBit) {
  StartedVtd bench;
  EXPECT_NE(bench.Gsts() & vtd::kTe, 0u);
  bench.Put(vtd::kGcmd, 4, vtd::kQie);
  EXPECT_EQ(bench.Gsts() & vtd::kTe, 0u);
  EXPECT_TRUE(bench.Access(0x123456000).ok());
}

TEST(VtdCommand, TakesNoBitsThatAreNotOffered) {
  VtdBench bench;
  const uint32_t offered = vtd::kWbf | vtd::kQie | vtd::kIre | vtd::kSirtp | vtd::kCfi;
  bench.Put(vtd::kGcmd, 4, 0x3F800000u & ~offered);
  EXPECT_EQ(bench.Gsts(), 0u);
  EXPECT_EQ(bench.Get(vtd::kGcmd, 4), 0u);
}

TEST(VtdCommand, FlushesTheWriteBufferOnlyWhenThatIsNeeded) {
  VtdBench without;
  without.Command(vtd::kWbf);
  EXPECT_EQ(without.Count("write_buffer_flushes"), 0u);
  VtdParameters p;
  p.rwbf = true;
  VtdBench with(p);
  with.Command(vtd::kWbf);
  EXPECT_EQ(with.Count("write_buffer_flushes"), 1u);
  EXPECT_EQ(with.Gsts() & vtd::kWbf, 0u);  // done
}

TEST(VtdCommand, LeavesTranslationOnUntilRequestsInFlightAreDone) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  VtdWalk walk = bench.core.Lookup({VtdBench::kSid, 0x1000, true, VtdAddressType::kUntranslated});
  bench.CommandOff(vtd::kTe);
  EXPECT_NE(bench.Gsts() & vtd::kTe, 0u);
  while (!walk.done()) bench.Step(walk);
  EXPECT_EQ(walk.result().hpa, 0x2000u);
  EXPECT_NE(bench.Gsts() & vtd::kTe, 0u);
  bench.core.Finish(walk);
  EXPECT_EQ(bench.Gsts() & vtd::kTe, 0u);
}

TEST(VtdCommand, SaysThatTranslationIsOnWhenWhatPassedUntranslatedIsDone) {
  VtdBench bench;
  const VtdRequest write{VtdBench::kSid, 0x1000, true, VtdAddressType::kUntranslated};
  const VtdWalk passed = bench.core.Lookup(write);
  ASSERT_TRUE(passed.done());
  EXPECT_EQ(passed.result().hpa, 0x1000u);
  bench.Start();
  bench.Map(0x1000, 0x2000);
  EXPECT_EQ(bench.Gsts() & vtd::kTe, 0u) << "a write that nothing translated is on its way";
  EXPECT_EQ(bench.Access(0x1000, true).hpa, 0x2000u) << "what comes now is translated";
  EXPECT_EQ(bench.Gsts() & vtd::kTe, 0u);
  bench.core.Finish(passed);
  EXPECT_NE(bench.Gsts() & vtd::kTe, 0u);
}

TEST(VtdCommand, TakesTranslationBackBeforeItsStatusCame) {
  VtdBench bench;
  const VtdRequest write{VtdBench::kSid, 0x1000, true, VtdAddressType::kUntranslated};
  const VtdWalk passed = bench.core.Lookup(write);
  bench.Start();
  bench.Map(0x1000, 0x2000);
  bench.CommandOff(vtd::kTe);
  bench.core.Finish(passed);
  EXPECT_EQ(bench.Gsts() & vtd::kTe, 0u);
  EXPECT_EQ(bench.Access(0x1000, true).hpa, 0x1000u);
  bench.Command(vtd::kTe);
  EXPECT_NE(bench.Gsts() & vtd::kTe, 0u);
  EXPECT_EQ(bench.Access(0x1000, true).hpa, 0x2000u);
}

TEST(VtdRegisters, SpanAsManyPagesAsTheFaultRecordsNeed) {
  EXPECT_EQ(VtdBench().core.register_bytes(), 0x1000u);
  VtdParameters p;
  p.num_fault_records = 256;
  EXPECT_EQ(VtdBench(p).core.register_bytes(), 0x2000u);
}

}  // namespace
}  // namespace gmmu::sim
