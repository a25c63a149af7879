// SPDX-License-Identifier: Apache-2.0
// Tests each fault reason of a translation, and the priority of the context entry's reasons.
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kIova = 0x123456789000, kHpa = 0x7654321000;

struct BitCase {
  unsigned level;
  bool leaf;
  unsigned bit;
  bool reserved;
};

TEST(VtdWalk, Reason1RootEntryNotPresent) {
  VtdBench bench;
  bench.TurnOn();
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kRootNotPresent);
}

TEST(VtdWalk, Reason2ContextEntryNotPresent) {
  StartedVtd bench;
  bench.memory.words[bench.SetContext(VtdBench::kSid, 5, bench.top, 4)] &= ~uint64_t{1};
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextNotPresent);
}

TEST(VtdWalk, Reason3WidthOfTheContextEntryNotSupported) {
  for (const unsigned aw : {0u, 3u, 4u, 7u}) {
    StartedVtd bench;
    bench.memory.words[bench.SetContext(VtdBench::kSid, 5, bench.top, 4) + 8] = aw | 5u << 8;
    EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextInvalid) << aw;
  }
}

TEST(VtdWalk, Reason3TranslationTypeNotSupported) {
  for (const unsigned type : {1u, 3u}) {
    StartedVtd bench;
    bench.SetContext(VtdBench::kSid, 5, bench.top, 4, type);
    EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextInvalid) << type;
  }
  VtdParameters p;
  p.pass_through = false;
  StartedVtd bench(p);
  bench.SetContext(VtdBench::kSid, 5, bench.top, 4, 2);
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextInvalid);
}

TEST(VtdWalk, Reason3TopTableUnreadableAndReason7BelowIt) {
  StartedVtd bench;
  bench.Map(kIova, kHpa);
  bench.memory.unreadable.insert(bench.EntryAt(bench.top, 4, kIova, 2) >> 12);
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kTableUnreadable);
  bench.memory.unreadable = {bench.top >> 12};
  bench.Submit(VtdBench::IotlbGlobal());
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextInvalid);
}

TEST(VtdWalk, Reason4AddressAboveTheWidthOfTheEntryOrUnit) {
  VtdBench three;
  three.Start(3);
  EXPECT_EQ(ReasonOf(three, uint64_t{1} << 39), VtdReason::kAddressWidth);
  EXPECT_EQ(ReasonOf(three, (uint64_t{1} << 39) - 8), VtdReason::kNoRead);
  VtdBench four;
  four.Start(4);
  EXPECT_EQ(ReasonOf(four, uint64_t{1} << 48), VtdReason::kAddressWidth);
  EXPECT_EQ(ReasonOf(four, uint64_t{1} << 63), VtdReason::kAddressWidth);
  EXPECT_EQ(ReasonOf(four, ~uint64_t{7}), VtdReason::kAddressWidth);  // no sign extension
  VtdParameters p;
  p.mgaw = 40;
  VtdBench narrow(p);
  narrow.Start(4);
  EXPECT_EQ(ReasonOf(narrow, uint64_t{1} << 40), VtdReason::kAddressWidth);
  EXPECT_EQ(ReasonOf(narrow, (uint64_t{1} << 40) - 8), VtdReason::kNoRead);
}

TEST(VtdWalk, Reason8RootTableUnreadable) {
  StartedVtd bench;
  bench.memory.unreadable.insert(VtdBench::kRoot >> 12);
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kRootUnreadable);
}

TEST(VtdWalk, Reason9ContextTableUnreadable) {
  StartedVtd bench;
  bench.memory.unreadable.insert(bench.SetContext(VtdBench::kSid, 5, bench.top, 4) >> 12);
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextUnreadable);
}

TEST(VtdWalk, ReasonAReservedBitsOfTheRootEntry) {
  const auto with = [](uint64_t low, uint64_t high) {
    StartedVtd bench;
    bench.memory.words[VtdBench::kRoot + 16] |= low;
    bench.memory.words[VtdBench::kRoot + 24] |= high;
    return ReasonOf(bench, kIova);
  };
  for (unsigned bit = 1; bit < 12; ++bit) EXPECT_EQ(with(uint64_t{1} << bit, 0), VtdReason::kRootReserved) << bit;
  for (unsigned bit = 48; bit < 64; ++bit) EXPECT_EQ(with(uint64_t{1} << bit, 0), VtdReason::kRootReserved) << bit;
  for (unsigned bit = 0; bit < 64; ++bit) EXPECT_EQ(with(0, uint64_t{1} << bit), VtdReason::kRootReserved) << bit;
}

