// SPDX-License-Identifier: Apache-2.0
// Tests the invalidation queue: order, wait descriptors, draining, errors and wrap-around.
#include "tb/sim/iommu/vtd/bench.h"

namespace gmmu::sim {
namespace {

constexpr uint16_t kSid = VtdBench::kSid, kDid = VtdBench::kDid;
using Kind = RemapWork::Kind;

uint32_t Iqei(const VtdBench& bench) { return static_cast<uint32_t>(bench.Get(vtd::kIqercd, 8) & 0xF); }
uint64_t StatusWord(VtdBench& bench) { return bench.memory.words[VtdBench::kStatus]; }

TEST(VtdQueue, IsIdleUntilTheTailMoves) {
  StartedVtd bench;
  EXPECT_EQ(bench.core.NextWork().kind, Kind::kIdle);
  bench.Queue(VtdBench::IotlbGlobal());
  EXPECT_EQ(bench.core.NextWork().kind, Kind::kIdle);
  bench.Ring();
  const RemapWork work = bench.core.NextWork();
  EXPECT_EQ(work.kind, Kind::kFetch);
  EXPECT_EQ(work.address, VtdBench::kQueue);
  EXPECT_EQ(bench.core.NextWork().kind, Kind::kIdle);  // the descriptor fetch has no response yet
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 0u);
  bench.core.FetchDone(true, VtdBench::IotlbGlobal(), 0);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 16u);
  EXPECT_EQ(bench.core.NextWork().kind, Kind::kIdle);
}

TEST(VtdQueue, WritesTheStatusOfAWaitAsThirtyTwoBits) {
  StartedVtd bench;
  bench.memory.words[VtdBench::kStatus] = ~uint64_t{0};
  bench.Submit(VtdBench::WaitStatus(0x12345678), VtdBench::kStatus + 4);
  EXPECT_EQ(StatusWord(bench), 0x12345678FFFFFFFFu);
  EXPECT_EQ(bench.Count("waits"), 1u);
}

TEST(VtdQueue, ServesATailWrittenBeforeItWasEnabled) {
  VtdBench bench;
  bench.Queue(VtdBench::WaitStatus(7), VtdBench::kStatus);
  bench.Put(vtd::kIqa, 8, VtdBench::kQueue);
  bench.Ring();
  bench.core.RunQueue(bench.memory);
  EXPECT_EQ(StatusWord(bench), 0u);
  bench.Command(vtd::kQie);
  bench.core.RunQueue(bench.memory);
  EXPECT_EQ(StatusWord(bench), 7u);
}

TEST(VtdQueue, PutsTheHeadToZeroWhenSwitchedOff) {
  StartedVtd bench;
  bench.Submit(VtdBench::WaitStatus(1), VtdBench::kStatus);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 16u);
  bench.CommandOff(vtd::kQie);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 0u);
  EXPECT_EQ(bench.Gsts() & vtd::kQie, 0u);
}

TEST(VtdQueue, WrapsAtItsSize) {
  for (const unsigned size : {0u, 1u}) {
    VtdBench bench;
    bench.queue_size = size;
    bench.Start();
    const uint64_t slots = 256u << size;
    for (uint64_t i = 1; i <= 3 * slots; ++i) {
      bench.Submit(VtdBench::WaitStatus(static_cast<uint32_t>(i)), VtdBench::kStatus);
      ASSERT_EQ(StatusWord(bench), i);
      ASSERT_EQ(bench.Get(vtd::kIqh, 8), i % slots * 16);
    }
  }
}

TEST(VtdQueue, RunsSeveralDescriptorsAcrossTheWrap) {
  StartedVtd bench;
  for (int i = 0; i < 250; ++i) bench.Submit(VtdBench::IotlbGlobal());
  for (int i = 0; i < 12; ++i) bench.Queue(VtdBench::IotlbDomain(kDid));
  bench.Submit(VtdBench::WaitStatus(99), VtdBench::kStatus);
  EXPECT_EQ(StatusWord(bench), 99u);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), (250 + 13 - 256) * 16u);
  EXPECT_EQ(bench.Count("iotlb_invalidations"), 262u);
}

