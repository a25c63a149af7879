// SPDX-License-Identifier: Apache-2.0
// What engine and clients do to memory, and how they report what they cannot do.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "hw/traffic.h"
#include "tb/sim/twin/bench.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Opcode;
using regs::Target;

constexpr uint64_t kQueue = 0x110000;

struct Work : ::testing::Test {
  Work() {
    b.bare.MapSpace({0x10000, 0x11000, 0x12000, 0x13000});
    b.StartRing(0);
    b.bare.Write(regs::FaultQueueBase::kOffset, kQueue);
    b.bare.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(3).set_enable(1).raw);
  }
  static uint64_t Head(Opcode opcode, unsigned words, uint64_t more = 0) {
    return regs::CommandHeaderWord().set_opcode(opcode).set_words(words).raw | more;
  }
  /// Reason of the stop, or none.
  Fault Execute(const std::vector<uint64_t>& words) {
    b.Put(0, tail_, words, 100 + tail_);
    tail_ = (tail_ + 1) % 16;
    b.Ring(0, tail_);
    EXPECT_TRUE(b.machine.WaitForMessage(1'000'000));
    while (b.machine.TakeMessage()) {
    }
    b.bare.Write(regs::IntStatus::kOffset, 0x3F);
    return regs::RingStatus{b.bare.Read(Bench::Block(0) + regs::RingStatus::kOffset)}.reason();
  }
  uint64_t Vram(uint64_t offset) { return b.machine.MmioRead(BareMachine::kWindow + offset, 8); }
  uint64_t Host(uint64_t address) {
    uint64_t word = 0;
    EXPECT_TRUE(b.machine.ram().Read(address, &word, 8));
    return word;
  }
  regs::ClientStatus Client(regs::ClientCtrl ctrl, uint64_t base, uint32_t count) {
    b.bare.Write(regs::kClientBase + regs::ClientBase::kOffset, base);
    b.bare.Write(regs::kClientBase + regs::ClientLines::kOffset, regs::ClientLines().set_stride(1).raw);
    b.bare.Write(regs::kClientBase + regs::ClientOrder::kOffset, regs::ClientOrder().set_count(count).set_step(1).raw);
    b.bare.Write(regs::kClientBase, ctrl.set_start(1).set_space(1).raw);
    regs::ClientStatus status{1};
    for (int i = 0; i < 1000 && status.busy() != 0; ++i)
      status.raw = b.bare.Read(regs::kClientBase + regs::ClientStatus::kOffset);
    EXPECT_EQ(status.busy(), 0u);
    return status;
  }

  Bench b;
  unsigned tail_ = 0;
};

TEST_F(Work, DoesTheCopyOfTheDmaPagesExample) {
  const uint64_t header = 0x0004000000012001;  // to physical VRAM, from space 0
  EXPECT_EQ(Execute({header | uint64_t{1} << 24, 0xFFC, 0x2003 + 0x20000, 100}), Fault::kNone);
  b.bare.Fill(0x400000, 0x2000, 9);
  EXPECT_EQ(Execute(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0x10000, 0x2000)), Fault::kNone);
  EXPECT_EQ(Execute({header | uint64_t{1} << 24, 0xFFC, 0x22003, 100}), Fault::kNone);
  for (uint64_t i = 0; i < 100; ++i) {
    uint8_t expected = 0;
    ASSERT_TRUE(b.machine.ram().Read(0x400FFC + i, &expected, 1));
    ASSERT_EQ(b.machine.MmioRead(BareMachine::kWindow + 0x22003 + i, 1), expected) << i;
  }
  EXPECT_EQ(Vram(0x22000) & 0xFFFFFF, 0u);
  EXPECT_EQ(b.Fence(0), 102u);
}

