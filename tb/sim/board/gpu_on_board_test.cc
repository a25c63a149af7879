// SPDX-License-Identifier: Apache-2.0
// Tests a machine whose GPU is on a board, through the registers of the GPU and of the machine's IOMMU.
#include "board/board_engine.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "board/sizes.h"
#include "host/bare_machine.h"
#include "hw/gmmu_regs.h"
#include "tb/sim/board/fake_board.h"
#include "tb/sim/host/owned_pages.h"

namespace gmmu::sim::board {
namespace {

using regs::Target;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A fake board, the machine that contains it, and minimal software.
struct Bench {
  explicit Bench(unsigned noise = 0, MachineConfig config = MachineConfig())
      : fake([&] {
          FakeBoardOptions options;
          options.config = FakeBoard::SmallConfig();
          options.noise = noise;
          return options;
        }()),
        machine([&] {
          BoardOptions options;
          options.port = fake.port();
          auto board = std::make_unique<Board>(options);
          Adopt(board->identity(), {}, config);
          return std::make_unique<BoardMachine>(config, std::move(board));
        }()),
        bare(*machine, 0, /*bound_ns=*/5'000'000'000) {
    bare.PowerOn();
  }
  ~Bench() { EXPECT_EQ(fake.violation(), ""); }

  FakeBoard fake;
  std::unique_ptr<BoardMachine> machine;
  BareMachine bare;
};

TEST(BoardMachine, CopiesBothWaysThroughTheIommuAndAnnouncesTheFence) {
  Bench b;
  b.bare.Fill(0x400000, 64 << 10, 1);
  std::vector<BareMachine::Mapping> pages = {{0x100000, 0x100000}, {0x101000, 0x101000}, {0x102000, 0x102000}};
  for (uint64_t i = 0; i < 16; ++i) {
    pages.push_back({0x10000000 + i * 4096, 0x400000 + i * 4096});
    pages.push_back({0x11000000 + i * 4096, 0x600000 + (15 - i) * 4096});
  }
  b.bare.TranslateDma(pages);
  b.bare.StartRing();
  std::vector<uint64_t> in, out;
  for (uint64_t i = 0; i < 16; ++i) {
    const auto copy = BareMachine::Copy(Target::kSystem, 0x10000000 + i * 4096, Target::kVram, i * 4096, 4096);
    in.insert(in.end(), copy.begin(), copy.end());
    const auto back = BareMachine::Copy(Target::kVram, i * 4096, Target::kSystem, 0x11000000 + i * 4096, 4096);
    out.insert(out.end(), back.begin(), back.end());
  }
  ASSERT_TRUE(b.bare.Execute(in));
  ASSERT_TRUE(b.bare.Execute(out));
  EXPECT_TRUE(b.bare.Fenced());
  for (uint64_t i = 0; i < 16; ++i)
    EXPECT_EQ(b.bare.Bytes(0x600000 + (15 - i) * 4096, 4096), b.bare.Bytes(0x400000 + i * 4096, 4096)) << i;
  b.bare.StopRing();
  EXPECT_THAT(b.machine->ResourcesInUse(), IsEmpty());
}

TEST(BoardMachine, AnUnmappedPageIsRefusedByTheIommu) {
  Bench b;
  b.bare.TranslateDma({{0x100000, 0x100000}, {0x101000, 0x101000}, {0x102000, 0x102000}});
  b.bare.StartRing();
  EXPECT_FALSE(b.bare.Execute(BareMachine::Copy(Target::kSystem, 0x10000000, Target::kVram, 0, 4096)));
  EXPECT_EQ(b.bare.status().reason(), regs::Fault::kBusRead);
  // Bit 1 of the IOMMU's fault status register shows that a fault record is pending.
  EXPECT_NE(b.machine->MmioRead(*b.machine->firmware().iommu_base + 0x34, 4) & 2, 0u);
}

TEST(BoardMachine, WindowAccessesOfEverySizeReachVram) {
  Bench b;
  std::vector<uint8_t> bytes(20'000), back(20'000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  b.machine->MmioWriteBlock(b.bare.window() + 64, bytes.data(), bytes.size());
  b.machine->MmioReadBlock(b.bare.window() + 64, back.data(), back.size());
  EXPECT_EQ(back, bytes);
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    for (unsigned at = 0; at < 8; at += size) {
      b.machine->MmioWrite(b.bare.window() + 0x10000 + at, size, 0xA5A4A3A2A1A0A9A8 + at);
      EXPECT_EQ(b.machine->MmioRead(b.bare.window() + 0x10000 + at, size),
                (0xA5A4A3A2A1A0A9A8 + at) & (size == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * size) - 1));
    }
  }
  uint64_t ids[2];
  b.machine->MmioReadBlock(b.bare.registers(), ids, sizeof ids);
  EXPECT_EQ(ids[0], b.bare.Read(0));
  EXPECT_EQ(ids[1], b.bare.Read(8));
}

TEST(BoardMachine, MemoryLosesItsContentsInD3) {
  Bench b;
  constexpr uint64_t kWord = 0x0123456789ABCDEF;
  constexpr uint16_t kPowerState = ConfigSpace::kPower + 4;
  std::set<uint64_t> seen{kWord};
  b.machine->MmioWrite(b.bare.window() + 0x8000, 8, kWord);
  for (int i = 0; i < 2; ++i) {
    b.machine->ConfigWrite(b.bare.bdf(), kPowerState, 2, 3);
    EXPECT_EQ(b.machine->MmioRead(b.bare.window() + 0x8000, 8), ~uint64_t{0});
    b.machine->ConfigWrite(b.bare.bdf(), kPowerState, 2, 0);
    EXPECT_TRUE(seen.insert(b.machine->MmioRead(b.bare.window() + 0x8000, 8)).second);
  }
  b.machine->MmioWrite(b.bare.window() + 0x8000, 8, kWord);
  EXPECT_EQ(b.machine->MmioRead(b.bare.window() + 0x8000, 8), kWord);
}

TEST(BoardMachine, BringsTheSameBytesOverANoisyLine) {
  Bench b(/*noise=*/300);
  b.bare.Fill(0x400000, 64 << 10, 3);
  b.bare.StartRing();
  ASSERT_TRUE(b.bare.Execute(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0, 64 << 10)));
  ASSERT_TRUE(b.bare.Execute(BareMachine::Copy(Target::kVram, 0, Target::kSystem, 0x600000, 64 << 10)));
  EXPECT_EQ(b.bare.Bytes(0x600000, 64 << 10), b.bare.Bytes(0x400000, 64 << 10));
  const LinkCounts& counts = b.machine->device().board().counts();
  EXPECT_GT(counts.damaged + counts.sent_again, 0u);
}

