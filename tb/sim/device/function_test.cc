// SPDX-License-Identifier: Apache-2.0
#include "device/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>

#include "host/engine.h"

namespace gmmu::sim::device {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Host memory of one page, at 0x5000. Accesses to other addresses fail.
struct OnePage : HostAccess {
  std::vector<uint8_t> page = std::vector<uint8_t>(4096);
  std::vector<uint64_t> reads, writes;
  bool Read(uint16_t, uint64_t logical, void* to, size_t size, bool) override {
    reads.push_back(logical);
    if (logical / 4096 != 5) return false;
    std::memcpy(to, &page[logical % 4096], size);
    return true;
  }
  void Write(uint16_t requester, uint64_t logical, const void* from, size_t size, bool) override {
    EXPECT_EQ(requester, 0x100);
    writes.push_back(logical);
    if (logical / 4096 == 5) std::memcpy(&page[logical % 4096], from, size);
  }
  uint64_t Serve(uint16_t, uint64_t, size_t, bool, uint64_t at_ps) override { return at_ps; }
  bool Peek(uint16_t, uint64_t, uint64_t*) const override { return false; }
};

/// The device under test; lambdas define its behaviour.
struct Model {
  const GMMU_DEVICE_HOST* host = nullptr;
  std::vector<std::string> log;
  std::function<uint64_t(uint64_t now)> step = [](uint64_t) { return GMMU_DEVICE_IDLE; };
  bool registers = false, holds = false;

