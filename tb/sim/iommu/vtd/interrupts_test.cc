// SPDX-License-Identifier: Apache-2.0
// Tests interrupt remapping: requests, entries, faults 0x20 to 0x26, the cache and its invalidation.
#include "iommu/vtd/interrupts.h"

#include <string>

#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kIrtes = 0x50000;
constexpr uint64_t kIrtePresent = 1, kIrteFpd = 2;
constexpr uint64_t kIrteSid = uint64_t{1} << 18, kIrteBus = uint64_t{2} << 18;

/// A unit with a table of 256 entries in which entry 7 sends vector 0x45 for VtdBench::kSid.
struct RemappedInterrupts : VtdBench {
  explicit RemappedInterrupts(const VtdParameters& parameters = {}) : VtdBench(parameters) {
    Start();
    Put(vtd::kIrta, 8, kIrtes | 7);
    Command(vtd::kSirtp);
    Command(vtd::kIre);
    Set(7, uint64_t{0x45} << 16 | kIrtePresent, VtdBench::kSid | kIrteSid);
  }
  void Set(uint32_t index, uint64_t low, uint64_t high) {
    memory.words[kIrtes + 16 * uint64_t{index}] = low;
    memory.words[kIrtes + 16 * uint64_t{index} + 8] = high;
  }
  /// Returns the address of a request for the entry `handle`.
  static uint64_t Address(uint32_t handle, bool subhandle = false) {
    return 0xFEE00010 | uint64_t{handle & 0x7FFF} << 5 | (subhandle ? 8 : 0) | (handle >> 15 != 0 ? 4 : 0);
  }
  VtdResult Send(uint64_t address, uint32_t data = 0, uint16_t sid = VtdBench::kSid) {
    VtdRequest request{sid, address, true, VtdAddressType::kUntranslated, data};
    const VtdResult result = core.Translate(memory, request);
    EXPECT_EQ(core.Peek(memory, request).reason, result.reason);
    EXPECT_EQ(result.ok(), result.reason == VtdReason::kNone);
    EXPECT_EQ(result.outcome, result.ok() ? RemapOutcome::kInterrupt : RemapOutcome::kBlocked);
    return result;
  }
  void InvalidateAll() { Submit(4); }
  void InvalidateEntry(uint32_t index, unsigned mask = 0) {
    Submit(4u | 1u << 4 | uint64_t{mask} << 27 | uint64_t{index} << 32);
  }
};

TEST(VtdInterrupts, AreOfferedUnlessTheParameterIsOff) {
  VtdBench bench;
  EXPECT_EQ(bench.Get(vtd::kEcap, 8) >> 3 & 1, 1u);
  VtdParameters parameters;
  parameters.interrupt_remapping = false;
  VtdBench without(parameters);
  EXPECT_EQ(without.Get(vtd::kEcap, 8) >> 3 & 1, 0u);
  without.Put(vtd::kIrta, 8, kIrtes);
  EXPECT_EQ(without.Get(vtd::kIrta, 8), 0u);
  without.Command(vtd::kIre | vtd::kSirtp | vtd::kCfi);
  EXPECT_EQ(without.Gsts(), 0u);
  without.TurnOn();
  without.Submit(4);
  EXPECT_EQ(without.Get(vtd::kIqercd, 8), uint64_t{vtd::kQueueBadType});
}

TEST(VtdInterrupts, PassUnchangedWhileRemappingIsOff) {
  StartedVtd bench;
  const VtdResult result =
      bench.core.Translate(bench.memory, {VtdBench::kSid, 0xFEE01234, true, VtdAddressType::kUntranslated, 0x99});
  EXPECT_EQ(result.outcome, RemapOutcome::kInterrupt);
  EXPECT_EQ(result.hpa, 0xFEE01234u);
  EXPECT_EQ(result.data, 0x99u);
  EXPECT_FALSE(result.translated);
}

