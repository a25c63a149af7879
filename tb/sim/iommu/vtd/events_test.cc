// SPDX-License-Identifier: Apache-2.0
// Tests fault records, their overflow, and the fault interrupt.
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint16_t kSid = VtdBench::kSid;
constexpr uint32_t kRecords = 0x220;

uint64_t High(const VtdBench& bench, unsigned i) { return bench.Get(kRecords + 16 * i + 8, 8); }
bool Full(const VtdBench& bench, unsigned i) { return High(bench, i) >> 63 != 0; }
void Clear(VtdBench& bench, unsigned i) { bench.Put(kRecords + 16 * i + 12, 4, 0x80000000); }
unsigned Fri(const VtdBench& bench) { return bench.Fsts() >> 8 & 0xFF; }

VtdParameters Records(unsigned count) {
  VtdParameters p;
  p.num_fault_records = count;
  return p;
}

TEST(VtdFaults, RecordPageRequesterReasonAndKind) {
  StartedVtd bench;
  bench.Access(0x123456789ABC, false);
  bench.Access(0x2468, true);
  EXPECT_EQ(bench.Get(kRecords, 8), 0x123456789000u);
  EXPECT_EQ(High(bench, 0) & 0xFFFF, kSid);
  EXPECT_EQ(vtd::Bits(High(bench, 0), 39, 32), 6u);
  EXPECT_EQ(vtd::Bits(High(bench, 0), 62, 62), 1u);  // a read
  EXPECT_TRUE(Full(bench, 0));
  EXPECT_EQ(bench.Get(kRecords + 16, 8), 0x2000u);
  EXPECT_EQ(vtd::Bits(High(bench, 1), 39, 32), 5u);
  EXPECT_EQ(vtd::Bits(High(bench, 1), 62, 62), 0u);  // a write
  EXPECT_EQ(bench.Fsts() & vtd::kPpf, vtd::kPpf);
  EXPECT_EQ(Fri(bench), 0u);
}

TEST(VtdFaults, RecordTheAddressTypeOfTheRequest) {
  StartedVtd bench;
  bench.core.Translate(bench.memory, {kSid, 0x1000, false, VtdAddressType::kTranslated});
  EXPECT_EQ(vtd::Bits(High(bench, 0), 61, 60), 2u);
  EXPECT_EQ(vtd::Bits(High(bench, 0), 39, 32), 0xDu);
}

TEST(VtdFaults, AreReadableAsDwords) {
  StartedVtd bench;
  bench.Access(0x123456789ABC, false);
  EXPECT_EQ(bench.Get(kRecords, 4), 0x56789000u);
  EXPECT_EQ(bench.Get(kRecords + 4, 4), 0x1234u);
  EXPECT_EQ(bench.Get(kRecords + 8, 4), kSid);
  EXPECT_EQ(bench.Get(kRecords + 12, 4), 0xC0000006u);
}

TEST(VtdFaults, AreClearedOneByOneByWritingOne) {
  StartedVtd bench;
  bench.Access(0x1000);
  bench.Access(0x2000);
  bench.Put(vtd::kFsts, 4, vtd::kPpf);  // not writable
  EXPECT_NE(bench.Fsts() & vtd::kPpf, 0u);
  bench.Put(kRecords + 12, 4, 0x7FFFFFFF);  // F is write-1-to-clear, so writing 0 leaves it set
  EXPECT_TRUE(Full(bench, 0));
  Clear(bench, 0);
  EXPECT_FALSE(Full(bench, 0));
  EXPECT_NE(bench.Fsts() & vtd::kPpf, 0u);
  EXPECT_EQ(Fri(bench), 0u);  // FRI does not change while PPF is 1
  bench.Put(kRecords + 16 + 8, 8, uint64_t{1} << 63);
  EXPECT_EQ(bench.Fsts() & vtd::kPpf, 0u);
  bench.Access(0x3000);
  EXPECT_EQ(Fri(bench), 2u);
}

