// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/interrupt_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "pcie/address_map.h"
#include "twin/fast_engine.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr hw::Bdf kFirst{1, 0, 0}, kSecond{2, 0, 0};
constexpr uint64_t kGsts = sim::kIommuBase + 0x1C;
constexpr uint32_t kIres = 1u << 25, kQies = 1u << 26, kTes = 1u << 31;

/// A machine with two devices, whose messages are sent as stray accesses, and its kernel.
struct Messages {
  Messages() : machine(Config()), kernel(machine, Parameters{}) {}
  static sim::MachineConfig Config() {
    sim::MachineConfig config = sim::MachineConfig::Default();
    config.gpu.count = 2;
    return config;
  }
  Remapping& iommu() { return *kernel.iommu(); }
  hw::Message Connect(std::string name) {
    return kernel.hal().ConnectInterrupt(name, [this, name] { served.push_back(name); });
  }
  hw::Message Route(hw::Bdf device, const hw::Message& message) {
    return iommu().RouteInterrupt(device, message, [this](const RemappingFault& fault) {
      EXPECT_EQ(fault.cause, RemappingFault::Cause::kInterrupt);
      faults.push_back(fault.Text());
    });
  }
  /// Makes a device send a message, and lets it arrive.
  void Send(hw::Bdf device, const hw::Message& message) {
    machine.StrayAccess(device, hw::Stray::kMessage, message.address, message.data);
    const uint64_t end = kernel.hal().NowNs() + 20'000;
    while (kernel.hal().NowNs() < end) {
      if (machine.WaitForMessage(end - kernel.hal().NowNs())) kernel.scheduler().Seam();
    }
  }
  uint32_t status() { return static_cast<uint32_t>(machine.MmioRead(kGsts, 4)); }

  sim::twin::FastMachine machine;
  Kernel kernel;
  std::vector<std::string> served, faults;
};

TEST(InterruptTable, EachDeviceSendsItsOwnMessageOnly) {
  Messages test;
  const hw::Message first = test.Connect("first"), second = test.Connect("second");
  const hw::Message sent = test.Route(kFirst, first), other = test.Route(kSecond, second);
  EXPECT_NE(sent.address, other.address);
  test.Send(kFirst, sent);
  test.Send(kSecond, other);
  EXPECT_THAT(test.served, ElementsAre("first", "second"));
  EXPECT_THAT(test.faults, IsEmpty());
  test.Send(kFirst, other);
  test.Send(kFirst, first);  // compatibility format
  test.Send(kSecond, {sent.address + 0x1000, 0});
  EXPECT_THAT(test.served, ElementsAre("first", "second"));
  EXPECT_THAT(test.faults,
              ElementsAre("device 01:00.0: interrupt message for entry 1: interrupt entry of another device",
                          "device 01:00.0: interrupt message for entry 0: interrupt request in compatibility format",
                          "device 02:00.0: interrupt message for entry 128: interrupt entry not present"));
  test.iommu().UnrouteInterrupt(other);
  test.Send(kSecond, other);
  EXPECT_THAT(test.faults.back(), "device 02:00.0: interrupt message for entry 1: interrupt entry not present");
  test.iommu().UnrouteInterrupt(sent);
  EXPECT_THAT(test.kernel.ledger().Leaks(), IsEmpty());
}

TEST(InterruptTable, RemappingIsOnFromTheFirstRouteToTheLast) {
  Messages test;
  const hw::Message message = test.Connect("first");
  EXPECT_EQ(test.status() & (kIres | kQies), 0u);
  const hw::Message one = test.Route(kFirst, message), two = test.Route(kSecond, message);
  EXPECT_EQ(test.status() & (kIres | kQies | kTes), kIres | kQies) << "without translation";
  test.iommu().UnrouteInterrupt(one);
  EXPECT_NE(test.status() & kIres, 0u);
  test.iommu().UnrouteInterrupt(two);
  EXPECT_EQ(test.status() & (kIres | kQies), 0u);
  test.Send(kFirst, message);
  EXPECT_THAT(test.served, ElementsAre("first")) << "messages pass again";
}

TEST(InterruptTable, TranslationComesAndGoesBesideIt) {
  Messages test;
  const hw::Message message = test.Connect("first");
  const auto ignore = [](const RemappingFault&) {};
  test.iommu().Enable(ignore);
  const hw::Message sent = test.Route(kFirst, message);
  test.iommu().Disable();
  EXPECT_EQ(test.status() & (kIres | kQies | kTes), kIres | kQies);
  test.Send(kFirst, sent);
  EXPECT_THAT(test.served, ElementsAre("first"));
  test.iommu().Enable(ignore);
  test.iommu().UnrouteInterrupt(sent);
  EXPECT_EQ(test.status() & (kIres | kQies | kTes), kTes | kQies);
  test.iommu().Disable();
  EXPECT_EQ(test.status() & (kIres | kQies | kTes), 0u);
}

TEST(InterruptTable, MisuseStopsTheSystem) {
  Messages test;
  const hw::Message sent = test.Route(kFirst, test.Connect("first"));
  EXPECT_THROW(test.iommu().UnrouteInterrupt({sent.address + 0x20, 0}), BugCheck);
  test.iommu().UnrouteInterrupt(sent);
}

TEST(InterruptTable, TheTableHasAnEnd) {
  Messages test;
  const hw::Message message = test.Connect("first");
  std::vector<hw::Message> sent;
  for (int i = 0; i < 256; ++i) sent.push_back(test.Route(kFirst, message));
  EXPECT_THROW(test.Route(kFirst, message), OsError);
  for (const hw::Message& each : sent) test.iommu().UnrouteInterrupt(each);
}

TEST(InterruptTable, NeedsAUnitThatRemapsInterrupts) {
  sim::MachineConfig config = sim::MachineConfig::Default();
  config.iommu.interrupt_remapping = false;
  sim::twin::FastMachine machine(config);
  Kernel kernel(machine, Parameters{});
  EXPECT_THROW(kernel.iommu()->RouteInterrupt(kFirst, {0xFEE00000, 0x40}, [](const RemappingFault&) {}), OsError);
}

}  // namespace
}  // namespace gmmu::os
