// SPDX-License-Identifier: Apache-2.0
#include "device/device_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace gmmu::sim::device {
namespace {

using ::testing::HasSubstr;

constexpr hw::Bdf kDevice{1, 0, 0};

DeviceSettings With(const std::string& model) {
  DeviceSettings settings;
  settings.device.model = model;
  return settings;
}

std::string ErrorOf(const DeviceSettings& settings, const EngineOptions& options = {}) {
  try {
    CreateEngine(MachineConfig::Default(), settings, nullptr, options);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

// The model tb/sim/device/models/adder.c: register 0 of BAR 4 holds the sum of the values written to BAR 0.
TEST(DeviceEngine, RunsTheModelOfASharedObjectWithTheIdsOfTheConfiguration) {
  DeviceSettings settings = With(GMMU_MODELS "adder.so");
  settings.device.vendor = 0x1414;
  settings.device.id = 0x8E;
  settings.device.revision = 3;
  settings.device.class_code = 0x120000;
  settings.device.extra_kib = 8;
  const auto engine = CreateEngine(MachineConfig::Default(), settings, nullptr, {});
  engine->Run([](hw::Platform& p) {
    EXPECT_EQ(p.firmware().gpu_vendor, 0x1414);
    EXPECT_EQ(p.ConfigRead(kDevice, 0, 4), 0x008E1414u);
    EXPECT_EQ(p.ConfigRead(kDevice, 8, 4), 0x12000003u);
    p.ConfigWrite(kDevice, 0x20, 4, ~0u);
    EXPECT_EQ(p.ConfigRead(kDevice, 0x20, 4), 0xFFFFE000u);
    p.ConfigWrite(kDevice, 0x10, 4, 0xE0000000);
    p.ConfigWrite(kDevice, 0x20, 4, 0xE0100000);
    p.ConfigWrite(kDevice, 0x04, 2, 2);
    p.MmioWrite(0xE0000000, 8, 40);
    p.MmioWrite(0xE0000010, 8, 2);
    EXPECT_EQ(p.MmioRead(0xE0100000, 8), 42u);
    return 0;
  });
}

TEST(DeviceEngine, WithoutAModelAndWithoutAThreadHasRegistersThatAreMemory) {
  const auto engine = CreateEngine(MachineConfig::Default(), With("none"), nullptr, {});
  engine->Run([](hw::Platform& p) {
    p.ConfigWrite(kDevice, 0x10, 4, 0xE0000000);
    p.ConfigWrite(kDevice, 0x04, 2, 2);
    p.MmioWrite(0xE0000020, 8, 9);
    EXPECT_EQ(p.MmioRead(0xE0000020, 8), 9u);
    return 0;
  });
  EXPECT_THAT(engine->DumpMappings(), HasSubstr("\"devices\""));
}

TEST(DeviceEngine, RefusesAModelThatCannotBeLoadedWithTheReason) {
  EXPECT_THAT(ErrorOf(With("/no/such.so")), HasSubstr("device.model = \"/no/such.so\": cannot be read"));
  const std::string text = ::testing::TempDir() + "no_model.so";
  std::ofstream(text) << "no model";
  EXPECT_THAT(ErrorOf(With(text)), HasSubstr("docs/device.md"));
  EXPECT_THAT(ErrorOf(With(GMMU_MODELS "empty.so")), HasSubstr("has no function GmmuOpenDevice"));
  EXPECT_THAT(ErrorOf(With(GMMU_MODELS "refusing.so")), HasSubstr("refuses this machine"));
  EngineOptions waves;
  waves.waves = "x.fst";
  EXPECT_THAT(ErrorOf(With("none"), waves), HasSubstr("no waves"));
}

}  // namespace
}  // namespace gmmu::sim::device
