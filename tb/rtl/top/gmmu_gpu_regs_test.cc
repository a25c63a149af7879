// SPDX-License-Identifier: Apache-2.0
// Tests the rules for register accesses, the window, and interrupts.
#include <gtest/gtest.h>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

TEST(GpuRegisters, TellWhatWasBuilt) {
  TopMachine gpu;

  EXPECT_EQ(gpu.Get<regs::Id>().magic(), 0x554D4D47u);
  const auto cap0 = gpu.Get<regs::Cap0>();
  EXPECT_EQ(cap0.clients(), sizes::kNumClients);
  EXPECT_EQ(cap0.spaces(), sizes::kNumSpaces);
  EXPECT_EQ(cap0.bus_bytes(), 8u);
  EXPECT_EQ(cap0.pa_bits(), 48u);
  EXPECT_EQ(gpu.Get<regs::Cap1>().l2_entries(), sizes::kL2Entries);
  EXPECT_EQ(gpu.Get<regs::VramSize>().bytes(), TopMachine::kVramBytes);
}

TEST(GpuRegisters, KeepWhatIsWrittenInTheirFields) {
  TopMachine gpu;
  const std::vector<std::pair<uint32_t, uint64_t>> masks = {{regs::WindowBase::kOffset, 0xfffffffff000},
                                                            {regs::FaultQueueBase::kOffset, 0xfffffffff000},
                                                            {regs::FaultQueueHead::kOffset, 0xffff},
                                                            {regs::ApertureBase::kOffset, 0xfffffffff000},
                                                            {regs::AperturePages::kOffset, 0xffffffff},
                                                            {regs::Link::kOffset, 0x707},
                                                            {regs::InvStart::kOffset, ~0ull},
                                                            {regs::IntEnable::kOffset, 0x3f},
                                                            {TopMachine::RingAt(0), 0x3fffffffff000},
                                                            {TopMachine::RingAt(0) + 8, 0x70f},
                                                            {TopMachine::RingAt(0) + 0x20, 0xfffffffffff0},
                                                            {TopMachine::SpaceAt(5), 0xffffffffffffff17},
                                                            {TopMachine::ClientAt(0) + 8, ~0ull},
                                                            {TopMachine::ClientAt(0) + 0x10, ~0ull},
                                                            {TopMachine::ClientAt(1) + 0x18, ~0ull}};
  for (const auto& [offset, mask] : masks) {
    EXPECT_EQ(gpu.Read(offset), 0u) << std::hex << offset;
    gpu.Write(offset, 0xfedcba9876543210);
    EXPECT_EQ(gpu.Read(offset), 0xfedcba9876543210 & mask) << std::hex << offset;
    gpu.Write(offset, ~0ull);
    EXPECT_EQ(gpu.Read(offset), mask) << std::hex << offset;
  }
}

TEST(GpuRegisters, ARootThatFollowsAnInvalidationAtOnceWaitsForIt) {
  TopMachine gpu;
  gpu.Write(regs::InvCmd::kOffset, 0);
  gpu.Write(TopMachine::SpaceAt(1) + regs::SpaceRoot::kOffset, regs::SpaceRoot().set_address(0x5000).raw);
  while (gpu.Get<regs::InvStatus>().busy() != 0) {}
  EXPECT_EQ(gpu.Get<regs::InvStatus>().done(), 2u);
  EXPECT_EQ(gpu.Get<regs::SpaceRoot>(TopMachine::SpaceAt(1)).address(), 0x5000u);
}

