// SPDX-License-Identifier: Apache-2.0
#include "pcie/config_space.h"

#include <gtest/gtest.h>

namespace gmmu::sim {
namespace {

ConfigSpace Default() { return ConfigSpace(ConfigSpaceParameters()); }

TEST(ConfigSpace, IdentifiesADisplayController) {
  const ConfigSpace config = Default();
  EXPECT_EQ(config.Read(0x00, 2), 0x1234u);
  EXPECT_EQ(config.Read(0x02, 2), 0x474Du);
  EXPECT_EQ(config.Read(0x08, 4), 0x03000000u);
  EXPECT_EQ(config.Read(0x0E, 1), 0u);  // header type 0, single function
}

TEST(ConfigSpace, SizesItsBars) {
  ConfigSpace config = Default();
  config.Write(0x10, 4, ~0u);
  config.Write(0x18, 4, ~0u);
  EXPECT_EQ(config.Read(0x10, 4), 0xFFFF0000u);
  EXPECT_EQ(config.Read(0x18, 4), 0xFC000000u);
  for (const uint16_t offset : {0x14, 0x1C, 0x20, 0x24, 0x30}) {
    config.Write(offset, 4, ~0u);
    EXPECT_EQ(config.Read(offset, 4), 0u) << offset;
  }
  EXPECT_EQ(config.bar_bytes(0), 0x10000u);
  EXPECT_EQ(config.bar_bytes(2), 0x4000000u);
  EXPECT_EQ(config.bar_bytes(1), 0u);
}

TEST(ConfigSpace, AnswersOnABarOnlyWithMemoryEnabledAndAnAddress) {
  ConfigSpace config = Default();
  config.Write(0x10, 4, 0x80000000);
  EXPECT_FALSE(config.bar_active(0));
  config.Write(0x04, 2, 2);
  EXPECT_TRUE(config.bar_active(0));
  EXPECT_FALSE(config.bar_active(2));
  EXPECT_EQ(config.bar_base(0), 0x80000000u);
}

TEST(ConfigSpace, KeepsOnlyTheCommandBitsItHas) {
  ConfigSpace config = Default();
  EXPECT_FALSE(config.bus_master());
  config.Write(0x04, 4, ~0u);
  EXPECT_EQ(config.Read(0x04, 2), 0x0406u);
  EXPECT_EQ(config.Read(0x06, 2), 0x0010u);
  EXPECT_TRUE(config.bus_master());
  EXPECT_TRUE(config.memory_enable());
  EXPECT_TRUE(config.intx_disable());
}

TEST(ConfigSpace, HoldsItsIdentityAgainstWrites) {
  ConfigSpace config = Default();
  config.Write(0x00, 4, 0);
  config.Write(0x08, 4, 0);
  EXPECT_EQ(config.Read(0x00, 4), 0x474D1234u);
  EXPECT_EQ(config.Read(0x08, 4), 0x03000000u);
}

TEST(ConfigSpace, ListsMsiExpressAndPowerCapabilities) {
  const ConfigSpace config = Default();
  uint16_t at = static_cast<uint16_t>(config.Read(0x34, 1));
  EXPECT_EQ(config.Read(at, 1), 0x05u);
  EXPECT_NE(config.Read(at + 2, 2) & 0x80, 0u);  // 64-bit address
  at = static_cast<uint16_t>(config.Read(at + 1, 1));
  EXPECT_EQ(config.Read(at, 1), 0x10u);
  EXPECT_EQ(config.Read(at + 18, 2), 0x83u);  // generation 3, 8 lanes
  at = static_cast<uint16_t>(config.Read(at + 1, 1));
  EXPECT_EQ(config.Read(at, 1), 0x01u);
  EXPECT_EQ(config.Read(at + 1, 1), 0u);
}

TEST(ConfigSpace, GoesToD3AndBackWithItsRegisters) {
  ConfigSpace config = Default();
  config.Write(0x10, 4, 0xC0000000);
  EXPECT_TRUE(config.powered());
  config.Write(ConfigSpace::kPower + 4, 2, 3);
  EXPECT_FALSE(config.powered());
  EXPECT_EQ(config.Read(ConfigSpace::kPower + 4, 2), 0x000Bu) << "No_Soft_Reset stands";
  config.Write(ConfigSpace::kPower + 4, 2, 0);
  EXPECT_TRUE(config.powered());
  EXPECT_EQ(config.Read(0x10, 4), 0xC0000000u);
}

// PCI Power Management 1.2, 5.4.1: a function in D3hot responds only to configuration requests, and issues no requests.
TEST(ConfigSpace, InD3ItNeitherAnswersMemoryNorIsABusMaster) {
  ConfigSpace config = Default();
  config.Write(0x10, 4, 0xC0000000);
  config.Write(0x04, 2, 6);
  EXPECT_TRUE(config.bus_master() && config.bar_active(0));
  config.Write(ConfigSpace::kPower + 4, 2, 3);
  EXPECT_FALSE(config.bus_master());
  EXPECT_FALSE(config.bar_active(0));
  config.Write(ConfigSpace::kPower + 4, 2, 0);
  EXPECT_TRUE(config.bus_master() && config.bar_active(0));
}

TEST(ConfigSpace, ProgramsItsInterruptMessage) {
  ConfigSpace config = Default();
  config.Write(0x54, 4, 0xFEE01003);
  config.Write(0x58, 4, 1);
  config.Write(0x5C, 2, 0x4321);
  config.Write(0x52, 2, 1);
  EXPECT_TRUE(config.message().enable);
  EXPECT_EQ(config.message().address, 0x1FEE01000u);
  EXPECT_EQ(config.message().data, 0x4321u);
}

TEST(ConfigSpace, StatesPayloadAndReadRequestSizes) {
  ConfigSpaceParameters p;
  p.max_payload = 512;
  p.max_read_request = 4096;
  ConfigSpace config(p);
  EXPECT_EQ(config.max_payload(), 512u);
  EXPECT_EQ(config.max_read_request(), 4096u);
  config.Write(0x68, 2, 0x2020);
  EXPECT_EQ(config.max_payload(), 256u);
  EXPECT_EQ(config.max_read_request(), 512u);
}

TEST(ConfigSpace, TellsOfChangesOnly) {
  ConfigSpace config = Default();
  int changes = 0;
  config.OnChange([&] { ++changes; });
  config.Write(0x04, 2, 6);
  config.Write(0x04, 2, 6);
  config.Write(0x00, 4, 0);
  EXPECT_EQ(changes, 1);
  config.Reset();
  EXPECT_EQ(changes, 2);
  EXPECT_FALSE(config.bus_master());
}

TEST(ConfigSpace, AnswersOddShapesWithAllOnesAndTheRestWithZero) {
  ConfigSpace config = Default();
  EXPECT_EQ(config.Read(0x01, 2), ~0u);
  EXPECT_EQ(config.Read(0x00, 3), ~0u);
  EXPECT_EQ(config.Read(0x1000, 4), ~0u);
  EXPECT_EQ(config.Read(0x100, 4), 0u);
  config.Write(0x05, 2, 0xFFFF);
  EXPECT_EQ(config.Read(0x04, 4), 0x00100000u);
}

TEST(ConfigSpace, OfAFunctionThatIsNotInItsSlotReadsAsAllOnes) {
  ConfigSpace config = Default();
  config.Write(0x10, 4, 0x80000000);
  config.Write(0x04, 2, 6);
  config.Write(ConfigSpace::kMsi + 2, 2, 1);
  ASSERT_TRUE(config.bar_active(0) && config.bus_master() && config.message().enable);
  unsigned changes = 0;
  config.OnChange([&] { ++changes; });
  config.Unplug();
  EXPECT_EQ(changes, 1u);
  EXPECT_FALSE(config.present());
  EXPECT_EQ(config.Read(0x00, 4), ~0u);
  EXPECT_EQ(config.Read(0x04, 2), ~0u);
  config.Write(0x10, 4, 0x90000000);
  EXPECT_FALSE(config.bar_active(0) || config.bus_master() || config.message().enable);
  config.Reset();
  EXPECT_TRUE(config.present());
  EXPECT_EQ(config.Read(0x00, 2), 0x1234u);
  EXPECT_EQ(config.bar_base(0), 0u);
}

}  // namespace
}  // namespace gmmu::sim