TEST(VtdQueue, HoldsAWaitUntilRequestsTranslatedBeforeAreDone) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  VtdWalk before = bench.core.Lookup({kSid, 0x1000, true, VtdAddressType::kUntranslated});
  while (!before.done()) bench.Step(before);
  bench.Queue(VtdBench::IotlbPage(kDid), VtdBench::Pages(0x1000, 0));
  bench.Submit(VtdBench::WaitStatus(1), VtdBench::kStatus);
  EXPECT_EQ(bench.core.NextWork().kind, Kind::kDrain);
  EXPECT_EQ(StatusWord(bench), 0u);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 16u);  // the head is at the wait descriptor
  // A request that arrives later does not delay the wait descriptor.
  VtdWalk after = bench.core.Lookup({kSid, 0x1000, true, VtdAddressType::kUntranslated});
  bench.core.Finish(before);
  bench.core.RunQueue(bench.memory);
  EXPECT_EQ(StatusWord(bench), 1u);
  bench.core.Finish(after);
}

TEST(VtdQueue, DrainsReadsAndWritesAsTheDescriptorAsks) {
  for (const bool drain_reads : {false, true}) {
    for (const bool drain_writes : {false, true}) {
      for (const bool write : {false, true}) {
        StartedVtd bench;
        bench.Map(0x1000, 0x2000);
        VtdWalk walk = bench.core.Lookup({kSid, 0x1000, write, VtdAddressType::kUntranslated});
        while (!walk.done()) bench.Step(walk);
        bench.Queue(2 | 1 << 4 | (drain_writes ? 1 << 6 : 0) | (drain_reads ? 1 << 7 : 0));
        bench.Submit(VtdBench::WaitStatus(1), VtdBench::kStatus);
        const bool held = write ? drain_writes : drain_reads;
        EXPECT_EQ(StatusWord(bench), held ? 0u : 1u) << drain_reads << drain_writes << write;
        bench.core.Finish(walk);
        bench.core.RunQueue(bench.memory);
        EXPECT_EQ(StatusWord(bench), 1u);
      }
    }
  }
}

TEST(VtdQueue, HoldsAWaitForWalksUnderWayEvenWithoutDraining) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  VtdWalk walk = bench.core.Lookup({kSid, 0x1000, false, VtdAddressType::kUntranslated});
  bench.Queue(2 | 1 << 4);
  bench.Submit(VtdBench::WaitStatus(1), VtdBench::kStatus);
  EXPECT_EQ(StatusWord(bench), 0u);
  while (!walk.done()) bench.Step(walk);
  bench.core.RunQueue(bench.memory);
  EXPECT_EQ(StatusWord(bench), 1u);
  bench.core.Finish(walk);
}

TEST(VtdQueue, DoesNotHoldAWaitThatFollowsNoInvalidation) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  VtdWalk walk = bench.core.Lookup({kSid, 0x1000, false, VtdAddressType::kUntranslated});
  bench.Submit(VtdBench::WaitStatus(1), VtdBench::kStatus);
  EXPECT_EQ(StatusWord(bench), 1u);
  bench.core.Finish(walk);
}

TEST(VtdQueue, HoldsTheInvalidationRegisterForRequestsInFlight) {
  StartedVtd bench;
  bench.CommandOff(vtd::kQie);
  bench.Map(0x1000, 0x2000);
  VtdWalk walk = bench.core.Lookup({kSid, 0x1000, false, VtdAddressType::kUntranslated});
  bench.Put(vtd::kCcmd, 8, uint64_t{1} << 63 | uint64_t{1} << 61);
  bench.Put(0xF8, 8, uint64_t{1} << 63 | uint64_t{1} << 60 | uint64_t{1} << 49);
  EXPECT_EQ(bench.Get(vtd::kCcmd, 8) >> 63, 1u);
  EXPECT_EQ(bench.Get(0xF8, 8) >> 63, 1u);
  while (!walk.done()) bench.Step(walk);
  EXPECT_EQ(bench.Get(vtd::kCcmd, 8) >> 63, 0u);  // the walk has completed
  EXPECT_EQ(bench.Get(0xF8, 8) >> 63, 1u);        // the walk's access is still outstanding
  bench.core.Finish(walk);
  EXPECT_EQ(bench.Get(0xF8, 8) >> 63, 0u);
}

