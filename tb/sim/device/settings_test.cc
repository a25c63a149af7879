// SPDX-License-Identifier: Apache-2.0
#include "device/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::sim::device {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const DeviceSettings& settings) {
  try {
    settings.Check(MachineConfig::Default(), "m.toml");
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(DeviceSettings, GiveTheFunctionItsIdsAndBars) {
  DeviceSettings settings;
  settings.device.memory_mib = 48;
  settings.device.registers_kib = 128;
  settings.device.interrupt = Interrupt::kLine;
  const ConfigSpaceParameters p = settings.Function(MachineConfig::Default());
  EXPECT_EQ(p.bar0_bytes, 128u << 10);
  EXPECT_EQ(p.bar2_bytes, 64u << 20) << "all of 48 MiB, rounded up";
  EXPECT_EQ(p.bar4_bytes, 0u);
  EXPECT_TRUE(p.line_interrupt);
  settings.device.visible_mib = 16;
  EXPECT_EQ(settings.visible_bytes(MachineConfig::Default()), 16u << 20);
}

TEST(DeviceSettings, TakeTheMemoryOfTheGpuWhereNoneIsStated) {
  MachineConfig machine;
  machine.gpu.vram_mib = 1024;
  EXPECT_EQ(DeviceSettings().memory_bytes(machine), uint64_t{1} << 30);
  EXPECT_EQ(DeviceSettings().visible_bytes(machine), uint64_t{256} << 20);
}

TEST(DeviceSettings, RefuseSizesThatNoBarHas) {
  DeviceSettings settings;
  settings.device.registers_kib = 100;
  EXPECT_THAT(ErrorOf(settings), HasSubstr("device.registers_kib")) << "with no device too";
  settings.device.model = "none";
  EXPECT_THAT(ErrorOf(settings), HasSubstr("device.registers_kib"));
  settings.device.registers_kib = 64;
  EXPECT_EQ(ErrorOf(settings), "");
  settings.device.visible_mib = 3;
  EXPECT_THAT(ErrorOf(settings), HasSubstr("device.visible_mib"));
  settings.device.visible_mib = 0;
  settings.device.extra_kib = 4;
  EXPECT_THAT(ErrorOf(settings), HasSubstr("is for a model"));
}

}  // namespace
}  // namespace gmmu::sim::device
