// SPDX-License-Identifier: Apache-2.0
// Tests the machine through its registers: work in flight between calls, rings, flushes, reset, several GPUs.
#include "twin/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "host/engine.h"
#include "host/machine_parts.h"
#include "tb/sim/host/held_reads.h"
#include "tb/sim/host/owned_pages.h"
#include "tb/sim/twin/bench.h"
#include "twin/gpu.h"

namespace gmmu::sim::twin {
namespace {

using regs::Target;
using ::testing::Contains;
using ::testing::Field;
using ::testing::IsEmpty;

TEST(Machine, DoesNothingInsideAWrite) {
  Bench b;
  b.bare.Fill(0x400000, 64 << 10, 1);
  b.StartRing(0);
  b.Put(0, 0, BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0, 64 << 10), 7);
  b.Ring(0, 1);
  EXPECT_EQ(b.Fence(0), 0u);  // the doorbell is still in flight
  EXPECT_FALSE(b.machine.WaitForMessage(2'000));
  EXPECT_EQ(b.Fence(0), 0u);  // the copy is still in progress
  std::vector<std::string> kinds;
  for (const hw::InUse& held : b.machine.ResourcesInUse()) kinds.push_back(held.kind);
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"rtl_slot", "bus_slot", "pcie_tag"}));
  ASSERT_TRUE(b.machine.WaitForMessage(1'000'000));
  EXPECT_EQ(b.Fence(0), 7u);  // the fence is visible before the message
  static_cast<void>(b.machine.TakeMessage());
  EXPECT_FALSE(b.machine.WaitForMessage(1'000));
  EXPECT_THAT(b.machine.ResourcesInUse(), IsEmpty());
}

TEST(Machine, RingsTakeTurnsAndStopAlone) {
  Bench b(Config(3));
  for (unsigned ring = 0; ring < 3; ++ring) {
    b.StartRing(ring);
    const uint64_t nop = regs::CommandHeaderWord().set_words(1).raw;
    for (unsigned i = 0; i < 4; ++i) b.Put(ring, i, {ring == 1 && i == 2 ? 0 : nop}, 10 * ring + i + 1);
  }
  EXPECT_EQ(b.bare.Read(regs::Cap0::kOffset) >> 24 & 0xFF, 3u);
  for (unsigned ring = 0; ring < 3; ++ring) b.Ring(ring, 4);
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(b.machine.WaitForMessage(10'000));
    static_cast<void>(b.machine.TakeMessage());
  }
  EXPECT_EQ(b.Fence(0), 4u);
  EXPECT_EQ(b.Fence(2), 24u);
  EXPECT_EQ(b.Fence(1), 12u);
  const regs::RingStatus stopped{b.bare.Read(Bench::Block(1) + regs::RingStatus::kOffset)};
  EXPECT_EQ(stopped.reason(), regs::Fault::kCommandBad);
  EXPECT_EQ(stopped.fence(), 13u);
}

TEST(Machine, ARingThatIsSwitchedOffGivesUpItsEntryWithoutAFence) {
  Bench b;
  b.StartRing(0);
  b.Put(0, 0, BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0, 1 << 20), 7);
  b.Ring(0, 1);
  EXPECT_FALSE(b.machine.WaitForMessage(10'000));
  b.bare.Write(Bench::Block(0) + regs::RingCtrl::kOffset, 0);
  EXPECT_FALSE(b.machine.WaitForMessage(1'000'000));
  EXPECT_EQ(b.Fence(0), 0u);
  EXPECT_EQ(b.bare.Read(Bench::Block(0) + regs::RingStatus::kOffset), 0u);
  EXPECT_EQ(b.bare.Read(regs::Status::kOffset), 1u);
}

TEST(Machine, HeldReadsKeepARingBusyUntilTheirTime) {
  FastMachine machine(Config());
  BareMachine bare(machine);
  HeldReadsKeepARingBusyUntilTheirTime(machine, bare);
}

TEST(Machine, AccessesToPagesThatNobodyHasAreFound) {
  FastMachine machine(Config());
  BareMachine bare(machine);
  AccessesToPagesThatNobodyHasAreFound(machine, bare);
}

TEST(Machine, KeepsATranslationUntilItIsFlushedAndNoLonger) {
  Bench b;
  b.bare.MapSpace({0x10000});
  const uint64_t one = 1, two = 2;
  b.bare.WriteVram(0x10000, &one, 8);
  b.bare.WriteVram(0x11000, &two, 8);
  const auto crc = [&] {
    EXPECT_TRUE(b.bare.ClientReads(1));
    return static_cast<uint32_t>(b.bare.Read(regs::kClientBase + regs::ClientResult::kOffset));
  };
  const uint32_t before = crc();
  const uint64_t moved = regs::PteEntry().set_valid(1).set_target(Target::kVram).set_page(0x11).raw;
  b.bare.WriteVram(0x2000, &moved, 8);
  EXPECT_EQ(crc(), before);
  b.bare.InvalidateSpace();
  EXPECT_NE(crc(), before);
}

TEST(Machine, TellsAFlushThatNobodyDid) {
  FastMachine machine(Config());
  BareMachine bare(machine);
  bare.PowerOn();
  bare.MapSpace({0x10000});
  ASSERT_TRUE(bare.ClientReads(1));
  const uint64_t moved = regs::PteEntry().set_valid(1).set_target(Target::kVram).set_page(0x11).raw;
  bare.WriteVram(0x2000, &moved, 8);
  machine.NoteFlush(0, 1, 0, ~uint64_t{0});
  ASSERT_TRUE(bare.ClientReads(1));
  EXPECT_THAT(machine.Findings(), Contains(Field(&hw::Finding::probe, "translation")));
}

TEST(Machine, WaitsWhileTheHostPortIsClosed) {
  for (const bool silence : {false, true}) {
    Bench b;
    b.StartRing(0);
    b.Put(0, 0, {regs::CommandHeaderWord().set_words(1).raw}, 7);
    if (silence) b.machine.gpu(0).Silence(true);
    else b.machine.ConfigWrite(BareMachine::kGpu, 4, 2, 2);
    b.Ring(0, 1);
    EXPECT_FALSE(b.machine.WaitForMessage(100'000));
    EXPECT_EQ(b.bare.Read(regs::Status::kOffset), 0u);  // not idle, because work is still pending
    if (silence) b.machine.gpu(0).Silence(false);
    else b.machine.ConfigWrite(BareMachine::kGpu, 4, 2, 6);
    EXPECT_TRUE(b.machine.WaitForMessage(100'000));
    EXPECT_EQ(b.Fence(0), 7u);
  }
}

TEST(Machine, AResetForgetsEverythingButVramAndThePciFunction) {
  Bench b;
  b.bare.MapSpace({0x10000});
  b.StartRing(0);
  b.Put(0, 0, BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0x100000, 1 << 20), 7);
  b.Ring(0, 1);
  EXPECT_FALSE(b.machine.WaitForMessage(10'000));
  b.machine.gpu(0).Reset();
  EXPECT_FALSE(b.machine.WaitForMessage(1'000'000));
  EXPECT_EQ(b.Fence(0), 0u);
  EXPECT_EQ(b.bare.Read(regs::Status::kOffset), 1u);
  EXPECT_EQ(b.bare.Read(regs::Ctrl::kOffset), 0u);
  EXPECT_EQ(b.bare.Read(Bench::Block(0)), 0u);
  EXPECT_EQ(b.bare.Read(regs::kSpaceBase + regs::kSpaceStride + 8), 0u);
  uint64_t word = 0;
  b.machine.MmioReadBlock(BareMachine::kWindow + 0x1000, &word, 8);
  EXPECT_NE(word, 0u);
}

TEST(Machine, GpusAreFunctionsOfTheirOwn) {
  constexpr uint64_t kSecond = 0xD0000000, kSecondWindow = 0xD4000000;
  Bench b(Config(1, 2));
  const hw::Bdf second = BdfOf(1);
  EXPECT_EQ(second.ToString(), "02:00.0");
  b.machine.ConfigWrite(second, 0x10, 4, kSecond);
  b.machine.ConfigWrite(second, 0x18, 4, kSecondWindow);
  b.machine.ConfigWrite(second, 4, 2, 6);
  b.machine.MmioWrite(kSecondWindow + 0x40, 8, 0x1234);
  b.machine.MmioWrite(kSecond + regs::InvStart::kOffset, 8, 77);
  EXPECT_EQ(b.machine.MmioRead(kSecondWindow + 0x40, 8), 0x1234u);
  EXPECT_EQ(b.machine.MmioRead(BareMachine::kWindow + 0x40, 8), 0u);
  EXPECT_EQ(b.machine.MmioRead(kSecond + regs::InvStart::kOffset, 8), 77u);
  EXPECT_EQ(b.bare.Read(regs::InvStart::kOffset), 0u);
  EXPECT_EQ(b.machine.ConfigRead(BdfOf(2), 0, 2), 0xFFFFu);
  EXPECT_THROW(FastMachine(Config(1, 5)), std::invalid_argument);
  EXPECT_THROW(FastMachine(Config(1, 0)), std::invalid_argument);
}

TEST(Machine, SaysWhenNothingCanEndAWait) {
  Bench b;
  EXPECT_THROW(b.machine.WaitForMessage(~uint64_t{0}), EngineError);
  const uint64_t before = b.machine.NowNs();
  EXPECT_FALSE(b.machine.WaitForMessage(5000));
  EXPECT_EQ(b.machine.NowNs(), before + 5000);
}

TEST(Machine, RepeatsItself) {
  const auto run = [] {
    Bench b;
    b.bare.MapSpace({0x10000, 0x11000});
    b.bare.StartRing();
    EXPECT_TRUE(b.bare.Execute(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0x10000, 9000)));
    EXPECT_TRUE(b.bare.ClientReads(100));
    std::string text = std::to_string(b.machine.NowNs());
    for (const hw::Counter& c : b.machine.Counters())
      text += " " + c.block + "." + c.name + "=" + std::to_string(c.value);
    return text;
  };
  EXPECT_EQ(run(), run());
}

TEST(Machine, ItsIommuOffersTheLargePagesOfTheConfiguration) {
  for (const auto& [largest, offered] : {std::pair{IommuPage::k4k, 0u}, {IommuPage::k2m, 1u}, {IommuPage::k1g, 3u}}) {
    MachineConfig config = Config();
    config.iommu.largest_page = largest;
    FastMachine machine(config);
    EXPECT_EQ(machine.MmioRead(*machine.firmware().iommu_base + 8, 8) >> 34 & 0xF, offered);  // CAP.SLLPS
  }
}

}  // namespace
}  // namespace gmmu::sim::twin