TEST(VtdQueue, RaisesTheCompletionInterruptOnceUntilCleared) {
  StartedVtd bench;
  bench.Put(vtd::kIedata, 4, 0x55);
  bench.Put(vtd::kIeaddr, 4, 0xFEE00000);
  bench.Submit(VtdBench::kWaitInterrupt);
  EXPECT_EQ(bench.Get(vtd::kIcs, 4), 1u);
  EXPECT_EQ(bench.Get(vtd::kIectl, 4), vtd::kIm | vtd::kIp);
  EXPECT_TRUE(bench.messages.empty());
  bench.Put(vtd::kIectl, 4, 0);  // unmasking sends the message now
  ASSERT_EQ(bench.messages.size(), 1u);
  EXPECT_EQ(bench.messages[0].first, 0xFEE00000u);
  EXPECT_EQ(bench.messages[0].second, 0x55u);
  EXPECT_EQ(bench.Get(vtd::kIectl, 4), 0u);
  bench.Submit(VtdBench::kWaitInterrupt);
  EXPECT_EQ(bench.messages.size(), 1u);  // IWC was still 1, so there is no second message
  bench.Put(vtd::kIcs, 4, 1);
  bench.Submit(VtdBench::kWaitInterrupt);
  EXPECT_EQ(bench.messages.size(), 2u);
}

TEST(VtdQueue, ForgetsAPendingInterruptWhenItsConditionIsCleared) {
  StartedVtd bench;
  bench.Submit(VtdBench::kWaitInterrupt);
  bench.Put(vtd::kIcs, 4, 1);
  EXPECT_EQ(bench.Get(vtd::kIectl, 4), vtd::kIm);
  bench.Put(vtd::kIectl, 4, 0);
  EXPECT_TRUE(bench.messages.empty());
}

TEST(VtdQueue, WritesStatusAndInterruptsInOneWait) {
  StartedVtd bench;
  bench.Submit(VtdBench::kWaitInterrupt | VtdBench::WaitStatus(3), VtdBench::kStatus);
  EXPECT_EQ(StatusWord(bench), 3u);
  EXPECT_EQ(bench.Get(vtd::kIcs, 4), 1u);
}

struct BadDescriptor {
  const char* name;
  uint64_t low, high;
  uint32_t code;
};

TEST(VtdQueue, StopsAtABadDescriptorAndGoesOnWhenItIsReplaced) {
  const BadDescriptor kCases[] = {
      {"type 0", 0, 0, vtd::kQueueBadType},
      {"device-TLB", 3, 0, vtd::kQueueBadType},
      {"interrupt entry cache, reserved bit 5", 4 | 1 << 5, 0, vtd::kQueueReserved},
      {"PASID-IOTLB", 6 | 2 << 4, 0, vtd::kQueueBadType},
      {"PASID cache", 7, 0, vtd::kQueueBadType},
      {"PASID device-TLB", 8, 0, vtd::kQueueBadType},
      {"type 15", 15, 0, vtd::kQueueBadType},
      {"context, no grain", 1, 0, vtd::kQueueReserved},
      {"context, reserved bit 6", VtdBench::ContextGlobal() | 1 << 6, 0, vtd::kQueueReserved},
      {"context, type bit 9", VtdBench::ContextGlobal() | 1 << 9, 0, vtd::kQueueReserved},
      {"context, reserved bit 50", VtdBench::ContextGlobal() | uint64_t{1} << 50, 0, vtd::kQueueReserved},
      {"context, high word", VtdBench::ContextGlobal(), 1, vtd::kQueueReserved},
      {"IOTLB, no grain", 2, 0, vtd::kQueueReserved},
      {"IOTLB, reserved bit 8", VtdBench::IotlbGlobal() | 1 << 8, 0, vtd::kQueueReserved},
      {"IOTLB, reserved bit 32", VtdBench::IotlbGlobal() | uint64_t{1} << 32, 0, vtd::kQueueReserved},
      {"IOTLB, reserved bit 75", VtdBench::IotlbPage(5), 1 << 11, vtd::kQueueReserved},
      {"IOTLB, mask above MAMV", VtdBench::IotlbPage(5), 19, vtd::kQueueReserved},
      {"wait for nothing", 5, 0, vtd::kQueueNoInformation},
      {"wait, page drain", VtdBench::WaitStatus(1) | 1 << 7, 0, vtd::kQueueReserved},
      {"wait, address bit 1", VtdBench::WaitStatus(1), VtdBench::kStatus | 2, vtd::kQueueReserved},
  };
  for (const BadDescriptor& bad : kCases) {
    SCOPED_TRACE(bad.name);
    StartedVtd bench;
    bench.Queue(VtdBench::WaitStatus(1), VtdBench::kStatus);
    bench.Queue(bad.low, bad.high);
    bench.Submit(VtdBench::WaitStatus(2), VtdBench::kStatus);
    EXPECT_EQ(StatusWord(bench), 1u);
    EXPECT_EQ(bench.Get(vtd::kIqh, 8), 16u);
    EXPECT_NE(bench.Fsts() & vtd::kIqe, 0u);
    EXPECT_EQ(Iqei(bench), bad.code);
    bench.Ring();
    bench.core.RunQueue(bench.memory);
    EXPECT_EQ(bench.Get(vtd::kIqh, 8), 16u);  // the queue stays stopped until IQE is cleared
    bench.memory.words[VtdBench::kQueue + 16] = VtdBench::WaitStatus(3);
    bench.memory.words[VtdBench::kQueue + 24] = VtdBench::kStatus + 4;
    bench.Put(vtd::kFsts, 4, vtd::kIqe);
    bench.core.RunQueue(bench.memory);
    EXPECT_EQ(StatusWord(bench), (uint64_t{3} << 32 | 2u));
    EXPECT_EQ(bench.Fsts() & vtd::kIqe, 0u);
    EXPECT_EQ(Iqei(bench), 0u);
  }
}

