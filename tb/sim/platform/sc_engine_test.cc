// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

#include "host/bare_machine.h"
#include "tb/sim/host/held_reads.h"
#include "tb/sim/host/owned_pages.h"

namespace gmmu::sim {
namespace {

using regs::Target;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

int RunOn(const MachineConfig& config, const std::function<void(hw::Platform&, BareMachine&)>& software,
          const EngineOptions& options = {}) {
  const auto engine = CreateRtl(config, options);
  return engine->Run([&](hw::Platform& platform) {
    BareMachine machine(platform);
    software(platform, machine);
    return 0;
  });
}

int RunOnDefault(const std::function<void(hw::Platform&, BareMachine&)>& software) {
  return RunOn(MachineConfig::Default(), software);
}

uint64_t CounterOf(hw::Platform& p, const std::string& block, const std::string& name) {
  for (const hw::Counter& counter : p.instruments()->Counters()) {
    if (counter.block == block && counter.name == name) return counter.value;
  }
  ADD_FAILURE() << "no counter " << block << "." << name;
  return 0;
}

TEST(RtlEngine, GivesWhatTheSoftwareReturns) {
  const auto engine = CreateRtl(MachineConfig::Default(), {});
  EXPECT_EQ(engine->Run([](hw::Platform&) { return 42; }), 42);
}

TEST(RtlEngine, LetsAnExceptionOfTheSoftwareThrough) {
  const auto engine = CreateRtl(MachineConfig::Default(), {});
  EXPECT_THROW(engine->Run([](hw::Platform& p) -> int {
    p.WaitForMessage(100);
    throw std::out_of_range("x");
  }),
               std::out_of_range);
}

TEST(RtlEngine, SaysWhatWasWaitedForWhenNothingCanHappenAnyMore) {
  const auto engine = CreateRtl(MachineConfig::Default(), {});
  try {
    engine->Run([](hw::Platform& p) { return p.WaitForMessage(~uint64_t{0}) ? 1 : 0; });
    FAIL();
  } catch (const EngineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("an interrupt message"));
  }
}

TEST(RtlEngine, WaitsNoLongerThanTheBound) {
  RunOnDefault([](hw::Platform& p, BareMachine&) {
    const uint64_t start = p.NowNs();
    EXPECT_FALSE(p.WaitForMessage(5000));
    EXPECT_GE(p.NowNs(), start + 5000);
    EXPECT_LE(p.NowNs(), start + 5010);
  });
}

TEST(RtlEngine, AnswersOnesWhereNobodyIs) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) {
    EXPECT_EQ(p.ConfigRead({0, 3, 0}, 0, 4), 0xFFFFFFFFu);
    EXPECT_EQ(p.ConfigRead(BareMachine::kGpu, 0, 2), p.firmware().gpu_vendor);
    EXPECT_EQ(p.MmioRead(BareMachine::kRegisters, 8), ~uint64_t{0});  // no BAR is enabled yet
    m.PowerOn();
    EXPECT_EQ(m.Read(0) & 0xFFFFFFFF, 0x554D4D47u);
    p.ConfigWrite(BareMachine::kGpu, 4, 2, 0);
    EXPECT_EQ(p.MmioRead(BareMachine::kRegisters, 4), 0xFFFFFFFFu);
  });
}

TEST(RtlEngine, KeepsTheOrderOfWindowAndRegisterAccesses) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    std::vector<uint64_t> out(512), in(512);
    for (size_t i = 0; i < out.size(); ++i) out[i] = i * 0x9E3779B97F4A7C15;
    for (uint64_t base = 0; base < 4; ++base) {
      m.Write(regs::WindowBase::kOffset, base << 16);
      p.MmioWriteBlock(BareMachine::kWindow + 0x40, out.data(), out.size() * 8);
      p.MmioWrite(BareMachine::kWindow + 0x44, 4, static_cast<uint32_t>(base));
    }
    for (uint64_t base = 0; base < 4; ++base) {
      m.Write(regs::WindowBase::kOffset, base << 16);
      p.MmioReadBlock(BareMachine::kWindow + 0x40, in.data(), in.size() * 8);
      EXPECT_EQ(in[0], (out[0] & 0xFFFFFFFF) | base << 32);
      EXPECT_TRUE(std::equal(in.begin() + 1, in.end(), out.begin() + 1));
    }
    EXPECT_THAT(p.instruments()->Findings(), IsEmpty());
  });
}