TEST(BoardMachine, AccessesToPagesThatNobodyHasAreFound) {
  Bench b;
  AccessesToPagesThatNobodyHasAreFound(*b.machine, b.bare);
}

TEST(BoardMachine, HeldReadsGetTheirAnswersAtTheirTime) {
  Bench b;
  b.bare.Fill(0x400000, 4096, 1);
  b.bare.StartRing();
  const uint64_t until = b.machine->NowNs() + 300'000'000;
  b.machine->HoldReads(0, 0x400000, until);
  ASSERT_TRUE(b.bare.Execute(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0, 4096)));
  EXPECT_GE(b.machine->NowNs(), until);
}

TEST(BoardMachine, MessagesMayComeLate) {
  MachineConfig config;
  config.inject.late_interrupt_ns = 100'000'000;
  Bench b(0, config);
  const uint64_t before = b.machine->NowNs();
  b.machine->StrayAccess(BareMachine::kGpu, hw::Stray::kMessage, 0xFEE00000, 0x55);
  EXPECT_FALSE(b.machine->WaitForMessage(1'000'000));
  EXPECT_TRUE(b.machine->WaitForMessage(10'000'000'000));
  EXPECT_GE(b.machine->NowNs() - before, 100'000'000u);
  EXPECT_EQ(b.machine->TakeMessage()->data, 0x55u);
}

TEST(BoardMachine, CountsWhatTheGpuAndTheLinkDid) {
  Bench b;
  b.bare.Fill(0x400000, 4096, 1);
  b.bare.StartRing();
  ASSERT_TRUE(b.bare.Execute(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0, 4096)));
  uint64_t copied = 0, up = 0, payload_up = 0, rate = 0;
  for (const hw::Counter& counter : b.machine->Counters()) {
    if (counter.name == "copy_read_bytes") copied = counter.value;
    if (counter.block != "board_link") continue;
    if (counter.name == "bytes_up") up = counter.value;
    if (counter.name == "payload_up") payload_up = counter.value;
    if (counter.name == "line_rate") rate = counter.value;
  }
  EXPECT_EQ(copied, 4096u);
  EXPECT_EQ(rate, 3'000'000u);
  EXPECT_GT(payload_up, 0u);
  EXPECT_GT(up, payload_up);
  EXPECT_GE(b.machine->device().board().dma_bytes(), 4096u);
  EXPECT_GT(b.machine->Cycles(), 0u);
  EXPECT_GT(b.machine->BusAccesses(BareMachine::kGpu).reads, 0u);
  EXPECT_GT(b.machine->BusAccesses(BareMachine::kGpu).messages, 0u);
}

TEST(BoardMachine, LessVramThanTheBoardHasIsWhatSoftwareSees) {
  MachineConfig config;
  config.gpu.unit_vram_mib = {8};
  Bench b(0, config);
  EXPECT_EQ(b.bare.Read(regs::VramSize::kOffset), 8u << 20);
}

TEST(BoardMachine, AGpuWithoutBusMasteringIsSilent) {
  Bench b;
  b.bare.StartRing();
  b.machine->ConfigWrite(BareMachine::kGpu, 0x04, 2, 2);
  const hw::BusCounts before = b.machine->BusAccesses(BareMachine::kGpu);
  b.bare.Submit(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0, 4096));
  EXPECT_FALSE(b.machine->WaitForMessage(50'000'000));
  EXPECT_EQ(b.machine->BusAccesses(BareMachine::kGpu).total(), before.total());
  b.machine->ConfigWrite(BareMachine::kGpu, 0x04, 2, 6);
  EXPECT_TRUE(b.bare.Await());
}

}  // namespace
}  // namespace gmmu::sim::board
