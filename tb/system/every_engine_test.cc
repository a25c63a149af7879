// SPDX-License-Identifier: Apache-2.0
// Tests the contract of an engine (host/engine.h, hw/platform.h): one suite for all engines,
// including an engine that exists only in tests (tb/sim/host/pattern_device.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "board/board_engine.h"
#include "board/sizes.h"
#include "device/device_engine.h"
#include "host/engine.h"
#include "hw/gmmu_regs.h"
#include "platform/sc_engine.h"
#include "tb/sim/board/fake_board.h"
#include "tb/sim/host/pattern_device.h"
#include "twin/fast_engine.h"

namespace gmmu::sim {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr hw::Bdf kFunction{1, 0, 0};
constexpr uint64_t kRegisters = 0xF8000000, kWindow = 0xE0000000, kNowhere = 0xD0000000;
constexpr uint16_t kCommand = 4, kPowerState = 0xA4;
constexpr uint64_t kMessage = 0xFEE00000, kForever = ~uint64_t{0};

/// An engine, and an object that must outlive it.
struct Made {
  std::shared_ptr<void> beside;
  std::unique_ptr<Engine> engine;
};

struct Kind {
  const char* name;
  Made (*make)(MachineConfig config);
  uint32_t register_at;  ///< offset in BAR 0 of 8 bytes that keep what is written
};

MachineConfig SmallConfig() {
  MachineConfig config = MachineConfig::Default();
  config.iommu.present = false;
  config.host.memory_gib = 1;
  return config;
}

const Kind kKinds[] = {
    {"rtl", [](MachineConfig config) { return Made{nullptr, CreateRtl(config, {})}; }, regs::InvStart::kOffset},
    {"fast", [](MachineConfig config) { return Made{nullptr, twin::CreateEngine(config, {})}; },
     regs::InvStart::kOffset},
    {"board",
     [](MachineConfig config) {
       board::FakeBoardOptions options;
       options.config = board::FakeBoard::SmallConfig();
       auto fake = std::make_shared<board::FakeBoard>(options);
       board::BoardOptions at;
       at.port = fake->port();
       auto board = std::make_unique<board::Board>(at);
       board->clock().set_speed(100);  // machine time passes 100 times as fast as wall-clock time
       config.gpu.mmio_bound_ns = 1'000'000'000'000;
       board::Adopt(board->identity(), {}, config);
       auto engine = board::CreateEngine(config, std::move(board), {});
       return Made{std::move(fake), std::move(engine)};
     },
     regs::InvStart::kOffset},
    {"device",
     [](MachineConfig config) {
       device::DeviceSettings settings;
       settings.device.model = "none";
       return Made{nullptr, device::CreateEngine(config, settings, nullptr, {})};
     },
     0x40},
    {"pattern",
     [](MachineConfig config) { return Made{nullptr, std::make_unique<PlainEngine<PatternMachine>>(config)}; }, 0x40}};

class EveryEngine : public ::testing::TestWithParam<Kind> {
 protected:
  /// Runs the software on a machine whose function is in D0. An exception from a failed assertion propagates.
  void Run(const std::function<void(hw::Platform&)>& software, const MachineConfig& config = SmallConfig()) {
    const Made made = GetParam().make(config);
    made.engine->Run([&](hw::Platform& p) {
      PowerOn(p);
      software(p);
      return 0;
    });
  }
  static void PowerOn(hw::Platform& p) {
    p.ConfigWrite(kFunction, 0x10, 4, kRegisters);
    p.ConfigWrite(kFunction, 0x18, 4, kWindow);
    p.ConfigWrite(kFunction, kCommand, 2, 6);
  }
  static uint64_t Register() { return kRegisters + GetParam().register_at; }
  static void Stray(hw::Platform& p, hw::Stray kind, uint64_t address, uint32_t data) {
    p.instruments()->StrayAccess(kFunction, kind, address, data);
  }
  /// Collects messages until no more arrive.
  static std::vector<uint32_t> Messages(hw::Platform& p) {
    std::vector<uint32_t> all;
    while (p.WaitForMessage(20'000)) all.push_back(p.TakeMessage()->data);
    return all;
  }
};

TEST_P(EveryEngine, GivesTheResultOfTheSoftwareOrItsException) {
  EXPECT_EQ(GetParam().make(SmallConfig()).engine->Run([](hw::Platform&) { return 42; }), 42);
  const Made made = GetParam().make(SmallConfig());
  EXPECT_THROW(made.engine->Run([](hw::Platform&) -> int { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST_P(EveryEngine, AnswersOnesWhereNobodyIs) {
  Run([](hw::Platform& p) {
    for (const unsigned size : {1u, 2u, 4u, 8u}) {
      EXPECT_EQ(p.MmioRead(kNowhere, size), size == 8 ? kForever : (uint64_t{1} << 8 * size) - 1);
      p.MmioWrite(kNowhere, size, 0);
    }
    EXPECT_EQ(p.ConfigRead({7, 0, 0}, 0, 4), 0xFFFFFFFFu);
    p.ConfigWrite({7, 0, 0}, kCommand, 2, 6);
    uint64_t words[2] = {};
    p.MmioWriteBlock(kNowhere, words, sizeof words);
    p.MmioReadBlock(kNowhere, words, sizeof words);
    EXPECT_THAT(words, ::testing::Each(kForever));
    p.ConfigWrite(kFunction, kCommand, 2, 4);  // memory decoding is off
    EXPECT_EQ(p.MmioRead(Register(), 8), kForever);
    EXPECT_EQ(p.MmioRead(kWindow, 4), 0xFFFFFFFFu);
  });
}

TEST_P(EveryEngine, DescribesItselfAsItsFunctionDoes) {
  for (const bool iommu : {false, true}) {
    MachineConfig config = SmallConfig();
    config.iommu.present = iommu;
    config.host.gpu_reserved_kib = 64;
    Run(
        [iommu](hw::Platform& p) {
          const hw::FirmwareTables& tables = p.firmware();
          EXPECT_EQ(tables.iommu_base.has_value(), iommu);
          EXPECT_EQ(tables.gpus, 1u);
          EXPECT_EQ(p.ConfigRead(kFunction, 0, 2), tables.gpu_vendor);
          EXPECT_EQ(p.ConfigRead(kFunction, 2, 2), tables.gpu_device);
          ASSERT_TRUE(tables.gpu_reserved.has_value());
          EXPECT_EQ(tables.gpu_reserved->end - tables.gpu_reserved->start, 64u << 10);
          ASSERT_FALSE(tables.ram.empty());
          uint64_t word = 5;
          EXPECT_TRUE(p.ram().Write(tables.ram.back().end - 8, &word, 8));
          EXPECT_EQ(p.MmioRead(tables.ram.back().end - 8, 8), 5u);
          if (iommu) {
            EXPECT_NE(p.MmioRead(*tables.iommu_base, 4), 0u) << "VER";
          }
        },
        config);
  }
}

/// Makes random calls. Time must never go backwards, and a wait that times out must last at least
/// its bound.
TEST_P(EveryEngine, TimeNeverGoesBack) {
  const unsigned seed = 20261128;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Run([&](hw::Platform& p) {
    uint64_t before = p.NowNs();
    for (int i = 0; i < 300; ++i) {
      uint64_t words[12] = {random()};
      const uint64_t bound = random() % 3000;
      switch (random() % 9) {
        case 0: p.MmioWrite(Register(), 8, random()); break;
        case 1: p.MmioRead(Register(), 8); break;
        case 2: p.MmioWriteBlock(kWindow + 0x40, words, sizeof words); break;
        case 3: p.MmioReadBlock(kWindow + 0x40, words, sizeof words); break;
        case 4: p.ConfigRead(kFunction, 0, 4); break;
        case 5: p.ConfigWrite(kFunction, 0x3C, 1, random() & 0xFF); break;
        case 6: Stray(p, hw::Stray::kMessage, kMessage, 1); break;
        case 7: static_cast<void>(p.TakeMessage()); break;
        default:
          if (!p.WaitForMessage(bound)) {
            EXPECT_GE(p.NowNs(), before + bound);
          }
      }
      const uint64_t now = p.NowNs();
      ASSERT_GE(now, before) << "call " << i;
      before = now;
    }
  });
}

TEST_P(EveryEngine, ReadsComeAfterTheWritesThatWerePostedBefore) {
  const unsigned seed = 39;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  Run([&](hw::Platform& p) {
    std::vector<uint64_t> window(64);
    p.MmioWriteBlock(kWindow, window.data(), window.size() * 8);
    uint64_t last = 0;
    for (int i = 0; i < 100; ++i) {
      const size_t at = random() % 48, count = 1 + random() % 16;
      for (size_t word = 0; word < count; ++word) window[at + word] = random();
      p.MmioWriteBlock(kWindow + at * 8, &window[at], count * 8);
      const auto byte = static_cast<unsigned>(random() % 512);
      const auto value = static_cast<uint8_t>(random());
      p.MmioWrite(kWindow + byte, 1, value);
      window[byte / 8] = (window[byte / 8] & ~(uint64_t{0xFF} << byte % 8 * 8)) | uint64_t{value} << byte % 8 * 8;
      // The address is page-aligned, because register inv_start drops the low bits.
      for (unsigned j = 0; j < 3; ++j) p.MmioWrite(Register(), 8, last = (random() & 0xFFFFFFF) << 12);
      if (i % 3 != 0) continue;
      EXPECT_EQ(p.MmioRead(Register(), 8), last);
      std::vector<uint64_t> back(window.size());
      p.MmioReadBlock(kWindow, back.data(), back.size() * 8);
      ASSERT_EQ(back, window) << "round " << i;
    }
  });
}

TEST_P(EveryEngine, MessagesComeInTheOrderOfTheirSending) {
  for (const uint64_t late : {uint64_t{0}, uint64_t{3'000}}) {
    MachineConfig config = SmallConfig();
    config.inject.late_interrupt_ns = late;
    Run(
        [](hw::Platform& p) {
          std::vector<uint32_t> sent;
          for (uint32_t i = 0; i < 20; ++i) {
            Stray(p, hw::Stray::kMessage, kMessage, 100 + i);
            sent.push_back(100 + i);
            if (i % 4 == 0) p.MmioRead(Register(), 8);
          }
          EXPECT_THAT(Messages(p), ElementsAreArray(sent));
          EXPECT_FALSE(p.TakeMessage().has_value());
        },
        config);
  }
}

TEST_P(EveryEngine, AMessageComesAfterTheWritesBeforeIt) {
  Run([](hw::Platform& p) {
    for (uint32_t i = 1; i <= 10; ++i) {
      Stray(p, hw::Stray::kWrite, 0x300000, i);
      Stray(p, hw::Stray::kMessage, kMessage, i);
      ASSERT_TRUE(p.WaitForMessage(1'000'000));
      EXPECT_EQ(p.TakeMessage()->data, i);
      uint32_t word = 0;
      ASSERT_TRUE(p.ram().Read(0x300000, &word, sizeof word));
      EXPECT_EQ(word, i);
    }
  });
}

TEST_P(EveryEngine, PowerOffTakesLocalMemoryAndKeepsConfiguration) {
  Run([](hw::Platform& p) {
    constexpr uint64_t kWord = 0x0123456789ABCDEF;
    p.MmioWrite(kWindow + 0x100, 8, kWord);
    ASSERT_EQ(p.MmioRead(kWindow + 0x100, 8), kWord);
    for (int cycle = 0; cycle < 2; ++cycle) {
      p.ConfigWrite(kFunction, kPowerState, 2, 3);
      EXPECT_EQ(p.MmioRead(Register(), 8), kForever);
      EXPECT_EQ(p.MmioRead(kWindow + 0x100, 8), kForever);
      p.ConfigWrite(kFunction, kPowerState, 2, 0);
      EXPECT_EQ(p.ConfigRead(kFunction, 0x10, 4), kRegisters);
      EXPECT_NE(p.MmioRead(kWindow + 0x100, 8), kWord) << "after cycle " << cycle;
      p.MmioWrite(kWindow + 0x100, 8, kWord);
      EXPECT_EQ(p.MmioRead(kWindow + 0x100, 8), kWord);
    }
  });
}

TEST_P(EveryEngine, InstrumentsSeeWhatTheDeviceDoesOnTheBus) {
  Run([](hw::Platform& p) {
    hw::Instruments& i = *p.instruments();
    i.NotePages(0x300, 2, true);
    EXPECT_EQ(i.PageAccesses(0x300), 0u);
    Stray(p, hw::Stray::kWrite, 0x300000, 1);
    Stray(p, hw::Stray::kRead, 0x301000, 0);
    Stray(p, hw::Stray::kMessage, kMessage, 1);
    EXPECT_THAT(Messages(p), ::testing::SizeIs(1));
    const hw::BusCounts counts = i.BusAccesses(kFunction);
    EXPECT_EQ(counts.writes, 1u);
    EXPECT_EQ(counts.reads, 1u);
    EXPECT_EQ(counts.messages, 1u);
    EXPECT_EQ(i.BusAccesses({7, 0, 0}).total(), 0u);
    EXPECT_EQ(i.PageAccesses(0x300), 1u);
    EXPECT_THAT(i.Findings(), IsEmpty());
    i.NotePages(0x301, 1, false);
    Stray(p, hw::Stray::kWrite, 0x301000, 1);
    static_cast<void>(p.WaitForMessage(20'000));
    ASSERT_FALSE(i.Findings().empty());
    EXPECT_EQ(i.Findings()[0].probe, "host_pages");
    EXPECT_THAT(i.ResourcesInUse(), IsEmpty());
  });
}

TEST_P(EveryEngine, CountersHaveNamesUnitsAndTexts) {
  Run([](hw::Platform& p) {
    std::set<std::string> names;
    for (const hw::Counter& counter : p.instruments()->Counters()) {
      EXPECT_TRUE(names.insert(counter.block + "." + counter.name).second) << counter.block << "." << counter.name;
      EXPECT_NE(counter.unit, "");
      EXPECT_NE(counter.description, "");
    }
    EXPECT_FALSE(names.empty());
    const uint64_t before = p.instruments()->Cycles();
    static_cast<void>(p.WaitForMessage(10'000));
    EXPECT_GT(p.instruments()->Cycles(), before);
  });
}

TEST_P(EveryEngine, NamesTheWaitThatNothingCanEnd) {
  Run([](hw::Platform& p) {
    try {
      static_cast<void>(p.WaitForMessage(kForever));
      ADD_FAILURE() << "the wait ended";
    } catch (const EngineError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the machine stands still at "));
      EXPECT_THAT(error.what(), HasSubstr("nothing can end the wait for an interrupt message"));
    }
    EXPECT_EQ(p.MmioRead(kNowhere, 4), 0xFFFFFFFFu) << "the machine goes on";
  });
}

TEST_P(EveryEngine, DumpsTheMemoryThatWasWrittenAndNoMappings) {
  const Made made = GetParam().make(SmallConfig());
  made.engine->Run([](hw::Platform& p) {
    const uint64_t word = 0x4142434445464748;
    EXPECT_TRUE(p.ram().Write(0x300000, &word, sizeof word));
    return 0;
  });
  std::ostringstream image;
  made.engine->DumpHost(image);
  EXPECT_EQ(image.str().substr(0, 8), "HOSTIMG1");
  EXPECT_THAT(image.str(), HasSubstr("HGFEDCBA"));
  EXPECT_TRUE(nlohmann::json::parse(made.engine->DumpMappings())["devices"].empty());
}

INSTANTIATE_TEST_SUITE_P(All, EveryEngine, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gmmu::sim