TEST(VtdFaults, SetOverflowWhenTheNextRecordIsTakenAndThenDrop) {
  for (const unsigned count : {1u, 2u, 8u}) {
    VtdBench bench(Records(count));
    bench.Start();
    for (unsigned i = 0; i < count; ++i) bench.Access((i + 1) * 0x1000);
    EXPECT_EQ(bench.Fsts() & vtd::kPfo, 0u);
    bench.Access(0xAA000);
    EXPECT_NE(bench.Fsts() & vtd::kPfo, 0u);
    EXPECT_EQ(bench.Get(kRecords, 8), 0x1000u);  // the old record is kept
    EXPECT_EQ(bench.Count("faults_lost"), 1u);
    for (unsigned i = 0; i < count; ++i) Clear(bench, i);
    bench.Access(0xBB000);  // PFO is still set, so the fault is dropped
    EXPECT_EQ(bench.Fsts() & vtd::kPpf, 0u);
    EXPECT_EQ(bench.Count("faults_lost"), 2u);
    bench.Put(vtd::kFsts, 4, vtd::kPfo);
    bench.Access(0xCC000);
    EXPECT_EQ(bench.Get(kRecords, 8), 0xCC000u);
    EXPECT_EQ(bench.Count("faults"), count + 3u);
  }
}

TEST(VtdFaults, GoRoundTheRecords) {
  VtdBench bench(Records(4));
  bench.Start();
  for (unsigned i = 0; i < 11; ++i) {
    bench.Access((i + 1) * 0x1000);
    EXPECT_EQ(Fri(bench), i % 4);
    EXPECT_EQ(bench.Get(kRecords + 16 * (i % 4), 8), (i + 1) * 0x1000u);
    Clear(bench, i % 4);
  }
}

TEST(VtdFaults, OfARequesterWithAnUnreadRecordAreDroppedWhenBuiltSo) {
  VtdParameters p;
  p.collapse_faults = true;
  StartedVtd bench(p);
  bench.Access(0x1000);
  bench.Access(0x2000);
  EXPECT_EQ(bench.Count("faults_recorded"), 1u);
  EXPECT_EQ(bench.Fsts() & vtd::kPfo, 0u);
  bench.Access(0x3000, false, 0x300);
  EXPECT_EQ(bench.Count("faults_recorded"), 2u);
}

TEST(VtdFaults, AreNotRecordedWithFpdButBlockAllTheSame) {
  struct Case {
    VtdReason reason;
    bool silent;
    void (*spoil)(VtdBench& bench, uint64_t context);
    uint64_t iova = 0x1000;
    bool write = false;
    VtdAddressType type = VtdAddressType::kUntranslated;
  };
  const Case kCases[] = {
      {VtdReason::kRootNotPresent, false, [](VtdBench& b, uint64_t) { b.memory.words[VtdBench::kRoot + 16] = 0; }},
      {VtdReason::kContextNotPresent, true, [](VtdBench& b, uint64_t at) { b.memory.words[at] &= ~uint64_t{1}; }},
      {VtdReason::kContextInvalid, true, [](VtdBench& b, uint64_t at) { b.memory.words[at + 8] |= 7; }},
      {VtdReason::kContextInvalid, true, [](VtdBench& b, uint64_t) { b.memory.unreadable = {b.top >> 12}; }},
      {VtdReason::kAddressWidth, true, [](VtdBench&, uint64_t) {}, uint64_t{1} << 48},
      {VtdReason::kNoWrite, true, [](VtdBench&, uint64_t) {}, 0x1000, true},
      {VtdReason::kNoRead, true, [](VtdBench&, uint64_t) {}},
      {VtdReason::kTableUnreadable, true,
       [](VtdBench& b, uint64_t) { b.memory.unreadable = {b.EntryAt(b.top, 4, 0x1000, 1) >> 12}; }},
      {VtdReason::kRootUnreadable, false, [](VtdBench& b, uint64_t) { b.memory.unreadable = {VtdBench::kRoot >> 12}; }},
      {VtdReason::kContextUnreadable, false, [](VtdBench& b, uint64_t at) { b.memory.unreadable = {at >> 12}; }},
      {VtdReason::kRootReserved, false, [](VtdBench& b, uint64_t) { b.memory.words[VtdBench::kRoot + 24] = 1; }},
      {VtdReason::kContextReserved, true, [](VtdBench& b, uint64_t at) { b.memory.words[at] |= 0x10; }},
      {VtdReason::kEntryReserved, true,
       [](VtdBench& b, uint64_t) { b.Map(0x1000, 0x2000, 1, kRw | uint64_t{1} << 51); }},
      {VtdReason::kAtsBlocked, true, [](VtdBench&, uint64_t) {}, 0x1000, false, VtdAddressType::kTranslationRequest},
      {VtdReason::kInterruptRange, true, [](VtdBench& b, uint64_t) { b.Map(0x1000, 0xFEE00000); }},
  };
  for (const Case& c : kCases) {
    for (const bool fpd : {false, true}) {
      SCOPED_TRACE(std::string(NameOf(c.reason)) + (fpd ? ", FPD" : ""));
      StartedVtd bench;
      const uint64_t at = bench.SetContext(kSid, 5, bench.top, 4);
      if (fpd) bench.memory.words[at] |= 2;
      c.spoil(bench, at);
      for (int again = 0; again < 2; ++again) {  // the second access uses cached entries
        const VtdResult result = bench.core.Translate(bench.memory, {kSid, c.iova, c.write, c.type});
        EXPECT_FALSE(result.ok());
        EXPECT_EQ(result.reason, c.reason);
      }
      EXPECT_EQ(bench.core.faults()[static_cast<size_t>(c.reason)], 2u);
      EXPECT_EQ(bench.Count("faults_recorded"), fpd && c.silent ? 0u : 2u);
      EXPECT_EQ(bench.Fsts() & vtd::kPpf, fpd && c.silent ? 0u : vtd::kPpf);
    }
  }
}