TEST(GpuRegisters, SizesInUseAreWhatWasBuiltUntilFewerAreWritten) {
  TopMachine gpu;
  const auto done = [&] {
    while (gpu.Get<regs::InvStatus>().busy() != 0) {}
    return gpu.Get<regs::InvStatus>().done();
  };
  const auto sizes = [&] { return gpu.Get<regs::SizesInUse>(); };
  const auto cap1 = gpu.Get<regs::Cap1>();
  const auto built = regs::SizesInUse()
                         .set_l1_entries(cap1.l1_entries())
                         .set_l2_entries(cap1.l2_entries())
                         .set_l2_ways(cap1.l2_ways())
                         .set_walk_cache(cap1.walk_cache())
                         .set_walks(gpu.Get<regs::Cap0>().walks());
  const auto few =
      regs::SizesInUse().set_l1_entries(2).set_l2_entries(16).set_l2_ways(1).set_walk_cache(2).set_walks(1);
  EXPECT_EQ(gpu.Get<regs::Cap2>().turn_down(), sizes::kTurnDown ? 1u : 0u);
  if (!sizes::kTurnDown) {
    EXPECT_EQ(sizes().raw, 0u);
    gpu.Write(regs::SizesInUse::kOffset, few.raw);
    EXPECT_EQ(done(), 0u);
    EXPECT_EQ(sizes().raw, 0u);
    return;
  }
  EXPECT_EQ(sizes().raw, built.raw);
  // The second operation must wait for the first one.
  gpu.Write(regs::InvCmd::kOffset, 0);
  gpu.Write(regs::SizesInUse::kOffset, few.raw);
  EXPECT_EQ(done(), 2u);
  EXPECT_EQ(sizes().raw, few.raw);
  gpu.Write(regs::SizesInUse::kOffset, regs::SizesInUse().set_walks(built.walks() + 1).raw);
  EXPECT_EQ(done(), 3u);
  EXPECT_EQ(sizes().raw, few.raw);
  gpu.Write(regs::SizesInUse::kOffset, regs::SizesInUse().set_l2_ways(1).set_l2_entries(32).raw);
  EXPECT_EQ(done(), 4u);
  EXPECT_EQ(sizes().raw, regs::SizesInUse{built}.set_l2_ways(1).set_l2_entries(32).raw);
  // A change of sizes does not count as an invalidation.
  EXPECT_EQ(gpu.Get<regs::CountersInvalidations>(regs::kCountersBase).n(), 1u);
  gpu.t.reset_i = 1;
  gpu.Step();
  gpu.t.reset_i = 0;
  gpu.Until([&] { return !gpu.t.resetting_o; }, "the end of the reset");
  EXPECT_EQ(sizes().raw, built.raw);
}

TEST(GpuRegisters, HalvesGoLowFirstAndTheHighHalfCommits) {
  TopMachine gpu;
  gpu.Write(regs::InvStart::kOffset, 0x1111111122222222);

  gpu.Write32(regs::InvStart::kOffset, 0x33333333);
  EXPECT_EQ(gpu.Read(regs::InvStart::kOffset), 0x1111111122222222u);
  gpu.Write32(regs::InvStart::kOffset + 4, 0x44444444);
  EXPECT_EQ(gpu.Read(regs::InvStart::kOffset), 0x4444444433333333u);
}

TEST(GpuRegisters, AReadOfTheHighHalfReturnsWhatTheLowHalfLatched) {
  TopMachine gpu;
  gpu.now = 0xfffffff0;
  const uint32_t low = gpu.Read32(regs::Cycle::kOffset);
  gpu.Run(100);  // until the counter's high half has changed
  EXPECT_LT(low, 0xffffffffu);
  EXPECT_EQ(gpu.Read32(regs::Cycle::kOffset + 4), 0u);
  EXPECT_EQ(gpu.Read(regs::Cycle::kOffset) >> 32, 1u);
}

TEST(GpuRegisters, OddStrobesAndALoneHighHalfAreRefusedAndChangeNothing) {
  TopMachine gpu;
  gpu.Write(regs::InvEnd::kOffset, 7);

  gpu.Write(regs::InvEnd::kOffset, ~0ull, 0x01);
  EXPECT_EQ(gpu.response, 2u);
  gpu.Write32(regs::InvEnd::kOffset + 4, 1);
  EXPECT_EQ(gpu.response, 2u);
  gpu.Write32(regs::InvStart::kOffset, 1);  // the low half of another register
  gpu.Write32(regs::InvEnd::kOffset + 4, 1);
  EXPECT_EQ(gpu.response, 2u);
  EXPECT_EQ(gpu.Read(regs::InvEnd::kOffset), 7u);
}