  Open open() {
    return [this](const GMMU_DEVICE_HOST& machine, GMMU_DEVICE& table) {
      host = &machine;
      table.state = this;
      table.step = [](void* state, uint64_t now) {
        auto* model = static_cast<Model*>(state);
        model->log.push_back("step " + std::to_string(now));
        return model->step(now);
      };
      table.in_use = [](void* state) { return static_cast<Model*>(state)->holds ? "a buffer" : nullptr; };
      table.memory_lost = [](void* state) { static_cast<Model*>(state)->log.push_back("lost"); };
      table.close = [](void* state) { static_cast<Model*>(state)->log.push_back("close"); };
      if (!registers) return;
      table.read = [](void*, unsigned bar, uint64_t offset, unsigned) -> uint64_t { return bar << 16 | offset; };
      table.write = [](void* state, unsigned bar, uint64_t offset, unsigned bytes, uint64_t value) {
        static_cast<Model*>(state)->log.push_back("write " + std::to_string(bar) + " " + std::to_string(offset) + " " +
                                                  std::to_string(bytes) + " " + std::to_string(value));
      };
    };
  }
};

struct Bench : ::testing::Test {
  void Make(bool line = false) {
    FunctionParameters p;
    p.config.bar0_bytes = 4096;
    p.config.bar2_bytes = 1 << 20;
    p.config.bar4_bytes = 4096;
    p.config.line_interrupt = line;
    p.memory_bytes = 2 << 20;
    p.open = model.open();
    function.emplace(
        hw::Bdf{1, 0, 0}, p, host, agenda,
        [this](uint64_t address, uint32_t data) { delivered.emplace_back(address, data); }, 250'000);
    function->WriteConfig(0x04, 2, 6);
  }
  uint64_t Read(unsigned bar, uint64_t offset) {
    uint64_t value = 0;
    function->Read(bar, offset, &value, sizeof value);
    return value;
  }
  void Write(unsigned bar, uint64_t offset, uint64_t value) { function->Write(bar, offset, &value, sizeof value); }

  Model model;
  OnePage host;
  Agenda agenda;
  std::vector<std::pair<uint64_t, uint32_t>> delivered;
  std::optional<Function> function;
};

using DeviceFunction = Bench;

TEST_F(DeviceFunction, WithoutFunctionsHasRegistersThatAreMemoryAndIsServedBehindEachWrite) {
  Make();
  Write(0, 8, 77);
  EXPECT_EQ(Read(0, 8), 77u);
  EXPECT_EQ(model.host->registers[8], 77);
  EXPECT_THAT(model.log, ElementsAre()) << "it acts in a step, not in the write";
  agenda.RunUntil(0);
  EXPECT_THAT(model.log, ElementsAre("step 0"));
  EXPECT_EQ(Read(4, 0), ~uint64_t{0}) << "nobody answers for BAR 4";
}

TEST_F(DeviceFunction, GivesRegistersToAModelAndMemoryToBar2) {
  model.registers = true;
  Make();
  EXPECT_EQ(model.host->registers, nullptr);
  EXPECT_EQ(Read(4, 24), 4u << 16 | 24);
  Write(0, 16, 5);
  EXPECT_THAT(model.log, ElementsAre("write 0 16 8 5"));
  Write(2, 4096, 99);
  EXPECT_EQ(model.host->memory[4096], 99);
  model.host->memory[4096] = 98;
  EXPECT_EQ(Read(2, 4096), 98u);
  EXPECT_EQ(model.host->memory_bytes, 2u << 20);
  EXPECT_EQ(model.host->visible_bytes, 1u << 20);
}

TEST_F(DeviceFunction, IsCalledAgainWhenItWantsAndOnlyThen) {
  model.step = [](uint64_t now) -> uint64_t { return now < 30 ? now + 10 : GMMU_DEVICE_IDLE; };
  Make();
  agenda.RunUntil(5'000);
  Write(0, 0, 1);
  agenda.RunUntil(100'000);
  EXPECT_THAT(model.log, ElementsAre("step 5", "step 15", "step 25", "step 35"));
  EXPECT_TRUE(agenda.empty());
}

TEST_F(DeviceFunction, ThatAsksForAStepAtTheSameTimeEndsTheMachine) {
  model.step = [](uint64_t now) { return now; };
  Make();
  Write(0, 0, 1);
  try {
    agenda.RunUntil(0);
    FAIL() << "nothing was thrown";
  } catch (const EngineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the device's step at 0 ns asks for the next one at 0 ns"));
  }
}

TEST_F(DeviceFunction, ReachesHostMemoryPageByPageAndIsToldOfARefusal) {
  Make();
  host.page[4094] = 1, host.page[4095] = 2;
  uint8_t bytes[4] = {};
  EXPECT_EQ(model.host->read(model.host->machine, 0x5FFE, bytes, 2), 1);
  EXPECT_EQ(bytes[1], 2);
  EXPECT_EQ(model.host->read(model.host->machine, 0x5FFE, bytes, 4), 0) << "its second page is nobody's";
  EXPECT_EQ(bytes[2], 0xFF);
  EXPECT_EQ(model.host->write(model.host->machine, 0x5FFE, bytes, 4), 1);
  EXPECT_THAT(host.writes, ElementsAre(0x5FFE, 0x6000));
  function->WriteConfig(0x04, 2, 2);  // bus mastering is off
  host.reads.clear(), host.writes.clear();
  EXPECT_EQ(model.host->read(model.host->machine, 0x5000, bytes, 4), 0);
  model.host->write(model.host->machine, 0x5000, bytes, 4);
  EXPECT_TRUE(host.reads.empty() && host.writes.empty()) << "nothing leaves the device";
  EXPECT_EQ(function->counts().refused, 3u);
  EXPECT_EQ(function->counts().not_master, 2u);
}

TEST_F(DeviceFunction, SendsAMessageWhereMsiSaysAndNothingWhileItIsOff) {
  Make();
  model.host->interrupt(model.host->machine);
  EXPECT_TRUE(host.writes.empty());
  function->WriteConfig(ConfigSpace::kMsi + 4, 4, 0xFEE00000);
  function->WriteConfig(ConfigSpace::kMsi + 12, 2, 0x31);
  function->WriteConfig(ConfigSpace::kMsi + 2, 2, 1);
  model.host->interrupt(model.host->machine);
  EXPECT_THAT(host.writes, ElementsAre(0xFEE00000));
}

TEST_F(DeviceFunction, SendsItsLineToTheVectorOfTheLineRegister) {
  Make(/*line=*/true);
  EXPECT_EQ(function->ReadConfig(0x3D, 1), 1u);
  EXPECT_EQ(function->ReadConfig(0x34, 1), ConfigSpace::kExpress) << "no MSI";
  model.host->interrupt(model.host->machine);
  function->WriteConfig(0x3C, 1, 0x31);
  model.host->interrupt(model.host->machine);
  agenda.RunUntil(249'999);
  EXPECT_TRUE(delivered.empty());
  agenda.RunUntil(250'000);
  EXPECT_THAT(delivered, ElementsAre(std::pair<uint64_t, uint32_t>(0xFEE00000, 0x31)));
  function->WriteConfig(0x04, 2, 0x406);
  model.host->interrupt(model.host->machine);
  agenda.RunUntil(1'000'000);
  EXPECT_EQ(delivered.size(), 1u) << "INTx is switched off";
}

TEST_F(DeviceFunction, LosesItsMemoryInD3AndDoesNothingThere) {
  Make();
  model.host->memory[0] = 5;
  function->WriteConfig(ConfigSpace::kPower + 4, 2, 3);
  EXPECT_THAT(model.log, ElementsAre("lost"));
  EXPECT_NE(model.host->memory[0], 5);
  Write(0, 0, 1);
  agenda.RunUntil(1'000);
  EXPECT_THAT(model.log, ElementsAre("lost"));
}

TEST_F(DeviceFunction, NamesWhatItHoldsAndIsClosedAtTheEnd) {
  Make();
  EXPECT_TRUE(function->ResourcesInUse().empty());
  model.holds = true;
  EXPECT_EQ(function->ResourcesInUse().at(0).name, "a buffer");
  function.reset();
  EXPECT_THAT(model.log, ElementsAre("close"));
}

}  // namespace
}  // namespace gmmu::sim::device