TEST(RtlEngine, CopiesHostMemoryThroughVramWithTheMessageBehindTheBytes) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    m.StartRing();
    const size_t size = 10'007;
    m.Fill(0x400003, size, 1);
    ASSERT_TRUE(m.Execute(BareMachine::Copy(Target::kSystem, 0x400003, Target::kVram, 0x8005, size)));
    ASSERT_TRUE(m.Execute(BareMachine::Copy(Target::kVram, 0x8005, Target::kSystem, 0x500001, size)));
    EXPECT_EQ(m.Bytes(0x500001, size), m.Bytes(0x400003, size));
    EXPECT_EQ(m.Bytes(0x500000, 1), std::vector<uint8_t>{0});
    EXPECT_THAT(p.instruments()->Findings(), IsEmpty());
    EXPECT_EQ(CounterOf(p, "gpu_engine", "ring_entries"), 2u);
    EXPECT_GT(p.instruments()->BusAccesses(BareMachine::kGpu).reads, 0u);
    EXPECT_LT(p.instruments()->CyclesEvaluated(), p.instruments()->Cycles());
  });
}

TEST(RtlEngine, TranslatesDmaAndRefusesWhatIsNotMapped) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    m.TranslateDma({{BareMachine::kRing, BareMachine::kRing},
                    {BareMachine::kBuffer, BareMachine::kBuffer},
                    {BareMachine::kFence, BareMachine::kFence},
                    {0x7000, 0x1'2345'6000},
                    {0x8000, 0x5000'0000}});
    m.StartRing();
    m.Fill(0x1'2345'6000, 4096, 1);
    m.Fill(0x5000'0000, 4096, 2);
    EXPECT_EQ(p.instruments()->PageAccesses(0x50000), 0u);
    ASSERT_TRUE(m.Execute(BareMachine::Copy(Target::kSystem, 0x7800, Target::kVram, 0x8000, 4096)));
    EXPECT_GT(p.instruments()->PageAccesses(0x50000), 0u);
    ASSERT_TRUE(m.Execute(BareMachine::Copy(Target::kVram, 0x8000, Target::kSystem, 0x7000, 2048)));
    auto expected = m.Bytes(0x1'2345'6800, 2048);
    EXPECT_EQ(m.Bytes(0x1'2345'6000, 2048), expected);
    EXPECT_GT(CounterOf(p, "iommu", "iotlb_hits"), 0u);
    // Many reads of a page miss at the same time and share one walk. The first page needs six table
    // reads, each other page one or a few, hence at most 16.
    EXPECT_LE(CounterOf(p, "iommu", "walk_reads"), 16u);

    EXPECT_FALSE(m.Execute(BareMachine::Copy(Target::kSystem, 0x9000, Target::kVram, 0x8000, 64)));
    EXPECT_EQ(m.status().reason(), regs::Fault::kBusRead);
    const uint64_t unit = *p.firmware().iommu_base;
    EXPECT_NE(p.MmioRead(unit + 0x34, 4) & 2, 0u);  // a fault is pending
  });
}

TEST(RtlEngine, AccessesToPagesThatNobodyHasAreFound) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) { AccessesToPagesThatNobodyHasAreFound(p, m); });
}

TEST(RtlEngine, ShowsTheDevicesWritesBeforeTheRegisterThatReportsThem) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    m.StartRing();
    m.Fill(0x400000, 4096, 1);
    ASSERT_TRUE(m.Execute(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0x8000, 4096)));
    // The test waits for the second copy by polling last_fence, which changes when the write of the
    // fence record is accepted, before the record is in memory.
    const auto commands = BareMachine::Copy(Target::kVram, 0x8000, Target::kSystem, 0x600000, 4096);
    const uint64_t entry[4] = {BareMachine::kBuffer,
                               regs::RingEntryShape().set_bytes(32).set_physical(1).set_target(Target::kSystem).raw, 77,
                               0};
    ASSERT_TRUE(p.ram().Write(BareMachine::kBuffer, commands.data(), 32));
    ASSERT_TRUE(p.ram().Write(BareMachine::kRing + 32, entry, sizeof entry));
    m.Write(regs::kRingBase + regs::RingTail::kOffset, 2);
    int polls = 0;
    while (m.Read(regs::kRingBase + regs::RingLastFence::kOffset) != 77 && polls < 1000) ++polls;
    ASSERT_LT(polls, 1000);
    EXPECT_EQ(m.Bytes(0x600000, 4096), m.Bytes(0x400000, 4096));
  });
}