TEST(GpuRegisters, ReadZeroWhereNothingIs) {
  TopMachine gpu;
  for (uint32_t offset : {0x400u, TopMachine::RingAt(sizes::kNumRings), TopMachine::SpaceAt(sizes::kNumSpaces), 0x4100u,
                          0x81c0u, 0x9110u, 0xf000u}) {
    gpu.Write(offset, ~0ull);
    EXPECT_EQ(gpu.Read(offset), 0u) << std::hex << offset;
  }
}

TEST(GpuRegisters, WhatOnlyTheHardwareWritesIgnoresSoftware) {
  TopMachine gpu;
  for (uint32_t offset :
       {regs::Id::kOffset, regs::Cap0::kOffset, regs::Status::kOffset, TopMachine::RingAt(0) + regs::RingHead::kOffset,
        TopMachine::RingAt(0) + regs::RingStatus::kOffset, TopMachine::RingAt(0) + regs::RingErrorAddress::kOffset,
        TopMachine::ClientAt(1) + regs::ClientStatus::kOffset, TopMachine::ClientAt(1) + regs::ClientResult::kOffset}) {
    const uint64_t before = gpu.Read(offset);
    gpu.Write(offset, ~before);
    EXPECT_EQ(gpu.response, 0u);
    EXPECT_EQ(gpu.Read(offset), before) << std::hex << offset;
  }
}

TEST(GpuWindow, ShowsVramFromItsBase) {
  TopMachine gpu;
  gpu.WindowWrite(0x10, 0x1122334455667788);
  gpu.WindowWrite(0x18, 0xaabbccddeeff0011, 0x0f);
  EXPECT_EQ(gpu.WindowRead(0x10),
            0x1122334455667788u);  // A read is ordered after earlier posted writes.
  EXPECT_EQ(gpu.vram.memory.Read64(0x18), 0xeeff0011u);

  gpu.Set(regs::WindowBase{0x200000});
  gpu.WindowWrite(0x8, 5);
  gpu.WindowSettle();
  EXPECT_EQ(gpu.vram.memory.Read64(0x200008), 5u);
  EXPECT_EQ(gpu.vram.memory.Read64(0x8), 0u);
}

TEST(GpuWindow, KeepsManyWritesAndReadsInOrder) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    TopMachine gpu(seed);
    gpu.vram.shuffle = true;
    gpu.vram.stall_percent = seed * 15;
    std::map<uint32_t, uint64_t> expected;
    for (int i = 0; i < 400; ++i) {
      const uint32_t at = 8 * (gpu.rng() % 32);
      if (gpu.rng() % 4 != 0) {
        expected[at] = gpu.rng();
        gpu.WindowWrite(at, expected[at]);
      } else {
        EXPECT_EQ(gpu.WindowRead(at), expected[at]);
      }
    }
    EXPECT_TRUE(gpu.vram.errors.empty()) << gpu.vram.errors.front();
  }
}

TEST(GpuWindow, AnswersAnErrorPastTheEndOfVram) {
  TopMachine gpu;
  gpu.WindowRead(TopMachine::kVramBytes);
  EXPECT_EQ(gpu.response, 2u);
  gpu.WindowRead(0);
  EXPECT_EQ(gpu.response, 0u);
}

TEST(GpuWindow, ItsHostApertureShowsThePagesOfItsEntries) {
  TopMachine gpu;
  gpu.vram.write_latency = 100;
  EXPECT_EQ(gpu.Get<regs::Cap2>().host_aperture_lg2(), 8u);
  const auto set = [&](uint64_t index, uint64_t vram) {
    gpu.Set(regs::HostApertureEntry{}.set_valid(vram != 0).set_index(index).set_page(vram >> 12));
  };
  for (uint64_t i = 0; i < 256; ++i) set(i, 0);
  gpu.Set(regs::HostAperture{}.set_enable(1).set_first(0x100));
  set(5, 0x7000);
  set(255, 0x4000);
  gpu.WindowWrite(0x105010, 1);
  gpu.WindowWrite(0x1FFFF8, 2);
  gpu.WindowWrite(0x0FF008, 3);  // not in the host aperture
  set(5, 0x9000);                // after all three
  gpu.WindowWrite(0x105010, 4);
  gpu.WindowSettle();
  EXPECT_EQ(gpu.vram.memory.Read64(0x7010), 1u);
  EXPECT_EQ(gpu.vram.memory.Read64(0x4FF8), 2u);
  EXPECT_EQ(gpu.vram.memory.Read64(0xFF008), 3u);
  EXPECT_EQ(gpu.vram.memory.Read64(0x9010), 4u);
  EXPECT_EQ(gpu.WindowRead(0x105010), 4u);
  gpu.WindowRead(0x106000);
  EXPECT_EQ(gpu.response, 2u);
}