TEST(VtdInterrupts, AnEntryMakesTheMessage) {
  RemappedInterrupts bench;
  const VtdResult result = bench.Send(RemappedInterrupts::Address(7));
  EXPECT_EQ(result.hpa, 0xFEE00000u);
  EXPECT_EQ(result.data, 0x45u);
  EXPECT_TRUE(result.translated);
  EXPECT_EQ(bench.Count("interrupts_remapped"), 1u);
  // Destination 0x12, redirection hint, logical mode, level-triggered, delivery mode 1, vector 0x67.
  bench.Set(8, uint64_t{0x12} << 40 | 0x67 << 16 | 1 << 5 | 1 << 4 | 1 << 3 | 1 << 2 | kIrtePresent, 0);
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(8)).hpa, 0xFEE1200Cu);
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(8)).data, 0xC167u);
}

TEST(VtdInterrupts, WorkWhileTranslationIsOff) {
  RemappedInterrupts bench;
  bench.CommandOff(vtd::kTe);
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(7)).data, 0x45u);
  EXPECT_EQ(bench.Send(0xFEE00000, 0x45).reason, VtdReason::kInterruptCompatibility);
}

TEST(VtdInterrupts, TheSubhandleIsAddedIfItIsValid) {
  RemappedInterrupts bench;
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(3, true), 4).data, 0x45u);
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(7, false), 4).data, 0x45u) << "not valid, so ignored";
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(250, true), 6).reason, VtdReason::kInterruptIndex);
}

TEST(VtdInterrupts, TheHandleHasSixteenBits) {
  RemappedInterrupts bench;
  bench.Put(vtd::kIrta, 8, kIrtes | 15);
  bench.Command(vtd::kSirtp);
  bench.InvalidateAll();
  bench.Set(0x8007, uint64_t{0x77} << 16 | kIrtePresent, 0);
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(0x8007)).data, 0x77u);
}

TEST(VtdInterrupts, TheTableIsLatchedBySirtp) {
  RemappedInterrupts bench;
  bench.Put(vtd::kIrta, 8, 0x90000 | 0);
  bench.InvalidateAll();
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(7)).data, 0x45u);
  bench.Command(vtd::kSirtp);
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(1)).reason, VtdReason::kInterruptNotPresent);
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(2)).reason, VtdReason::kInterruptIndex) << "2^(0 + 1) entries";
}

TEST(VtdInterrupts, CompatibilityRequestsPassOnlyWithCfi) {
  RemappedInterrupts bench;
  EXPECT_EQ(bench.Send(0xFEE00000, 0x45).reason, VtdReason::kInterruptCompatibility);
  bench.Command(vtd::kCfi);
  EXPECT_NE(bench.Gsts() & vtd::kCfi, 0u);
  EXPECT_EQ(bench.Send(0xFEE00000, 0x45).data, 0x45u);
  bench.CommandOff(vtd::kCfi);
  EXPECT_FALSE(bench.Send(0xFEE00000, 0x45).ok());
  bench.CommandOff(vtd::kIre);
  EXPECT_EQ(bench.Gsts() & vtd::kIre, 0u);
  EXPECT_TRUE(bench.Send(0xFEE00000, 0x45).ok());
}

TEST(VtdInterrupts, ReadsOfTheWindowStayBlockedWithoutAFault) {
  RemappedInterrupts bench;
  EXPECT_FALSE(bench.Access(RemappedInterrupts::Address(7)).ok());
  EXPECT_EQ(bench.Fsts() & vtd::kPpf, 0u);
}

TEST(VtdInterrupts, VerifyTheRequester) {
  struct Case {
    uint64_t high;
    uint16_t sid;
    bool passes;
  };
  const Case kCases[] = {
      {0, 0x1234, true},                             // nothing is verified
      {kIrteSid | 0x0103, 0x0103, true},             // all sixteen bits
      {kIrteSid | 0x0103, 0x0107, false},            //
      {kIrteSid | 1 << 16 | 0x0103, 0x0107, true},   // but for bit 2
      {kIrteSid | 1 << 16 | 0x0103, 0x0101, false},  //
      {kIrteSid | 2 << 16 | 0x0103, 0x0105, true},   // but for bits 2 and 1
      {kIrteSid | 2 << 16 | 0x0103, 0x0104, false},  //
      {kIrteSid | 3 << 16 | 0x0103, 0x0104, true},   // but for the function
      {kIrteSid | 3 << 16 | 0x0103, 0x010B, false},  // another device
      {kIrteBus | 0x0204, 0x01FF, false},            // buses 2 to 4
      {kIrteBus | 0x0204, 0x0200, true},             //
      {kIrteBus | 0x0204, 0x04FF, true},             //
      {kIrteBus | 0x0204, 0x0500, false},            //
  };
  for (const Case& c : kCases) {
    RemappedInterrupts bench;
    bench.Set(9, uint64_t{0x50} << 16 | kIrtePresent, c.high);
    for (int again = 0; again < 2; ++again) {  // the second request uses the cache
      EXPECT_EQ(bench.Send(RemappedInterrupts::Address(9), 0, c.sid).reason,
                c.passes ? VtdReason::kNone : VtdReason::kInterruptSourceBlocked)
          << std::hex << c.high << " " << c.sid;
    }
  }
}