TEST(VtdQueue, ChangesNothingByABadDescriptor) {
  StartedVtd bench;
  bench.Map(0x1000, 0x2000);
  bench.Access(0x1000);
  bench.Submit(VtdBench::IotlbGlobal() | 1 << 8);
  EXPECT_EQ(bench.Cost(0x1000), 0u);
  EXPECT_EQ(bench.Count("iotlb_invalidations"), 0u);
}

TEST(VtdQueue, StopsWhenADescriptorCannotBeReadOrAStatusNotWritten) {
  StartedVtd bench;
  bench.memory.unreadable.insert(VtdBench::kQueue >> 12);
  bench.Submit(VtdBench::IotlbGlobal());
  EXPECT_EQ(Iqei(bench), vtd::kQueueFetch);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 0u);
  bench.memory.unreadable = {VtdBench::kStatus >> 12};
  bench.memory.words[VtdBench::kQueue] = VtdBench::WaitStatus(1);
  bench.memory.words[VtdBench::kQueue + 8] = VtdBench::kStatus;
  bench.Put(vtd::kFsts, 4, vtd::kIqe);
  bench.core.RunQueue(bench.memory);
  EXPECT_NE(bench.Fsts() & vtd::kIqe, 0u);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 0u);
}

TEST(VtdQueue, StopsAtATailPastItsEnd) {
  StartedVtd bench;
  bench.Put(vtd::kIqt, 8, 0x1000);
  bench.core.RunQueue(bench.memory);
  EXPECT_EQ(Iqei(bench), vtd::kQueueBadTail);
  EXPECT_NE(bench.Fsts() & vtd::kIqe, 0u);
}

TEST(VtdQueue, StopsWhenProgrammedForWideDescriptors) {
  StartedVtd bench;
  bench.Put(vtd::kIqa, 8, VtdBench::kQueue | 0x800);
  bench.Submit(VtdBench::IotlbGlobal());
  EXPECT_EQ(Iqei(bench), vtd::kQueueBadWidth);
}

TEST(VtdQueue, ForgetsAFetchInFlightWhenSwitchedOff) {
  StartedVtd bench;
  bench.Queue(VtdBench::IotlbGlobal());
  bench.Ring();
  ASSERT_EQ(bench.core.NextWork().kind, Kind::kFetch);
  bench.CommandOff(vtd::kQie);
  bench.core.FetchDone(true, VtdBench::IotlbGlobal(), 0);
  EXPECT_EQ(bench.Count("iotlb_invalidations"), 0u);
  EXPECT_EQ(bench.Get(vtd::kIqh, 8), 0u);
}

}  // namespace
}  // namespace gmmu::sim