TEST_F(Work, WritesFillsSeriesAndInlineWords) {
  EXPECT_EQ(Execute({Head(Opcode::kFill, 4, 1 << 13 | 1 << 16), 0x30001, 6, 0x44332211,
                     Head(Opcode::kTableRepeat, 5, 1 << 13 | 1 << 16), 0x31000, 3, 7, 4096,
                     Head(Opcode::kTableWrite, 4, 1 << 13 | 1 << 16), 0x32000, 5, 6}),
            Fault::kNone);
  EXPECT_EQ(Vram(0x30000), 0x0022'1144'3322'1100u);
  EXPECT_EQ(Vram(0x31000), 7u);
  EXPECT_EQ(Vram(0x31010), 7u + 2 * 4096);
  EXPECT_EQ(Vram(0x31018), 0u);
  EXPECT_EQ(Vram(0x32008), 6u);
}

TEST_F(Work, MapsTheApertureAndForgetsItAtTheUnmap) {
  b.bare.Write(regs::ApertureBase::kOffset, 0x300000);
  b.bare.Write(regs::AperturePages::kOffset, 64);
  b.bare.Put(0x500A40, 0x1111);
  b.bare.Put(0x600A40, 0x2222);
  const auto copy = [](uint64_t to) {
    return std::vector<uint64_t>{Head(Opcode::kCopy, 4, 1 << 12 | 2 << 14 | 1 << 13 | 1 << 16), 0x5A40, to, 8};
  };
  EXPECT_EQ(Execute({Head(Opcode::kApertureMap, 3), 4 | uint64_t{2} << 32, 0x4FF001}), Fault::kNone);
  EXPECT_EQ(Vram(0x300028), 0x500001u);
  EXPECT_EQ(Execute(copy(0x20000)), Fault::kNone);
  EXPECT_EQ(Execute({Head(Opcode::kApertureUnmap, 3), 5 | uint64_t{1} << 32, 0x600001}), Fault::kNone);
  EXPECT_EQ(Execute(copy(0x20008)), Fault::kNone);
  EXPECT_EQ(Vram(0x20000), 0x1111u);
  EXPECT_EQ(Vram(0x20008), 0x2222u);
  EXPECT_EQ(Execute({Head(Opcode::kApertureMap, 3), 63 | uint64_t{2} << 32, 1}), Fault::kApertureRange);
}

// Coherent is bit 2 of an aperture entry; without it the request does not ask the CPU's caches.
TEST_F(Work, AnApertureEntryWithoutCoherentReadsWhatTheCpuHasNotWrittenBack) {
  b.bare.Write(regs::ApertureBase::kOffset, 0x300000);
  b.bare.Write(regs::AperturePages::kOffset, 64);
  b.bare.Put(0x500A40, 0x1111);
  const uint64_t pfn = 0x500;
  auto* view = static_cast<uint8_t*>(b.machine.ram().MapPages(&pfn, 1, hw::Caching::kCached));
  const uint64_t fresh = 0x2222;
  std::memcpy(view + 0xA40, &fresh, sizeof fresh);
  const auto map = [](uint64_t flags) {
    return std::vector<uint64_t>{Head(Opcode::kApertureMap, 3), 5 | uint64_t{1} << 32, 0x500000 | flags};
  };
  const auto copy = [](uint64_t to) {
    return std::vector<uint64_t>{Head(Opcode::kCopy, 4, 1 << 12 | 2 << 14 | 1 << 13 | 1 << 16), 0x5A40, to, 8};
  };
  EXPECT_EQ(Execute(map(1)), Fault::kNone);
  EXPECT_EQ(Execute(copy(0x20000)), Fault::kNone);
  EXPECT_EQ(Vram(0x20000), 0x1111u);
  EXPECT_EQ(Execute(map(1 | 4)), Fault::kNone);
  EXPECT_EQ(Execute(copy(0x20008)), Fault::kNone);
  EXPECT_EQ(Vram(0x20008), 0x2222u);
  EXPECT_EQ(Execute(map(1)), Fault::kNone);
  b.machine.ram().cache().WriteBackAll();
  EXPECT_EQ(Execute(copy(0x20010)), Fault::kNone);
  EXPECT_EQ(Vram(0x20010), 0x2222u);
  b.machine.ram().UnmapPages(view, 1);
}

TEST_F(Work, StopsAtAFaultWithARecordAndWhatWasWrittenBefore) {
  b.bare.Fill(0x400000, 0x8000, 1);
  const uint64_t to_space = uint64_t{1} << 32;  // five pages into a space of four
  EXPECT_EQ(Execute({Head(Opcode::kCopy, 4, 1 << 12 | to_space), 0x400000, 0x80, 0x5000}), Fault::kEntryInvalid);
  EXPECT_EQ(b.bare.Read(Bench::Block(0) + regs::RingErrorAddress::kOffset), 0x4000u);
  EXPECT_EQ(b.bare.Read(Bench::Block(0) + regs::RingHead::kOffset), 0u);
  const regs::FaultRecordWhat what{Host(kQueue)};
  EXPECT_EQ(what.reason(), Fault::kEntryInvalid);
  EXPECT_EQ(what.space(), 1u);
  EXPECT_EQ(what.port_index(), 6u);
  EXPECT_EQ(what.access(), regs::Access::kWrite);
  EXPECT_EQ(what.fence(), 100u);
  EXPECT_EQ(Host(kQueue + 8), 0x4000u);
  EXPECT_EQ(Vram(0x13FF8), Host(0x403F78));
  EXPECT_EQ(b.Fence(0), 0u);
}

TEST_F(Work, VerifiedRunsFindWhatWasChanged) {
  const auto verify = regs::ClientCtrl().set_verify(1);
  b.bare.Write(regs::kClientBase + regs::ClientSeed::kOffset, 55);
  const auto wrote = Client(regs::ClientCtrl(verify).set_access(regs::Access::kWrite), 0, 100);
  EXPECT_EQ(wrote.count(), 200u);
  EXPECT_EQ(Vram(0x11008), hw::AddressPattern(55, 0x1008));
  const uint64_t wrong = 0;
  b.bare.WriteVram(0x11008, &wrong, 8);
  EXPECT_EQ(Client(verify, 0, 100).count(), 100u);
  EXPECT_EQ(regs::ClientResult{b.bare.Read(regs::kClientBase + regs::ClientResult::kOffset)}.mismatches(), 1u);
}

TEST_F(Work, AClientEndsAtItsFirstFault) {
  const auto status = Client(regs::ClientCtrl(), 0x3F00, 10);
  EXPECT_EQ(status.reason(), Fault::kEntryInvalid);
  EXPECT_EQ(status.count(), 4u);
  EXPECT_EQ(b.bare.Read(regs::kClientBase + regs::ClientFaultAddress::kOffset), 0x4000u);
  EXPECT_EQ(regs::FaultRecordWhat{Host(kQueue)}.port_index(), 0u);
}

TEST_F(Work, AClientFollowsPointers) {
  const uint64_t next[4] = {0x2000, 0x4000, 0x3000, 0x1000};  // the last of page 1, into a hole
  for (uint64_t i = 0; i < 4; ++i) b.bare.WriteVram(0x10000 + i * 0x1000, &next[i], 8);
  EXPECT_EQ(Client(regs::ClientCtrl().set_pattern(regs::Pattern::kChase), 0, 9).count(), 4u);
  EXPECT_EQ(b.bare.Read(regs::kClientBase + regs::ClientFaultAddress::kOffset), 0x4000u);
  EXPECT_EQ(b.bare.Read(regs::kPortCountersBase), 5u);
}

TEST_F(Work, ARangeFlushDropsWhatItOverlapsAndNothingElse) {
  const auto line = [&](uint64_t va) {
    EXPECT_EQ(Client(regs::ClientCtrl(), va, 1).count(), 1u);
    return regs::ClientResult{b.bare.Read(regs::kClientBase + regs::ClientResult::kOffset)}.crc();
  };
  const uint64_t ones = 1;
  b.bare.WriteVram(0x20000, &ones, 8);
  const uint64_t zero = line(0), also_zero = line(0x1000);
  const auto moved = regs::PteEntry().set_valid(1).set_target(Target::kVram).set_page(0x20);
  for (const uint64_t entry : {0x2000, 0x2008}) b.bare.WriteVram(entry, &moved.raw, 8);
  EXPECT_EQ(Execute({Head(Opcode::kFlushTlb, 3, 2 << 10 | uint64_t{1} << 32), 0x1FFF, 0x2000}), Fault::kNone);
  EXPECT_EQ(line(0), zero);
  EXPECT_NE(line(0x1000), also_zero);
}

TEST_F(Work, TheRingGoesRound) {
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(Execute({Head(Opcode::kNop, 1)}), Fault::kNone);
  EXPECT_EQ(b.bare.Read(Bench::Block(0) + regs::RingHead::kOffset), 4u);
  EXPECT_EQ(b.bare.Read(regs::kCountersBase + regs::CountersRingEntries::kOffset), 20u);
}

TEST_F(Work, NothingLeavesByAPortThatClosesInTheMiddle) {
  b.Put(0, 0, BareMachine::Copy(Target::kVram, 0, Target::kVram, 0x200000, 1 << 20), 7);
  b.Ring(0, 1);
  EXPECT_FALSE(b.machine.WaitForMessage(10'000));
  b.machine.ConfigWrite(BareMachine::kGpu, 4, 2, 2);
  EXPECT_FALSE(b.machine.WaitForMessage(1'000'000));
  EXPECT_EQ(b.Fence(0), 0u);
  b.machine.ConfigWrite(BareMachine::kGpu, 4, 2, 6);
  EXPECT_TRUE(b.machine.WaitForMessage(10'000));
  EXPECT_EQ(b.Fence(0), 7u);
}

TEST_F(Work, AFullFaultQueueDropsAndCounts) {
  b.bare.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(1).set_enable(1).raw);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Client(regs::ClientCtrl(), 0x4000, 1).reason(), Fault::kEntryInvalid);
  const regs::FaultQueueTail full{b.bare.Read(regs::FaultQueueTail::kOffset)};
  EXPECT_EQ(full.index(), 1u);
  EXPECT_EQ(full.dropped(), 2u);
  b.bare.Write(regs::FaultQueueHead::kOffset, 1);
  Client(regs::ClientCtrl(), 0x4000, 1);
  EXPECT_EQ(Host(kQueue + 32 + 24), 3u);  // numbered with those that were dropped
}

TEST_F(Work, AFaultQueueThatComesBackSmallerReducesItsTail) {
  const auto index = [&] { return regs::FaultQueueTail{b.bare.Read(regs::FaultQueueTail::kOffset)}.index(); };
  const auto set = [&](unsigned lg2, unsigned enable) {
    b.bare.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(lg2).set_enable(enable).raw);
  };
  for (int i = 0; i < 5; ++i) Client(regs::ClientCtrl(), 0x4000, 1);
  EXPECT_EQ(index(), 5u);
  set(2, 0);
  EXPECT_EQ(index(), 5u) << "while it is off";
  set(2, 1);
  EXPECT_EQ(index(), 1u);
  b.bare.Write(regs::FaultQueueHead::kOffset, 1);
  Client(regs::ClientCtrl(), 0x4000, 1);
  EXPECT_EQ(index(), 2u);
  EXPECT_EQ(Host(kQueue + 32 + 24), 5u) << "in the record that the tail named";
}

TEST_F(Work, AResetDisablesTheSpaces) {
  EXPECT_EQ(Client(regs::ClientCtrl(), 0, 1).count(), 1u);
  b.machine.gpu(0).Reset();
  b.bare.Write(regs::Ctrl::kOffset, 1);
  EXPECT_EQ(Client(regs::ClientCtrl(), 0, 1).reason(), Fault::kSpaceDisabled);
}

}  // namespace
}  // namespace gmmu::sim::twin
