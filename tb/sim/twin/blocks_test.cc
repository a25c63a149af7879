// SPDX-License-Identifier: Apache-2.0
// The small blocks, each alone: agenda, estimates, commands, interrupts, rings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "twin/agenda.h"
#include "twin/command.h"
#include "twin/interrupts.h"
#include "twin/ring.h"
#include "twin/time_model.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Opcode;
using ::testing::ElementsAre;

TEST(Agenda, ActsInTheOrderOfTimeAndOfEqualTimesInTheOrderOfTheCalls) {
  Agenda agenda;
  std::vector<int> order;
  agenda.At(20, [&] { order.push_back(3); });
  agenda.At(10, [&] {
    order.push_back(1);
    agenda.At(5, [&] { order.push_back(2); });  // has passed: now
  });
  agenda.At(20, [&] { order.push_back(4); });
  agenda.At(21, [&] { order.push_back(5); });
  agenda.RunUntil(20);
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(agenda.now(), 20u);
  EXPECT_EQ(agenda.next(), 21u);
}

TEST(TimeModel, ABusCarriesOneAccessAfterTheOther) {
  TimeModel time{TimeParameters{}};
  const Cost first = time.Vram(0, 4096, false), second = time.Vram(0, 4096, false);
  EXPECT_EQ(first.next, 512'000u);  // 8 bytes a cycle
  EXPECT_EQ(second.next, 2 * first.next);
  EXPECT_GT(first.done, first.next + 100'000);
  EXPECT_EQ(time.Vram(0, 4096, true).next, first.next);  // the other direction
}

TEST(TimeModel, FewReadsInFlightMakeTheHostSlow) {
  TimeModel many{TimeParameters{}}, few{TimeParameters{}};
  EXPECT_LT(many.HostRead(0, 4096, 1 << 20, 0).next, few.HostRead(0, 4096, 128, 0).next / 8);
}

uint64_t Head(Opcode opcode, unsigned words, uint64_t more = 0) {
  return regs::CommandHeaderWord().set_opcode(opcode).set_words(words).raw | more;
}

constexpr CommandRights kRights{true, 0, 16, 64, 0x700000};

TEST(Command, AHeaderIsJudgedByOpcodeSizeAndReservedBits) {
  const auto judge = [](uint64_t header, uint64_t left = 100) {
    return JudgeHeader(regs::CommandHeaderWord{header}, left);
  };
  EXPECT_EQ(judge(Head(Opcode::kNop, 7)), Fault::kNone);
  EXPECT_EQ(judge(Head(Opcode::kNop, 0)), Fault::kCommandBad);
  EXPECT_EQ(judge(Head(Opcode::kNop, 7), 6), Fault::kCommandBad);
  EXPECT_EQ(judge(Head(static_cast<Opcode>(10), 1)), Fault::kCommandBad);
  EXPECT_EQ(judge(Head(Opcode::kTableWrite, 2)), Fault::kCommandBad);  // no entry
  EXPECT_EQ(judge(Head(Opcode::kApertureList, 2)), Fault::kNone);      // of no page
  EXPECT_EQ(judge(Head(Opcode::kFlushTlb, 3, 3 << 10)), Fault::kCommandBad);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const bool reserved = (bit >= 18 && bit < 24) || (bit >= 40 && bit < 48);
    if (reserved)
      EXPECT_EQ(judge(Head(Opcode::kCopy, 4, uint64_t{1} << bit)), Fault::kCommandBad) << bit;
  }
}

TEST(Command, FaultsHaveTheOrderOfThePage) {
  const uint64_t space = uint64_t{20} << 24;  // not built
  const auto judge = [](std::vector<uint64_t> words, bool privileged) {
    CommandRights rights = kRights;
    rights.privileged = privileged;
    return JudgeCommand(words.data(), rights).fault;
  };
  const uint64_t long_copy = uint64_t{1} << 48;
  EXPECT_EQ(judge({Head(Opcode::kCopy, 4, space | 1 << 13), 0, 0, long_copy}, false), Fault::kNotPrivileged);
  EXPECT_EQ(judge({Head(Opcode::kCopy, 4, space | 1 << 13), 0, 0, long_copy}, true), Fault::kCommandBad);
  EXPECT_EQ(judge({Head(Opcode::kCopy, 4, space | 1 << 13), 0, 0, 8}, true), Fault::kSpaceDisabled);
  EXPECT_EQ(judge({Head(Opcode::kApertureMap, 3), 63 | uint64_t{2} << 32, 1}, true), Fault::kApertureRange);
  EXPECT_EQ(judge({Head(Opcode::kApertureMap, 3), 62 | uint64_t{2} << 32, 1}, true), Fault::kNone);
  EXPECT_EQ(judge({Head(Opcode::kFlushTlb, 3, 1 << 10), 9, 3}, false), Fault::kNone);  // no range
}

TEST(Command, WithoutPrivilegeItNamesTheSpaceOfItsBufferOnly) {
  constexpr unsigned kOwn = 5;
  for (unsigned source = 0; source < 8; ++source) {
    for (unsigned destination = 0; destination < 8; ++destination) {
      for (const bool privileged : {false, true}) {
        CommandRights rights = kRights;
        rights.privileged = privileged;
        rights.space = kOwn;
        const uint64_t spaces = uint64_t{source} << 24 | uint64_t{destination} << 32;
        const std::vector<uint64_t> copy = {Head(Opcode::kCopy, 4, spaces), 0, 0, 8};
        const std::vector<uint64_t> fill = {Head(Opcode::kFill, 4, spaces), 0, 8, 0};
        const std::vector<uint64_t> flush = {Head(Opcode::kFlushTlb, 3, spaces | 1 << 10), 0, 0};
        const bool both = source == kOwn && destination == kOwn, one = destination == kOwn;
        const auto fault = [&](bool allowed) { return privileged || allowed ? Fault::kNone : Fault::kNotPrivileged; };
        EXPECT_EQ(JudgeCommand(copy.data(), rights).fault, fault(both)) << source << destination;
        EXPECT_EQ(JudgeCommand(fill.data(), rights).fault, fault(one)) << source << destination;
        EXPECT_EQ(JudgeCommand(flush.data(), rights).fault, fault(one)) << source << destination;
      }
    }
  }
}

struct Messages {
  unsigned begun = 0;
  Interrupts interrupts{[this] { ++begun; }};
  Messages() { interrupts.set_open(true); }
};

TEST(Interrupts, AMessageForEachEnabledCauseThatAppears) {
  Messages m;
  m.interrupts.Raise(1);
  EXPECT_EQ(m.begun, 0u);
  m.interrupts.set_enable(3);
  EXPECT_EQ(m.begun, 1u);
  m.interrupts.Raise(1);  // stands already
  m.interrupts.Sent();
  EXPECT_EQ(m.begun, 1u);
  m.interrupts.Raise(2);
  EXPECT_EQ(m.begun, 2u);
}

TEST(Interrupts, OneAtATimeAndOneMoreAfterAClearThatLeavesACauseStanding) {
  Messages m;
  m.interrupts.set_enable(7);
  m.interrupts.Raise(1);
  m.interrupts.Raise(2);
  EXPECT_EQ(m.begun, 1u);
  m.interrupts.Sent();
  EXPECT_EQ(m.begun, 2u);
  m.interrupts.Sent();
  m.interrupts.Clear(1);
  EXPECT_EQ(m.begun, 3u);
  m.interrupts.Sent();
  m.interrupts.Clear(2);
  EXPECT_EQ(m.begun, 3u);
  EXPECT_TRUE(m.interrupts.idle());
}

TEST(Interrupts, HeldWhileClosedAndDroppedWithItsCauses) {
  Messages m;
  m.interrupts.set_enable(7);
  m.interrupts.set_open(false);
  m.interrupts.Raise(1);
  EXPECT_FALSE(m.interrupts.idle());
  m.interrupts.Clear(1);
  EXPECT_TRUE(m.interrupts.idle());
  m.interrupts.Raise(2);
  m.interrupts.set_open(true);
  EXPECT_EQ(m.begun, 1u);
}

TEST(Ring, SwitchingOnClearsHeadErrorAndLastFenceAndOffEndsALife) {
  Ring ring;
  ring.Write(regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(2).set_enable(1).raw);
  ring.head = 3, ring.last_fence = 9, ring.error_address = 5;
  ring.status.set_error(1);
  const uint64_t life = ring.life;
  ring.Write(regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(2).raw);
  EXPECT_NE(ring.life, life);
  EXPECT_EQ(ring.Read(regs::RingHead::kOffset), 3u);
  ring.Write(regs::RingCtrl::kOffset, regs::RingCtrl().set_size_lg2(2).set_enable(1).raw);
  for (const uint32_t offset : {regs::RingHead::kOffset, regs::RingLastFence::kOffset,
      regs::RingStatus::kOffset, regs::RingErrorAddress::kOffset})
    EXPECT_EQ(ring.Read(offset), 0u) << offset;
  ring.Write(regs::RingTail::kOffset, 5);
  EXPECT_TRUE(ring.HasWork());  // index 1 of four
}

}  // namespace
}  // namespace gmmu::sim::twin