TEST(VtdWalk, ReasonBReservedBitsOfTheContextEntryAndNoOthers) {
  const auto with = [](uint64_t low, uint64_t high) {
    StartedVtd bench;
    bench.Map(kIova, kHpa);
    const uint64_t at = bench.SetContext(VtdBench::kSid, 5, bench.top, 4);
    bench.memory.words[at] |= low;
    bench.memory.words[at + 8] |= high;
    return ReasonOf(bench, kIova);
  };
  for (unsigned bit = 4; bit < 12; ++bit) EXPECT_EQ(with(uint64_t{1} << bit, 0), VtdReason::kContextReserved) << bit;
  for (unsigned bit = 48; bit < 64; ++bit) EXPECT_EQ(with(uint64_t{1} << bit, 0), VtdReason::kContextReserved) << bit;
  EXPECT_EQ(with(0, 1u << 7), VtdReason::kContextReserved);
  for (unsigned bit = 24; bit < 64; ++bit) EXPECT_EQ(with(0, uint64_t{1} << bit), VtdReason::kContextReserved) << bit;
  for (unsigned bit = 3; bit < 7; ++bit) EXPECT_EQ(with(0, 1u << bit), VtdReason::kNone) << bit;  // ignored bits
}

TEST(VtdWalk, ReasonsOfTheContextEntryComeInTheOrder2BThen3) {
  StartedVtd bench;
  const uint64_t at = bench.SetContext(VtdBench::kSid, 5, bench.top, 4);
  bench.memory.words[at] = bench.top | 3u << 2 | 1u << 4;  // three errors: P = 0, reserved, type
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextNotPresent);
  bench.memory.words[at] |= 1;
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextReserved);
  bench.memory.words[at] &= ~uint64_t{1u << 4};
  EXPECT_EQ(ReasonOf(bench, kIova), VtdReason::kContextInvalid);
}

TEST(VtdWalk, ReasonCReservedBitsOfEachKindOfEntryAndNoOthers) {
  std::vector<BitCase> cases;
  for (unsigned level = 1; level <= 4; ++level) {
    for (const bool leaf : {false, true}) {
      if ((level == 1 && !leaf) || (level == 4 && leaf)) continue;
      for (unsigned bit = 2; bit < 64; ++bit) {
        if (bit >= 12 && bit < 48 && !(leaf && bit < vtd::LevelShift(level))) continue;  // an address bit
        if (bit == 7 && (level == 2 || level == 3)) continue;                            // PS itself
        const bool reserved = (bit == 7 && level == 4) || bit == 11 || bit == 62 || (bit >= 12 && bit < 52);
        cases.push_back({level, leaf, bit, reserved});
      }
    }
  }
  for (const BitCase& c : cases) {
    StartedVtd bench;
    bench.Map(0x40000000, 0x80000000, c.leaf ? c.level : 1);
    bench.Entry(bench.top, 4, 0x40000000, c.level) |= uint64_t{1} << c.bit;
    EXPECT_EQ(ReasonOf(bench, 0x40000000), c.reserved ? VtdReason::kEntryReserved : VtdReason::kNone)
        << "level " << c.level << " leaf " << c.leaf << " bit " << c.bit;
  }
}

TEST(VtdWalk, ReasonDBlocksAtsRequests) {
  for (const unsigned type : {0u, 2u}) {
    StartedVtd bench;
    bench.SetContext(VtdBench::kSid, 5, bench.top, 4, type);
    bench.Map(kIova, kHpa);
    for (const auto at : {VtdAddressType::kTranslationRequest, VtdAddressType::kTranslated}) {
      EXPECT_EQ(bench.core.Translate(bench.memory, {VtdBench::kSid, kIova, false, at}).reason, VtdReason::kAtsBlocked);
    }
  }
}

TEST(VtdWalk, ReasonEOutputInTheInterruptRange) {
  StartedVtd bench;
  bench.Map(0x1000, 0xFEE00000);
  bench.Map(0x2000, 0xFEEFF000);
  bench.Map(0x3000, 0xFEF00000);
  bench.Map(0x4000, 0xFEDFF000);
  for (int again = 0; again < 2; ++again) {  // first from the tables, then from the IOTLB
    EXPECT_EQ(ReasonOf(bench, 0x1000, true), VtdReason::kInterruptRange);
    EXPECT_EQ(ReasonOf(bench, 0x2FF8), VtdReason::kInterruptRange);
    EXPECT_EQ(ReasonOf(bench, 0x3000), VtdReason::kNone);
    EXPECT_EQ(ReasonOf(bench, 0x4FF8), VtdReason::kNone);
  }
  bench.Map(0x40000000, 0xC0000000, 3);  // in the GiB around the window, only the window faults
  EXPECT_EQ(ReasonOf(bench, 0x40000000 + 0x3EE00010), VtdReason::kInterruptRange);
  EXPECT_EQ(ReasonOf(bench, 0x40000000 + 0x3ED00010), VtdReason::kNone);
}

TEST(VtdWalk, NamesEveryReason) {
  for (unsigned reason = 0; reason <= 0xE; ++reason)
    EXPECT_STRNE(NameOf(static_cast<VtdReason>(reason)), "unknown") << reason;
  EXPECT_STREQ(NameOf(static_cast<VtdReason>(0xF)), "unknown");
}

}  // namespace
}  // namespace gmmu::sim
