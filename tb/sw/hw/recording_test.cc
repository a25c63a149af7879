// SPDX-License-Identifier: Apache-2.0
#include "hw/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::hw {
namespace {

using Kind = RecordingPlatform::Kind;
using Access = RecordingPlatform::Access;

constexpr uint32_t kBar0 = 0x90000000, kBar2 = 0x94000000;

void Enable(RecordingPlatform& machine) {
  machine.ConfigWrite({1, 0, 0}, 0x10, 4, kBar0);
  machine.ConfigWrite({1, 0, 0}, 0x18, 4, kBar2);
  machine.ConfigWrite({1, 0, 0}, 0x04, 2, 0x6);
  machine.ClearLog();
}

TEST(Bdf, PrintsAsLspciDoes) {
  EXPECT_EQ((Bdf{1, 0, 0}).ToString(), "01:00.0");
  EXPECT_EQ((Bdf{0xfe, 0x1f, 7}).ToString(), "fe:1f.7");
  EXPECT_EQ((Bdf{1, 2, 3}).requester_id(), 0x0113);
}

TEST(RecordingPlatform, ReadsAllOnesAndDropsWritesWhereNobodyDecodes) {
  RecordingPlatform machine;
  EXPECT_EQ(machine.MmioRead(0xC0000000, 4), 0xFFFFFFFFu);
  EXPECT_EQ(machine.MmioRead(0xC0000000, 8), ~uint64_t{0});
  machine.MmioWrite(0xC0000000, 8, 1);
  EXPECT_EQ(machine.ConfigRead({2, 0, 0}, 0, 4), 0xFFFFFFFFu);
  EXPECT_THAT(machine.log(), testing::SizeIs(4));
}

TEST(RecordingPlatform, SizesAndPlacesItsBars) {
  RecordingPlatform machine;
  const Bdf gpu{1, 0, 0};
  EXPECT_EQ(machine.ConfigRead(gpu, 0, 4), 0x474D1234u);
  machine.ConfigWrite(gpu, 0x10, 4, ~0u);
  machine.ConfigWrite(gpu, 0x18, 4, ~0u);
  EXPECT_EQ(machine.ConfigRead(gpu, 0x10, 4), ~0xFFFFu);
  EXPECT_EQ(machine.ConfigRead(gpu, 0x18, 4), ~0x3FFFFFFu);
  EXPECT_EQ(machine.BarBase(0), 0u);  // memory decoding is off
  Enable(machine);
  EXPECT_EQ(machine.BarBase(0), kBar0);
  EXPECT_EQ(machine.BarBase(2), kBar2);
  EXPECT_TRUE(machine.bus_master());
}

TEST(RecordingPlatform, HasSeveralGpusEachWithItsOwn) {
  RecordingPlatform::Options options;
  options.gpus = 3;
  RecordingPlatform machine(options);
  EXPECT_EQ(machine.firmware().gpus, 3u);
  EXPECT_EQ(machine.ConfigRead({4, 0, 0}, 0, 4), 0xFFFFFFFFu);
  for (uint8_t unit = 0; unit < 3; ++unit) {
    const Bdf bdf{static_cast<uint8_t>(1 + unit), 0, 0};
    EXPECT_EQ(machine.ConfigRead(bdf, 0, 4), 0x474D1234u);
    machine.ConfigWrite(bdf, 0x10, 4, kBar0 + unit * 0x10000000);
    machine.ConfigWrite(bdf, 0x18, 4, kBar2 + unit * 0x10000000);
    machine.ConfigWrite(bdf, 0x04, 2, unit == 1 ? 0x2 : 0x6);
    machine.MmioWrite(kBar0 + unit * 0x10000000 + 0x100, 8, unit + 5);
    machine.MmioWrite(kBar2 + unit * 0x10000000, 8, unit + 7);
  }
  for (unsigned unit = 0; unit < 3; ++unit) {
    EXPECT_EQ(machine.Register(0x100, unit), unit + 5);
    EXPECT_EQ(machine.vram(unit)[0], unit + 7);
    EXPECT_EQ(machine.bus_master(unit), unit != 1);
  }
}

TEST(RecordingPlatform, KeepsRegistersOfEitherWidth) {
  RecordingPlatform machine;
  Enable(machine);
  machine.SetRegister(0x100, 0x1122334455667788);
  EXPECT_EQ(machine.MmioRead(kBar0 + 0x100, 8), 0x1122334455667788u);
  EXPECT_EQ(machine.MmioRead(kBar0 + 0x104, 4), 0x11223344u);
  machine.MmioWrite(kBar0 + 0x100, 4, 0xAABBCCDD);
  EXPECT_EQ(machine.Register(0x100), 0x11223344AABBCCDDu);
}

TEST(RecordingPlatform, LogsEveryAccessInOrderWithItsValue) {
  RecordingPlatform machine;
  Enable(machine);
  machine.SetRegister(8, 5);
  machine.MmioRead(kBar0 + 8, 8);
  machine.MmioWrite(kBar0 + 16, 4, 6);
  EXPECT_THAT(machine.log(), testing::ElementsAre(Access{Kind::kMmioRead, kBar0 + 8, 8, 5},
                                                  Access{Kind::kMmioWrite, kBar0 + 16, 4, 6}));
  EXPECT_THAT(machine.LogOf(Kind::kMmioWrite, {kBar0, kBar0 + 0x100}), testing::SizeIs(1));
}

TEST(RecordingPlatform, AsksTheNewestHandlerOfARegisterOrRange) {
  RecordingPlatform machine;
  Enable(machine);
  uint64_t written = 0, polls = 0;
  machine.OnRegister({0x40, 0x48}, {[&](uint64_t, unsigned) { return ++polls; },
                                    [&](uint64_t, unsigned, uint64_t value) { written = value; }});
  EXPECT_EQ(machine.MmioRead(kBar0 + 0x40, 8), 1u);
  EXPECT_EQ(machine.MmioRead(kBar0 + 0x40, 8), 2u);
  machine.MmioWrite(kBar0 + 0x40, 8, 77);
  EXPECT_EQ(written, 77u);
  EXPECT_EQ(machine.Register(0x40), 0u);
  machine.OnMmio({kBar0, kBar0 + 0x1000}, {[](uint64_t offset, unsigned) { return offset; }, {}});
  EXPECT_EQ(machine.MmioRead(kBar0 + 0x40, 8), 0x40u);
}

TEST(RecordingPlatform, MovesItsWindowOverVram) {
  RecordingPlatform machine;
  Enable(machine);
  machine.SetRegister(0x38, 0x100000);
  const uint64_t words[2] = {1, 2};
  machine.MmioWriteBlock(kBar2 + 0x10, words, 16);
  EXPECT_EQ(machine.vram()[0x100010], 1);
  EXPECT_EQ(machine.vram()[0x100018], 2);
  uint64_t back[2] = {};
  machine.MmioReadBlock(kBar2 + 0x10, back, 16);
  EXPECT_EQ(back[1], 2u);
  machine.SetRegister(0x38, machine.vram().size());
  EXPECT_EQ(machine.MmioRead(kBar2, 8), ~uint64_t{0});  // past the end of VRAM
}

TEST(RecordingPlatform, GivesMessagesInOrderAndAsksTheIdleHookWhenThereIsNone) {
  RecordingPlatform machine;
  EXPECT_FALSE(machine.TakeMessage());
  machine.OnIdle([&] { machine.PushMessage({0xFEE00000, 9}); });
  EXPECT_TRUE(machine.WaitForMessage(1000));
  EXPECT_EQ(machine.TakeMessage()->data, 9u);
  machine.OnIdle({});
  const uint64_t before = machine.NowNs();
  EXPECT_FALSE(machine.WaitForMessage(1000));
  EXPECT_GE(machine.NowNs(), before + 1000);
}

TEST(RecordingPlatform, ShowsTheMessageThatSoftwareProgrammed) {
  RecordingPlatform machine;
  const Bdf gpu{1, 0, 0};
  const uint32_t at = machine.ConfigRead(gpu, 0x34, 1);
  EXPECT_EQ(machine.ConfigRead(gpu, static_cast<uint16_t>(at), 1), 5u);
  machine.ConfigWrite(gpu, static_cast<uint16_t>(at + 4), 4, 0xFEE01000);
  machine.ConfigWrite(gpu, static_cast<uint16_t>(at + 12), 2, 0x41);
  EXPECT_FALSE(machine.msi_enabled());
  machine.ConfigWrite(gpu, static_cast<uint16_t>(at + 2), 2, 1);
  EXPECT_TRUE(machine.msi_enabled());
  EXPECT_EQ(machine.programmed_message().address, 0xFEE01000u);
  EXPECT_EQ(machine.programmed_message().data, 0x41u);
}

TEST(RecordingPlatform, TakesTheSameTimeForEachCall) {
  RecordingPlatform machine;
  machine.MmioRead(0, 4);
  machine.ConfigRead({1, 0, 0}, 0, 4);
  EXPECT_EQ(machine.NowNs(), 20u);
}

}  // namespace
}  // namespace gmmu::hw
