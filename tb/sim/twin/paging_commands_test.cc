// SPDX-License-Identifier: Apache-2.0
// Tests which bytes the paging engine's commands write, and at which byte a faulting command stops.
#include "tb/sim/twin/work.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Opcode;
using regs::Target;

TEST_F(Work, DoesTheCopyOfTheDmaPagesExample) {
  const uint64_t header = 0x0004000000012001;  // a copy whose destination is physical VRAM
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

TEST_F(Work, StopsWhenWhatItHasBegunIsAnswered) {
  // Restarts the ring with `words` as its buffer. Returns the nanoseconds until the ring stops with `reason`.
  const auto stops_after = [&](const std::vector<uint64_t>& words, Fault reason) {
    b.bare.Write(Bench::Block(0) + regs::RingCtrl::kOffset, 0);
    b.bare.Write(Bench::Block(0) + regs::RingTail::kOffset, tail_ = 0);
    b.StartRing(0);
    const uint64_t begin = b.machine.NowNs();
    EXPECT_EQ(Execute(words), reason);
    return b.machine.NowNs() - begin;
  };
  constexpr uint64_t kNowhere = 0x7000'0000'0000;  // beyond the end of RAM
  const auto copy = [](uint64_t bytes) {
    return BareMachine::Copy(Target::kSystem, kNowhere, Target::kVram, 0, bytes);
  };
  const uint64_t nothing_read = stops_after({0}, Fault::kCommandBad);
  const uint64_t one_burst = stops_after(copy(256), Fault::kBusRead), page = stops_after(copy(4096), Fault::kBusRead);
  EXPECT_GT(one_burst, nothing_read + 500) << "two ways over the link";
  EXPECT_LT(one_burst, nothing_read + 1'000);
  EXPECT_GT(page, one_burst + 300) << "fifteen bursts are behind the one that fails";
  EXPECT_LT(page, one_burst + 1'000);
}

TEST_F(Work, StopsAtAFaultWithARecordAndWhatWasWrittenBefore) {
  b.bare.Fill(0x400000, 0x8000, 1);
  const uint64_t to_space = uint64_t{1} << 32;  // writes five pages, but the space maps only four
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

}  // namespace
}  // namespace gmmu::sim::twin