TEST(VtdInterrupts, EveryFaultIsRecordedWithItsEntry) {
  struct Case {
    VtdReason reason;
    bool silent;  // FPD keeps it from being recorded
    uint64_t low, high;
    uint32_t index = 7, data = 0;
    bool unreadable = false;
  };
  const uint64_t good = uint64_t{0x45} << 16 | kIrtePresent;
  const Case kCases[] = {
      {VtdReason::kInterruptReserved, false, good, 0, 7, 0x10000},
      {VtdReason::kInterruptIndex, false, good, 0, 256},
      {VtdReason::kInterruptNotPresent, true, good & ~kIrtePresent, 0},
      {VtdReason::kInterruptUnreadable, false, good, 0, 7, 0, true},
      {VtdReason::kInterruptEntryReserved, true, good | 1 << 12, 0},
      {VtdReason::kInterruptEntryReserved, true, good | 1 << 15, 0},  // posted interrupts are not supported
      {VtdReason::kInterruptEntryReserved, true, good | uint64_t{1} << 24, 0},
      {VtdReason::kInterruptEntryReserved, true, good | uint64_t{1} << 48, 0},
      {VtdReason::kInterruptEntryReserved, true, good, uint64_t{3} << 18},
      {VtdReason::kInterruptEntryReserved, true, good, uint64_t{1} << 20},
      {VtdReason::kInterruptSourceBlocked, true, good, kIrteSid | 0x0300},
  };
  for (const Case& c : kCases) {
    for (const bool fpd : {false, true}) {
      SCOPED_TRACE(std::string(NameOf(c.reason)) + (fpd ? ", FPD" : ""));
      RemappedInterrupts bench;
      bench.Set(7, c.low | (fpd ? kIrteFpd : 0), c.high);
      if (c.unreadable) bench.memory.unreadable = {kIrtes >> 12};
      EXPECT_EQ(bench.Send(RemappedInterrupts::Address(c.index), c.data).reason, c.reason);
      const bool recorded = !(fpd && c.silent);
      EXPECT_EQ(bench.Count("faults_recorded"), recorded ? 1u : 0u);
      if (!recorded) continue;
      const uint64_t low = bench.Get(0x220, 8), high = bench.Get(0x228, 8);
      EXPECT_EQ(high & 0xFFFF, VtdBench::kSid);
      EXPECT_EQ(high >> 32 & 0xFF, static_cast<uint64_t>(c.reason));
      if (c.reason != VtdReason::kInterruptReserved) EXPECT_EQ(low, uint64_t{c.index} << 48);
    }
  }
}

TEST(VtdInterrupts, EntriesAreCachedUntilTheyAreInvalidated) {
  RemappedInterrupts bench;
  bench.Send(RemappedInterrupts::Address(7));
  bench.Set(7, uint64_t{0x46} << 16 | kIrtePresent, 0);
  EXPECT_EQ(bench.core
                .Translate(bench.memory,
                           {VtdBench::kSid, RemappedInterrupts::Address(7), true, VtdAddressType::kUntranslated, 0})
                .data,
            0x45u);
  EXPECT_EQ(bench.Count("interrupt_hits"), 1u);
  bench.InvalidateEntry(6);
  EXPECT_EQ(bench.core
                .Translate(bench.memory,
                           {VtdBench::kSid, RemappedInterrupts::Address(7), true, VtdAddressType::kUntranslated, 0})
                .data,
            0x45u);
  bench.InvalidateEntry(4, 2);  // entries 4 to 7
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(7)).data, 0x46u);
  bench.Set(7, uint64_t{0x47} << 16 | kIrtePresent, 0);
  bench.InvalidateAll();
  EXPECT_EQ(bench.Send(RemappedInterrupts::Address(7)).data, 0x47u);
  EXPECT_EQ(bench.Count("interrupt_invalidations"), 3u);
}

