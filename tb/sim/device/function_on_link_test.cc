// SPDX-License-Identifier: Apache-2.0
#include "device/device_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/engine.h"

namespace gmmu::sim::device {
namespace {

constexpr uint64_t kRegisters = 0xE0000000, kWindow = 0xE8000000;
constexpr hw::Bdf kDevice{1, 0, 0};

/// A device that responds to a write of register 1 after 1000 ns: it adds 1 to the word of host memory whose bus
/// address is in register 0, and sends an interrupt.
uint64_t Serve(const GMMU_DEVICE_HOST* host) {
  auto* registers = reinterpret_cast<uint64_t*>(host->registers);
  const uint64_t now = host->now_ns(host->machine);
  if (registers[1] == 0) return GMMU_DEVICE_IDLE;
  if (registers[2] == 0) registers[2] = now + 1000;
  if (now < registers[2]) return registers[2];
  uint64_t word = 0;
  registers[3] = static_cast<uint64_t>(host->read(host->machine, registers[0], &word, sizeof word));
  ++word;
  host->write(host->machine, registers[0], &word, sizeof word);
  registers[1] = registers[2] = 0;
  host->interrupt(host->machine);
  return GMMU_DEVICE_IDLE;
}

struct Bench : ::testing::Test {
  explicit Bench(bool iommu = false) {
    config.iommu.present = iommu;
    config.host.memory_gib = 1;
    FunctionParameters function;
    function.memory_bytes = 1 << 20;
    function.config.bar2_bytes = 1 << 20;
    function.open = [](const GMMU_DEVICE_HOST& host, GMMU_DEVICE& table) {
      table.state = const_cast<GMMU_DEVICE_HOST*>(&host);
      table.step = [](void* state, uint64_t) { return Serve(static_cast<GMMU_DEVICE_HOST*>(state)); };
    };
    machine = std::make_unique<DeviceMachine>(config, function);
    machine->ConfigWrite(kDevice, 0x10, 4, kRegisters);
    machine->ConfigWrite(kDevice, 0x18, 4, kWindow);
    machine->ConfigWrite(kDevice, 0x54, 4, 0xFEE00000);
    machine->ConfigWrite(kDevice, 0x5C, 2, 0x41);
    machine->ConfigWrite(kDevice, 0x52, 2, 1);
    machine->ConfigWrite(kDevice, 0x04, 2, 6);
  }
  uint64_t Count(const std::string& name) {
    const auto counters = machine->Counters();
    const auto found = std::find_if(counters.begin(), counters.end(), [&](const auto& c) { return c.name == name; });
    return found->value;
  }
  uint64_t Word(uint64_t hpa) {
    uint64_t word = 0;
    EXPECT_TRUE(machine->ram().Read(hpa, &word, sizeof word));
    return word;
  }

  MachineConfig config = MachineConfig::Default();
  std::unique_ptr<DeviceMachine> machine;
};
using OnLink = Bench;

TEST_F(OnLink, LetsTheDeviceWorkInHostMemoryAndBringsItsInterrupt) {
  const uint64_t before = 41;
  ASSERT_TRUE(machine->ram().Write(0x7000, &before, sizeof before));
  const uint64_t start = machine->NowNs();
  machine->MmioWrite(kRegisters, 8, 0x7000);
  machine->MmioWrite(kRegisters + 8, 8, 1);
  EXPECT_EQ(Word(0x7000), 41u) << "the doorbell is on its way";
  ASSERT_TRUE(machine->WaitForMessage(1'000'000));
  EXPECT_EQ(machine->TakeMessage()->data, 0x41u);
  EXPECT_EQ(Word(0x7000), 42u);
  EXPECT_GE(machine->NowNs() - start, 1500u) << "the link's way there, the device's time, the link's way back";
  EXPECT_EQ(machine->MmioRead(kRegisters + 24, 8), 1u);
  EXPECT_EQ(Count("dma_read_bytes"), 8u);
  EXPECT_EQ(Count("interrupts"), 1u);
  EXPECT_EQ(machine->BusAccesses(kDevice).writes, 1u);
  EXPECT_EQ(machine->BusAccesses(kDevice).messages, 1u);
}

TEST_F(OnLink, ReadsBehindTheWritesThatWerePostedBefore) {
  machine->MmioWrite(kRegisters + 64, 4, 7);
  EXPECT_EQ(machine->MmioRead(kRegisters + 64, 4), 7u);
  const std::vector<uint64_t> block = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<uint64_t> back(block.size());
  machine->MmioWriteBlock(kWindow + 8, block.data(), block.size() * 8);
  machine->MmioReadBlock(kWindow + 8, back.data(), back.size() * 8);
  EXPECT_EQ(back, block);
  EXPECT_EQ(machine->MmioRead(0xD0000000, 4), 0xFFFFFFFFu) << "nobody is there";
  EXPECT_EQ(machine->ConfigRead({2, 0, 0}, 0, 4), 0xFFFFFFFFu) << "there is one function";
}

TEST_F(OnLink, FindsAnAccessToAPageThatNobodyHas) {
  machine->NotePages(7, 1, true);
  EXPECT_TRUE(machine->Findings().empty());
  machine->MmioWrite(kRegisters, 8, 0x8000);
  machine->MmioWrite(kRegisters + 8, 8, 1);
  ASSERT_TRUE(machine->WaitForMessage(1'000'000));
  ASSERT_FALSE(machine->Findings().empty());
  EXPECT_EQ(machine->Findings()[0].probe, "host_pages");
}

TEST_F(OnLink, ShowsMemoryAsTheDeviceSeesIt) {
  uint64_t word = 5;
  EXPECT_TRUE(machine->device_access()->Access(0, hw::DeviceAccess::Memory::kLocal, 16, &word, sizeof word, true));
  EXPECT_EQ(machine->MmioRead(kWindow + 16, 8), 5u);
  EXPECT_FALSE(
      machine->device_access()->Access(0, hw::DeviceAccess::Memory::kLocal, 1 << 20, &word, sizeof word, false));
  EXPECT_TRUE(machine->device_access()->Access(0, hw::DeviceAccess::Memory::kHost, 0x9000, &word, sizeof word, true));
  EXPECT_EQ(Word(0x9000), 5u);
  EXPECT_FALSE(machine->device_access()->Access(1, hw::DeviceAccess::Memory::kLocal, 0, &word, sizeof word, false));
  EXPECT_THROW(machine->HoldReads(0, 0, 0), EngineError);
}

struct BehindAnIommu : Bench {
  BehindAnIommu() : Bench(true) {
    // Enables translation with a root table that maps nothing.
    const uint64_t unit = *machine->firmware().iommu_base;
    machine->MmioWrite(unit + 0x20, 8, 0x200000);
    machine->MmioWrite(unit + 0x18, 4, 1u << 30);
    machine->MmioWrite(unit + 0x18, 4, 1u << 31);
  }
};

TEST_F(BehindAnIommu, TheDeviceReachesNothingThatIsNotMapped) {
  const uint64_t before = 41;
  ASSERT_TRUE(machine->ram().Write(0x7000, &before, sizeof before));
  machine->MmioWrite(kRegisters, 8, 0x7000);
  machine->MmioWrite(kRegisters + 8, 8, 1);
  machine->WaitForMessage(100'000);
  EXPECT_EQ(machine->MmioRead(kRegisters + 24, 8), 0u) << "the read was refused";
  EXPECT_EQ(Word(0x7000), 41u) << "the write was dropped";
  EXPECT_EQ(Count("dma_refused"), 1u);
}

}  // namespace
}  // namespace gmmu::sim::device
