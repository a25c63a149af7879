// SPDX-License-Identifier: Apache-2.0
#include "probe/engine_log.h"

#include <gtest/gtest.h>

#include "event_keeper.h"

namespace gmmu::sim {
namespace {

using hw::Cause;
constexpr unsigned kInline = 7, kSettle = 9, kEnd = 14, kRecord = 16;

uint32_t Header(regs::Opcode opcode) { return static_cast<uint32_t>(regs::CommandHeaderWord().set_opcode(opcode).raw); }

struct EngineLogTest : testing::Test {
  EventKeeper kept;
  EngineLog log{kept, 0};
  uint64_t cycle = 100;
  EngineCycle now;
  EngineLoad load;

  void Cycles(unsigned state, unsigned count = 1) {
    now.state = state;
    for (; count != 0; --count) log.Cycle(cycle++, now, load);
    now.start = now.job_ready = now.retired = false;
  }
  void Start() {
    now.start = true;
    now.fence = 9;
    now.bytes = 64;
    now.address = 0x2000;
    Cycles(EngineCycle::kIdle);
  }
  void Command(regs::Opcode opcode, uint64_t length) {
    Cycles(EngineCycle::kGet);
    now.header = Header(opcode);
    now.length = length;
    Cycles(EngineCycle::kRange, 3);
    now.job_ready = true;
    Cycles(EngineCycle::kIssue);
  }
  uint64_t Spent(const hw::EngineSpan& span, Cause cause) { return span.spent[static_cast<size_t>(cause)]; }
};

TEST_F(EngineLogTest, ACopyIsQueuedThenReadsThenWritesAndTheBufferAddsUp) {
  Start();
  load.fetches = 1;
  Cycles(EngineCycle::kGet, 10);
  load.fetches = 0;
  Command(regs::Opcode::kCopy, 4096);
  load.host_reads = 2;
  load.writes = 1;  // a cycle in which both counts are nonzero is attributed to reads
  Cycles(EngineCycle::kGet, 20);
  load.host_reads = 0;
  Cycles(kEnd, 5);
  load.writes = 0;
  now.retired = true;
  Cycles(kEnd);
  Cycles(kRecord, 2);
  Cycles(EngineCycle::kRecordDone, 3);
  Cycles(EngineCycle::kIdle);
  ASSERT_EQ(kept.commands.size(), 1u);
  const hw::CommandEvent& copy = kept.commands[0];
  EXPECT_EQ(copy.bytes, 4096u);
  EXPECT_TRUE(copy.finished);
  EXPECT_EQ(Spent(copy, Cause::kQueue), 3u);
  EXPECT_EQ(Spent(copy, Cause::kHostRead), 20u);
  EXPECT_EQ(Spent(copy, Cause::kWrite), 5u);
  ASSERT_EQ(kept.buffers.size(), 1u);
  const hw::BufferEvent& buffer = kept.buffers[0];
  EXPECT_TRUE(buffer.completed);
  EXPECT_EQ(buffer.fence, 9u);
  EXPECT_EQ(buffer.begin, 100u);
  EXPECT_EQ(Spent(buffer, Cause::kFetch), 10u);
  EXPECT_TRUE(CheckSpent(buffer));
  EXPECT_EQ(log.broken(), 0u);
  EXPECT_FALSE(log.busy());
}

TEST_F(EngineLogTest, TransfersEndInTheirOrderAndASettlingCommandWithItsLastState) {
  Start();
  Command(regs::Opcode::kFill, 64);
  Command(regs::Opcode::kSignalFence, 0);
  now.retired = true;  // the fill
  Cycles(kSettle, 2);
  now.retired = true;  // the fence's write
  Cycles(kSettle, 2);
  Cycles(EngineCycle::kGet, 2);
  ASSERT_EQ(kept.commands.size(), 2u);
  EXPECT_EQ(kept.commands[0].header, Header(regs::Opcode::kFill));
  EXPECT_EQ(kept.commands[1].header, Header(regs::Opcode::kSignalFence));
  EXPECT_EQ(kept.commands[1].bytes, 8u);
  EXPECT_GT(kept.commands[1].end, kept.commands[0].end);
}

TEST_F(EngineLogTest, InlineWordsAndInvalidationsAreCounted) {
  Start();
  Cycles(EngineCycle::kGet);
  now.header = Header(regs::Opcode::kTableWrite);
  now.words = 3;
  Cycles(EngineCycle::kRange, 2);
  now.job_ready = true;
  Cycles(EngineCycle::kIssue);
  Cycles(kInline, 4);
  now.retired = true;
  Cycles(EngineCycle::kGet);
  now.header = Header(regs::Opcode::kFlushTlb);
  Cycles(EngineCycle::kRange, 1);
  Cycles(EngineCycle::kControl, 1);
  Cycles(EngineCycle::kControlDone, 30);
  Cycles(EngineCycle::kGet);
  ASSERT_EQ(kept.commands.size(), 2u);
  EXPECT_EQ(kept.commands[0].bytes, 24u);
  EXPECT_EQ(Spent(kept.commands[1], Cause::kInvalidate), 31u);
}

TEST_F(EngineLogTest, AResetEndsWhatIsUnderWay) {
  Start();
  Command(regs::Opcode::kCopy, 4096);
  Cycles(EngineCycle::kGet, 5);
  log.Reset(cycle);
  ASSERT_EQ(kept.commands.size(), 1u);
  EXPECT_FALSE(kept.commands[0].finished);
  ASSERT_EQ(kept.buffers.size(), 1u);
  EXPECT_FALSE(kept.buffers[0].completed);
  EXPECT_EQ(log.broken(), 0u);
}

TEST_F(EngineLogTest, ACycleThatIsLeftOutIsNoticed) {
  Start();
  Cycles(EngineCycle::kGet, 3);
  cycle += 7;
  Cycles(EngineCycle::kGet, 3);
  Cycles(EngineCycle::kRecordDone);
  Cycles(EngineCycle::kIdle);
  EXPECT_EQ(log.broken(), 1u);
}

}  // namespace
}  // namespace gmmu::sim