TEST(GpuWindow, ARegisterWriteTakesEffectAfterAllEarlierWindowWrites) {
  TopMachine gpu;
  gpu.vram.write_latency = 500;
  for (uint32_t i = 0; i < 8; ++i) gpu.WindowWrite(8 * i, i + 1);
  ASSERT_FALSE(gpu.vram.idle());

  gpu.Set(regs::WindowBase{0x100000});

  EXPECT_TRUE(gpu.vram.idle());  // The register's response came after every B.
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(gpu.vram.memory.Read64(8 * i), i + 1);
}

TEST(GpuInterrupts, AMessageIsSentWhenAnEnabledCauseAppears) {
  TopMachine gpu;
  gpu.host.memory.Make(0xFEE00000, 0x1000);
  gpu.Set(regs::InvCmd{0});
  gpu.Until([&] { return gpu.Get<regs::IntStatus>().invalidate() == 1; }, "the cause");
  gpu.Run(200);
  EXPECT_EQ(gpu.Messages(), 0u);  // No message is sent: the cause is not enabled.

  gpu.Set(regs::IntEnable{0x10});
  gpu.Run(200);
  ASSERT_EQ(gpu.Messages(), 1u);
  const HostWrite& message = gpu.host.log.back();
  EXPECT_EQ(message.address, 0xFEE00010u);
  EXPECT_EQ(message.bytes, (std::vector<uint8_t>{0x41, 0, 0, 0}));

  gpu.Run(500);
  EXPECT_EQ(gpu.Messages(), 1u);  // Only one message is sent per cause.
  gpu.Set(regs::IntStatus{0x10});
  gpu.Run(200);
  EXPECT_EQ(gpu.Get<regs::IntStatus>().raw, 0u);
  EXPECT_EQ(gpu.Messages(), 1u);
}

TEST(GpuInterrupts, AClearThatLeavesACauseStandingSendsAnotherMessage) {
  TopMachine gpu;
  gpu.Set(regs::Ctrl{1});
  gpu.Set(regs::IntEnable{0x18});
  gpu.Traffic(0, {}, 0, 0, 0, /*count=*/0, 1);  // An empty run completes at once.
  gpu.Set(regs::InvCmd{0});
  gpu.Until([&] { return gpu.Get<regs::IntStatus>().raw == 0x18u; }, "both causes");
  gpu.Run(300);
  const unsigned before = gpu.Messages();
  EXPECT_EQ(before, 2u);

  gpu.Set(regs::IntStatus{0x8});
  gpu.Run(200);
  EXPECT_EQ(gpu.Messages(), before + 1);
  gpu.Set(regs::IntStatus{0x10});
  gpu.Run(200);
  EXPECT_EQ(gpu.Messages(), before + 1);
}

TEST(GpuInterrupts, MessagesAreHeldWhileMsiOrBusMasterIsOff) {
  for (bool master : {false, true}) {
    TopMachine gpu;
    if (master) gpu.t.bus_master_i = 0;
    else gpu.EnableMessages(false);
    gpu.Set(regs::IntEnable{0x1f});
    gpu.Set(regs::InvCmd{0});
    gpu.Run(500);
    EXPECT_EQ(gpu.Messages(), 0u);
    EXPECT_FALSE(gpu.t.idle_o);

    gpu.t.bus_master_i = 1;
    gpu.EnableMessages(true);
    gpu.Run(200);
    EXPECT_EQ(gpu.Messages(), 1u);
    EXPECT_TRUE(gpu.t.idle_o);
  }
}

}  // namespace
}  // namespace gmmu::top
