// SPDX-License-Identifier: Apache-2.0
// Tests the functions of the machine that need no device; tb/system/every_engine_test.cc tests the
// contract of all engines.
#include "host/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine.h"
#include "tb/sim/host/pattern_device.h"

namespace gmmu::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr hw::Bdf kFunction{1, 0, 0};
constexpr uint64_t kRegisters = 0xE0000000, kWindow = 0xE8000000;

struct Bench {
  explicit Bench(const MachineConfig& config = MachineConfig::Default()) : machine(config) {
    machine.ConfigWrite(kFunction, 0x10, 4, kRegisters);
    machine.ConfigWrite(kFunction, 0x18, 4, kWindow);
    machine.ConfigWrite(kFunction, 0x04, 2, 6);
  }
  PatternMachine machine;
};

TEST(HostMachine, ABlockThatLeavesABarReadsOnesBehindIt) {
  Bench b;
  const uint64_t end = kRegisters + (64 << 10);
  uint64_t words[4] = {};
  b.machine.MmioReadBlock(end - 16, words, sizeof words);
  EXPECT_THAT(words, ElementsAre(0xF7F6F5F4F3F2F1F0, 0xFFFEFDFCFBFAF9F8, ~uint64_t{0}, ~uint64_t{0}));
}

TEST(HostMachine, ABlockIsCutAtMultiplesOf64BytesOfTheAddress) {
  Bench b;
  std::vector<uint8_t> bytes(200);
  b.machine.MmioReadBlock(kWindow + 0x2038, bytes.data(), bytes.size());
  EXPECT_EQ(bytes[0], 0x38);
  EXPECT_EQ(bytes[199], 0xFF);
  EXPECT_EQ(b.machine.Counters()[0].value, 4u) << "8, 64, 64 and 64 bytes";
}

TEST(HostMachine, BlocksReachRamAndTheIommusRegisters) {
  Bench b;
  const uint64_t words[2] = {1, 2};
  uint64_t back[2] = {};
  b.machine.MmioWriteBlock(0x5000, words, sizeof words);
  b.machine.MmioReadBlock(0x5000, back, sizeof back);
  EXPECT_THAT(back, ElementsAre(1, 2));
  b.machine.MmioReadBlock(*b.machine.firmware().iommu_base, back, sizeof back);
  EXPECT_EQ(back[1], b.machine.MmioRead(*b.machine.firmware().iommu_base + 8, 8)) << "CAP";
}

TEST(HostMachine, AnInterruptThatIsEndlesslyLateNeverComes) {
  for (const uint64_t late : {~uint64_t{0}, ~uint64_t{0} / 1000, uint64_t{2'000}}) {
    MachineConfig config = MachineConfig::Default();
    config.inject.late_interrupt_ns = late;
    Bench b(config);
    b.machine.StrayAccess(kFunction, hw::Stray::kMessage, 0xFEE00000, 7);
    EXPECT_EQ(b.machine.WaitForMessage(1'000'000), late == 2'000) << late;
  }
}

TEST(HostMachine, InstrumentsThatADeviceLacksAreRefusedByName) {
  Bench b;
  const auto error = [&](const std::function<void()>& use) -> std::string {
    try {
      use();
      return "";
    } catch (const EngineError& e) {
      return e.what();
    }
  };
  EXPECT_THAT(error([&] { b.machine.DriveClients(0, nullptr); }), HasSubstr("client ports"));
  EXPECT_THAT(error([&] { b.machine.LoseAnswer(0, 0, 0); }), HasSubstr("lose an answer"));
  EXPECT_THAT(error([&] { b.machine.HoldReads(0, 0, 0); }), HasSubstr("hold reads back"));
  EXPECT_EQ(b.machine.device_access(), nullptr);
}

}  // namespace
}  // namespace gmmu::sim