TEST(RtlEngine, ChecksTranslationsAndFindsAMissingFlush) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    m.MapSpace({0x10000, 0x11000, 0x12000, 0x13000});
    ASSERT_TRUE(m.ClientReads(256));
    EXPECT_GT(CounterOf(p, "translation_checker", "answers"), 0u);
    EXPECT_THAT(p.instruments()->Findings(), IsEmpty());

    const uint64_t moved = regs::PteEntry().set_valid(1).set_target(Target::kVram).set_page(0x20).raw;
    m.WriteVram(0x2000, &moved, 8);
    m.InvalidateSpace();
    p.instruments()->NoteFlush(0, 1, 0, ~uint64_t{0});
    ASSERT_TRUE(m.ClientReads(256));
    EXPECT_THAT(p.instruments()->Findings(), IsEmpty());

    const uint64_t again = regs::PteEntry().set_valid(1).set_target(Target::kVram).set_page(0x21).raw;
    m.WriteVram(0x2000, &again, 8);
    p.instruments()->NoteFlush(0, 1, 0, ~uint64_t{0});  // no flush was made
    ASSERT_TRUE(m.ClientReads(64));
    ASSERT_THAT(p.instruments()->Findings(), Not(IsEmpty()));
    EXPECT_EQ(p.instruments()->Findings()[0].probe, "translation");
  });
}

struct Figures {
  uint64_t cycles, evaluated, ns;
  std::string counters;
  bool operator==(const Figures& o) const {
    return cycles == o.cycles && evaluated == o.evaluated && ns == o.ns && counters == o.counters;
  }
};

Figures Job(unsigned shuffle, uint64_t seed, bool reorder, uint64_t batch = 10'000) {
  MachineConfig config = MachineConfig::Default();
  config.sim.batch = batch;
  config.gpu.vram_reorder = reorder;
  EngineOptions options;
  options.shuffle = shuffle;
  options.seed = seed;
  Figures figures{};
  RunOn(
      config,
      [&](hw::Platform& p, BareMachine& m) {
        m.PowerOn();
        m.StartRing();
        m.MapSpace({0x10000, 0x11000, 0x12000, 0x13000});
        m.Fill(0x400000, 0x4000, 3);
        EXPECT_TRUE(m.Execute(BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0x10000, 0x4000)));
        EXPECT_TRUE(m.ClientReads(256));
        EXPECT_TRUE(m.Execute(BareMachine::Copy(Target::kVram, 0x10000, Target::kSystem, 0x700000, 0x4000)));
        EXPECT_EQ(m.Bytes(0x700000, 0x4000), m.Bytes(0x400000, 0x4000));
        std::ostringstream counters;
        for (const auto& c : p.instruments()->Counters())
          counters << c.block << '.' << c.name << '=' << c.value << '\n';
        EXPECT_THAT(p.instruments()->Findings(), IsEmpty());
        figures = {p.instruments()->Cycles(), p.instruments()->CyclesEvaluated(), p.NowNs(), counters.str()};
      },
      options);
  return figures;
}

TEST(RtlEngine, DoesTheSameInTheSameCyclesWhateverTheOrderOfItsProcesses) {
  const Figures first = Job(0, 1, false);
  for (unsigned shuffle = 0; shuffle < 6; ++shuffle) {
    const Figures again = Job(shuffle, 1, false);
    EXPECT_EQ(again.cycles, first.cycles) << shuffle;
    EXPECT_EQ(again.evaluated, first.evaluated) << shuffle;
    EXPECT_EQ(again.counters, first.counters) << shuffle;
  }
}

TEST(RtlEngine, DoesTheSameInTheSameCyclesWhateverItsBatch) {
  const Figures large = Job(0, 1, false), small = Job(0, 1, false, 100);
  EXPECT_EQ(small.cycles, large.cycles);
  EXPECT_EQ(small.counters, large.counters);
}

TEST(RtlEngine, GivesTheSameBytesWhenVramAnswersOutOfOrder) {
  EXPECT_TRUE(Job(0, 1, true) == Job(0, 1, true));
  (void)Job(0, 2, true);
}