TEST(VtdFaults, WithReservedContextBitsAreRecordedDespiteFpdWhenBuiltSo) {
  VtdParameters p;
  p.fpd_covers_reserved_context = false;
  StartedVtd bench(p);
  bench.memory.words[bench.SetContext(kSid, 5, bench.top, 4)] |= 0x12;
  bench.Access(0x1000);
  EXPECT_EQ(bench.Count("faults_recorded"), 1u);
}

class VtdFaultInterrupt : public testing::Test {
 protected:
  VtdFaultInterrupt() {
    bench.Start();
    bench.Put(vtd::kFedata, 4, 0x4021);
    bench.Put(vtd::kFeaddr, 4, 0xFEE0100C);
  }
  uint32_t Control() const { return static_cast<uint32_t>(bench.Get(vtd::kFectl, 4)); }
  VtdBench bench;
};

TEST_F(VtdFaultInterrupt, IsSentOnceFromQuietToBusy) {
  bench.Put(vtd::kFectl, 4, 0);
  bench.Access(0x1000);
  bench.Access(0x2000);
  ASSERT_EQ(bench.messages.size(), 1u);
  EXPECT_EQ(bench.messages[0].first, 0xFEE0100Cu);
  EXPECT_EQ(bench.messages[0].second, 0x4021u);
  Clear(bench, 0);
  bench.Access(0x3000);
  EXPECT_EQ(bench.messages.size(), 1u);  // no second message: record 1 is still pending
  Clear(bench, 1);
  Clear(bench, 2);
  bench.Access(0x4000);
  EXPECT_EQ(bench.messages.size(), 2u);
}

TEST_F(VtdFaultInterrupt, StaysPendingWhileMaskedAndGoesOutAtUnmask) {
  bench.Access(0x1000);
  EXPECT_TRUE(bench.messages.empty());
  EXPECT_EQ(Control(), vtd::kIm | vtd::kIp);
  bench.Put(vtd::kFectl, 4, 0);
  EXPECT_EQ(bench.messages.size(), 1u);
  EXPECT_EQ(Control(), 0u);
}

TEST_F(VtdFaultInterrupt, IsForgottenWhenSoftwareClearsEveryConditionFirst) {
  bench.Access(0x1000);
  Clear(bench, 0);
  EXPECT_EQ(Control(), vtd::kIm);
  bench.Put(vtd::kFectl, 4, 0);
  EXPECT_TRUE(bench.messages.empty());
}

TEST_F(VtdFaultInterrupt, StaysPendingWhileOneConditionIsLeft) {
  bench.Access(0x1000);
  bench.Submit(0);  // IQE
  Clear(bench, 0);
  EXPECT_EQ(Control(), vtd::kIm | vtd::kIp);
  bench.Put(vtd::kFsts, 4, vtd::kIqe);
  EXPECT_EQ(Control(), vtd::kIm);
}

TEST_F(VtdFaultInterrupt, IsRaisedByAQueueError) {
  bench.Put(vtd::kFectl, 4, 0);
  bench.Submit(0);
  EXPECT_EQ(bench.messages.size(), 1u);
  bench.Access(0x1000);
  EXPECT_EQ(bench.messages.size(), 1u);  // no second message: another condition was already pending
}

TEST_F(VtdFaultInterrupt, IsNotRaisedByOverflowAlone) {
  bench.Put(vtd::kFectl, 4, 0);
  for (uint64_t page = 1; page <= 9; ++page) bench.Access(page << 12);
  EXPECT_NE(bench.Fsts() & vtd::kPfo, 0u);
  EXPECT_EQ(bench.messages.size(), 1u);
}

}  // namespace
}  // namespace gmmu::sim