TEST(VtdInterrupts, EntriesThatAreNotPresentAreCachedInCachingModeOnly) {
  for (const bool caching : {false, true}) {
    VtdParameters parameters;
    parameters.caching_mode = caching;
    RemappedInterrupts bench(parameters);
    EXPECT_FALSE(bench.Send(RemappedInterrupts::Address(9)).ok());
    bench.Set(9, uint64_t{0x50} << 16 | kIrtePresent, 0);
    const VtdRequest request{VtdBench::kSid, RemappedInterrupts::Address(9), true, VtdAddressType::kUntranslated, 0};
    EXPECT_EQ(bench.core.Translate(bench.memory, request).ok(), !caching);
  }
}

TEST(VtdInterrupts, AnInvalidationWaitsForMessagesThatWereRemappedBefore) {
  RemappedInterrupts bench;
  const VtdRequest request{VtdBench::kSid, RemappedInterrupts::Address(7), true, VtdAddressType::kUntranslated, 0};
  VtdWalk walk = bench.core.Lookup(request);
  while (!walk.done()) bench.Step(walk);
  bench.Queue(4);
  bench.Queue(VtdBench::WaitStatus(1), VtdBench::kStatus);
  bench.Ring();
  bench.core.RunQueue(bench.memory);
  EXPECT_EQ(bench.memory.words[VtdBench::kStatus], 0u);
  bench.core.Finish(walk);
  bench.core.RunQueue(bench.memory);
  EXPECT_EQ(bench.memory.words[VtdBench::kStatus], 1u);
}

TEST(VtdInterrupts, AWalkThatAnInvalidationOvertookFillsNoCache) {
  RemappedInterrupts bench;
  const VtdRequest request{VtdBench::kSid, RemappedInterrupts::Address(7), true, VtdAddressType::kUntranslated, 0};
  VtdWalk walk = bench.core.Lookup(request);
  ASSERT_FALSE(walk.done());
  bench.InvalidateAll();
  bench.Step(walk);
  bench.core.Finish(walk);
  EXPECT_EQ(bench.Count("fills_refused"), 1u);
  bench.Send(RemappedInterrupts::Address(7));
  EXPECT_EQ(bench.Count("interrupt_hits"), 0u);
}

TEST(VtdInterrupts, ADescriptorWithAReservedBitStopsTheQueue) {
  for (const uint64_t low : {uint64_t{4} | 1 << 5, uint64_t{4} | 1 << 26, uint64_t{4} | uint64_t{1} << 48}) {
    RemappedInterrupts bench;
    bench.Submit(low);
    EXPECT_EQ(bench.Get(vtd::kIqercd, 8), uint64_t{vtd::kQueueReserved}) << std::hex << low;
  }
  RemappedInterrupts bench;
  bench.Submit(4, 1);
  EXPECT_EQ(bench.Get(vtd::kIqercd, 8), uint64_t{vtd::kQueueReserved});
}

TEST(VtdInterrupts, TheCacheReplacesTheEntryThatWasUsedTheLongestAgo) {
  VtdInterrupts cache(2);
  cache.Fill(1, {kIrtePresent, 1});
  cache.Fill(2, {kIrtePresent, 2});
  EXPECT_NE(cache.Find(1), nullptr);
  cache.Fill(3, {kIrtePresent, 3});
  EXPECT_EQ(cache.Find(2), nullptr);
  EXPECT_EQ(cache.Find(1)->high, 1u);
  EXPECT_EQ(cache.Drop(0, 1), 1u) << "entries 0 and 1";
  EXPECT_EQ(cache.DropAll(), 1u);
  VtdInterrupts none(0);
  none.Fill(1, {kIrtePresent, 1});
  EXPECT_EQ(none.Find(1), nullptr);
}

}  // namespace
}  // namespace gmmu::sim
