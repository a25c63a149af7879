// SPDX-License-Identifier: Apache-2.0
// Tests the ring of the whole GPU: page-in by a copy, the fence record, and the interrupt message.
#include "tb/rtl/top/one_ring.h"

namespace gmmu::top {
namespace {

using regs::Opcode;
using regs::Target;

struct GpuRing : OneRing {};

TEST_F(GpuRing, ACopyThenItsFenceThenTheMessage) {
  Submit(Copy(0x500000, 0x400000, 0x10000), 77);
  WaitFence(77);
  EXPECT_EQ(gpu.vram.memory.Bytes(0x100000, 0x10000), gpu.host.memory.Bytes(kSource, 0x10000));
  gpu.Until([&] { return gpu.Messages() == 1; }, "the message");
  ASSERT_EQ(gpu.host.log.size(), 2u);
  EXPECT_EQ(gpu.host.log[0].address, kFence);
  EXPECT_EQ(gpu.host.log[0].bytes.size(), 16u);
  EXPECT_EQ(gpu.host.log[1].kind, 2u);
  EXPECT_EQ(gpu.Get<regs::IntStatus>().raw, 1u);
  EXPECT_EQ(gpu.Get<regs::RingLastFence>(TopMachine::RingAt(0)).fence(), 77u);
  EXPECT_EQ(gpu.Get<regs::RingHead>(TopMachine::RingAt(0)).index(), 1u);
  EXPECT_EQ(gpu.Get<regs::CountersCopyWriteBytes>(regs::kCountersBase).n(), 0x10000u);
  gpu.Run(50);
  EXPECT_TRUE(gpu.t.idle_o);
}

class GpuRingSeeds : public GpuRing, public ::testing::WithParamInterface<unsigned> {};

TEST_P(GpuRingSeeds, CopiesAtAnyAlignmentUnderBackPressure) {
  gpu.rng.seed(GetParam());  // Each seed runs on a new GPU with cold TLBs.
  gpu.vram.shuffle = gpu.host.shuffle = true;
  gpu.vram.stall_percent = gpu.host.stall_percent = 30;
  for (uint32_t i = 1; i <= 6; ++i) {
    const uint64_t from = gpu.rng() % 0x8000, to = gpu.rng() % 0x8000, bytes = 1 + gpu.rng() % 0x7000;
    Submit(Copy(0x500000 + from, 0x400000 + to, bytes), i);
    WaitFence(i);
    EXPECT_EQ(gpu.vram.memory.Bytes(0x100000 + to, bytes), gpu.host.memory.Bytes(kSource + from, bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GpuRingSeeds, ::testing::Range(1u, 9u));

TEST_F(GpuRing, AnApertureMappingIsUsedByTheNextCommandAndTheUnmapEndsIt) {
  gpu.host.memory.Make(0x60000, 0x1000);  // the dummy page
  gpu.Set(regs::ApertureBase{0x300000});
  gpu.Set(regs::AperturePages{64});
  const auto header = [](Opcode op, unsigned words) {
    return regs::CommandHeaderWord{}.set_opcode(op).set_words(words);
  };
  const uint64_t copy =
      header(Opcode::kCopy, 4).set_src_physical(1).set_src_target(Target::kAperture).set_dst_space(1).raw;

  Submit({header(Opcode::kApertureMap, 3).raw, 4ull | 8ull << 32, kSource | 1, copy, 0x4000, 0x400000, 0x8000}, 1);
  WaitFence(1);
  EXPECT_EQ(gpu.vram.memory.Bytes(0x100000, 0x8000), gpu.host.memory.Bytes(kSource, 0x8000));

  Submit({header(Opcode::kApertureUnmap, 3).raw, 4ull | 8ull << 32, 0x60000 | 1, copy, 0x4000, 0x400000, 0x8000}, 2);
  WaitFence(2);
  EXPECT_EQ(gpu.vram.memory.Bytes(0x100000, 0x8000), std::vector<uint8_t>(0x8000));
}

TEST_F(GpuRing, AnErrorStopsTheRingWithAReportAndARecord) {
  gpu.host.memory.Make(0x50000, 0x1000);
  gpu.Set(regs::FaultQueueBase{0x50000});
  gpu.Set(regs::FaultQueueSize{}.set_size_lg2(4).set_enable(1));
  auto words = Copy(0x500000, 0x400000, 64);
  const auto bad = Copy(0x500000, 0x700000, 64);
  words.insert(words.end(), bad.begin(), bad.end());
  Submit(words, 9);
  gpu.Until([&] { return gpu.Get<regs::RingStatus>(TopMachine::RingAt(0)).error() == 1; }, "the error");
  const auto status = gpu.Get<regs::RingStatus>(TopMachine::RingAt(0));
  EXPECT_EQ(status.reason(), regs::Fault::kEntryInvalid);
  EXPECT_EQ(status.access(), regs::Access::kWrite);
  EXPECT_EQ(status.fence(), 9u);
  EXPECT_EQ(gpu.Get<regs::RingErrorCommand>(TopMachine::RingAt(0)).offset(), 32u);
  EXPECT_EQ(gpu.Get<regs::RingErrorAddress>(TopMachine::RingAt(0)).address(), 0x700000u);
  gpu.Until([&] { return gpu.Get<regs::FaultQueueTail>().index() == 1; }, "the record");
  EXPECT_EQ(regs::FaultRecordWhat{gpu.host.memory.Read64(0x50000)}.port_index(),
            TopMachine::kPorts - 1);  // the engine's write port
  EXPECT_EQ(regs::FaultRecordWhat{gpu.host.memory.Read64(0x50000)}.fence(), 9u);
  EXPECT_EQ(gpu.Get<regs::IntStatus>().raw & 7, 6u);
}

TEST_F(GpuRing, FlushAndTrafficAtOnceComeToAnEnd) {
  for (uint64_t i = 0; i < 16; ++i) gpu.MapPages(1, 0x400000 + 4096 * i, Target::kVram, 0x100000 + 4096 * i, 1);
  for (unsigned c = 0; c < TopMachine::kEngines; ++c)
    gpu.StartTraffic(c, regs::ClientCtrl{}.set_space(1), 0x400000, c, 4, 256, 33);
  const uint64_t flush = regs::CommandHeaderWord{}
                             .set_opcode(Opcode::kFlushTlb)
                             .set_scope(regs::Scope::kRange)
                             .set_dst_space(1)
                             .set_words(3)
                             .raw;
  for (uint32_t i = 1; i <= 8; ++i) {
    Submit({flush, 0x400000, 0x410000}, i);
    WaitFence(i);
  }
  for (unsigned c = 0; c < TopMachine::kEngines; ++c) EXPECT_EQ(gpu.EndTraffic(c).count(), 256u);
  EXPECT_EQ(gpu.Get<regs::CountersInvalidations>(regs::kCountersBase).n(),
            9u);  // eight flushes, and the write of the space's root
}

}  // namespace
}  // namespace gmmu::top