TEST(RtlEngine, ShowsWhatTheHardwareHasInUseUntilItIsQuiet) {
  RunOnDefault([](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    m.StartRing();
    const std::vector<uint64_t> commands = BareMachine::Copy(Target::kSystem, 0x300000, Target::kVram, 0x10000,
                                                             256 << 10);
    ASSERT_TRUE(p.ram().Write(BareMachine::kBuffer, commands.data(), commands.size() * 8));
    const uint64_t entry[4] = {BareMachine::kBuffer,
                               regs::RingEntryShape()
                                   .set_bytes(commands.size() * 8)
                                   .set_physical(1)
                                   .set_target(Target::kSystem)
                                   .set_irq(1)
                                   .raw,
                               5, 0};
    ASSERT_TRUE(p.ram().Write(BareMachine::kRing, entry, sizeof entry));
    EXPECT_TRUE(p.instruments()->ResourcesInUse().empty());
    m.Write(regs::kRingBase + regs::RingTail::kOffset, 1);
    EXPECT_FALSE(p.WaitForMessage(10'000));  // the copy is still in progress
    std::vector<std::string> kinds;
    for (const hw::InUse& held : p.instruments()->ResourcesInUse()) kinds.push_back(held.kind);
    EXPECT_THAT(kinds, ::testing::IsSupersetOf({"rtl_slot", "bus_slot", "pcie_tag"}));
    EXPECT_TRUE(p.WaitForMessage(1'000'000));
    static_cast<void>(p.TakeMessage());
    EXPECT_FALSE(p.WaitForMessage(1'000));
    EXPECT_TRUE(p.instruments()->ResourcesInUse().empty());
  });
}

TEST(RtlEngine, LosesTheFenceWhenToldTo) {
  MachineConfig config = MachineConfig::Default();
  config.inject.drop_fence = true;
  RunOn(config, [](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    m.StartRing();
    const uint64_t nop = regs::CommandHeaderWord().set_opcode(regs::Opcode::kNop).set_words(1).raw;
    ASSERT_TRUE(p.ram().Write(BareMachine::kBuffer, &nop, 8));
    const uint64_t entry[4] = {
        BareMachine::kBuffer,
        regs::RingEntryShape().set_bytes(8).set_physical(1).set_target(Target::kSystem).set_irq(1).raw, 5, 0};
    ASSERT_TRUE(p.ram().Write(BareMachine::kRing, entry, sizeof entry));
    m.Write(regs::kRingBase + regs::RingTail::kOffset, 1);
    EXPECT_TRUE(p.WaitForMessage(100'000));
    EXPECT_EQ(m.status().error(), 0u);
    EXPECT_EQ(m.Bytes(BareMachine::kFence, 4), std::vector<uint8_t>(4, 0));
  });
}

TEST(RtlEngine, HeldReadsKeepARingBusyUntilTheirTime) { RunOnDefault(HeldReadsKeepARingBusyUntilTheirTime); }

TEST(RtlEngine, FlipsOneBitOfVramWhenToldTo) {
  MachineConfig config = MachineConfig::Default();
  config.inject.vram_flip.after_write_bytes = 1000;
  RunOn(config, [](hw::Platform& p, BareMachine& m) {
    m.PowerOn();
    std::vector<uint8_t> zero(4096, 0), back(4096, 0);
    m.WriteVram(0x3000, zero.data(), zero.size());
    p.MmioReadBlock(BareMachine::kWindow + 0x3000, back.data(), back.size());
    int bits = 0;
    for (const uint8_t byte : back) bits += __builtin_popcount(byte);
    EXPECT_EQ(bits, 1);
  });
}

TEST(RtlEngine, DumpsWrittenPagesAndMappings) {
  const auto engine = CreateRtl(MachineConfig::Default(), {});
  engine->Run([&](hw::Platform& p) {
    BareMachine m(p);
    m.Fill(0x1'0000'0000, 10, 9);
    m.TranslateDma({{0x7000, 0x1'2345'6000}, {0x8000, 0x1'2345'7000}});
    std::ostringstream out;
    engine->DumpHost(out);
    const std::string image = out.str();
    EXPECT_EQ(image.substr(0, 8), "HOSTIMG1");
    uint64_t address = 0, length = 0;
    std::memcpy(&address, image.data() + 8, 8);
    std::memcpy(&length, image.data() + 16, 8);
    EXPECT_EQ(address, BareMachine::kRootTable);
    EXPECT_EQ(length % 4096, 0u);
    const std::string json = engine->DumpMappings();
    EXPECT_THAT(json, HasSubstr("\"root\": \"0x200000\""));
    EXPECT_THAT(json, HasSubstr("\"bdf\": \"01:00.0\""));
    EXPECT_THAT(json, HasSubstr("\"logical\": \"0x7000\""));
    EXPECT_THAT(json, HasSubstr("\"bytes\": 8192"));
    return 0;
  });
}

#ifndef GMMU_WAVES
TEST(RtlEngine, SaysHowToBuildWaves) {
  EngineOptions options;
  options.waves = "x.fst";
  try {
    CreateRtl(MachineConfig::Default(), options);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("-DGMMU_WAVES=ON"));
  }
}
#endif

TEST(RtlEngine, RefusesSizesThatWereNotBuilt) {
  MachineConfig config = MachineConfig::Default();
  config.gpu.walks *= 2;
  EXPECT_THROW(CreateRtl(config, {}), ConfigError);
}

}  // namespace
}  // namespace gmmu::sim
