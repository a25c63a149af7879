// SPDX-License-Identifier: Apache-2.0
// Tests keys that no scenario sets. Each key must change a run on the fast engine, or a result that the shared core
// models compute.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "host/bare_machine.h"
#include "host/engine.h"
#include "host/machine_parts.h"
#include "hw/gmmu_regs.h"
#include "settings/keys.h"
#include "iommu/vtd/remapper.h"
#include "tb/sim/iommu/vtd/bench.h"
#include "tb/sw/os/between.h"
#include "twin/fast_engine.h"
#include "workload/input.h"
#include "workload/job.h"

namespace gmmu::app {
namespace {

/// Returns TOML that sets `key`, "section.name", to `value`.
std::string Toml(const std::string& key, const std::string& value) {
  const size_t dot = key.rfind('.');
  return "[" + key.substr(0, dot) + "]\n" + key.substr(dot + 1) + " = " + value + "\n";
}

/// Returns a configuration with the key set; `more` adds another section.
Configuration With(const std::string& key, const std::string& value, const std::string& more = "") {
  return Configuration::FromToml(Toml(key, value) + more, key);
}

workload::JobResult Job(const Configuration& configuration, uint64_t bytes = 100'000) {
  sim::twin::FastMachine machine(configuration.machine);
  const std::vector<uint8_t> input = workload::SeededInput(1, bytes);
  workload::JobOptions options;
  options.os = configuration.OsParameters(1);
  options.seed = 1;
  options.input = &input;
  workload::JobResult result;
  RunMainJob(machine, options, result);
  return result;
}

// ---- run times of the main job

enum class Becomes { kSlower, kFaster };

struct TimeRow {
  std::string key, value;
  Becomes becomes = Becomes::kSlower;
  std::string more = "";  ///< other settings of both machines

  friend void PrintTo(const TimeRow& row, std::ostream* out) { *out << row.key << " = " << row.value; }
};

class TimeKey : public ::testing::TestWithParam<TimeRow> {};

TEST_P(TimeKey, ChangesTheCyclesOfTheMainJob) {
  const TimeRow& row = GetParam();
  const auto before = Job(Configuration::FromToml(row.more, "before"));
  const auto after = Job(With(row.key, row.value, row.more));
  ASSERT_TRUE(before.Passed() && after.Passed());
  if (row.becomes == Becomes::kSlower) EXPECT_GT(after.cycles, before.cycles);
  else EXPECT_LT(after.cycles, before.cycles);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, TimeKey,
    ::testing::Values(TimeRow{"pcie.generation", "1"}, TimeRow{"pcie.lanes", "1"}, TimeRow{"pcie.tlp_overhead", "64"},
                      TimeRow{"pcie.link_layer_ppm", "500000"}, TimeRow{"pcie.max_payload", "128"},
                      TimeRow{"pcie.latency_ps", "1000000"}, TimeRow{"gpu.clock_mhz", "2000"},
                      TimeRow{"host.dram_controller_ps", "1000000"}, TimeRow{"host.dram_trcd_ps", "1000000"},
                      TimeRow{"host.dram_tcas_ps", "1000000"}, TimeRow{"host.dram_burst_ps", "1000000"},
                      TimeRow{"iommu.lookup_ps", "100000"}, TimeRow{"iommu.descriptor_ps", "2000000"},
                      TimeRow{"iommu.paging_entries", "0"},
                      TimeRow{"iommu.walks", "1", Becomes::kSlower, "[host]\ndram_controller_ps = 10000000\n"},
                      TimeRow{"gpu.vram_beat_cycles", "8"}, TimeRow{"gpu.reads_in_flight", "2"},
                      TimeRow{"gpu.l2_entries", "4096"}, TimeRow{"gpu.l2_ways", "1"},
                      TimeRow{"gpu.data_bits", "512", Becomes::kFaster}),
    [](const auto& info) {
      std::string name = info.param.key;
      name[name.find('.')] = '_';
      return name;
    });

TEST(Settings, VramBeatsShareTheBeatCycles) {
  const auto one = Job(Configuration::FromToml("[gpu]\nvram_beat_cycles = 8", "one"));
  const auto four = Job(With("gpu.vram_beats", "4", "vram_beat_cycles = 8\n"));
  EXPECT_LT(four.cycles, one.cycles);
}

// ---- sizes that the GPU's registers report

TEST(Settings, SizesOfTheGpuStandInItsRegisters) {
  struct Row {
    const char* key;
    uint64_t value;
    uint32_t offset;
    uint64_t (*field)(uint64_t raw);
    uint64_t times = 1;  // the register field reads value * times
  };
#define FIELD(Register, field) \
  regs::Register::kOffset, [](uint64_t raw) { return uint64_t{regs::Register{raw}.field()}; }
  for (const Row& row :
       {Row{"gpu.clients", 7, FIELD(Cap0, clients)}, Row{"gpu.spaces", 9, FIELD(Cap0, spaces)},
        Row{"gpu.reads_in_flight", 16, FIELD(Cap0, reads)}, Row{"gpu.va_bits", 50, FIELD(Cap0, va_bits)},
        Row{"gpu.l1_entries", 5, FIELD(Cap1, l1_entries)}, Row{"gpu.l2_entries", 128, FIELD(Cap1, l2_entries)},
        Row{"gpu.l2_ways", 2, FIELD(Cap1, l2_ways)}, Row{"gpu.walk_cache", 6, FIELD(Cap1, walk_cache)},
        Row{"gpu.walk_cache", 6, FIELD(Cap2, large_entries), 5}}) {
    const Configuration configuration = With(row.key, std::to_string(row.value));
    sim::twin::FastMachine machine(configuration.machine);
    sim::BareMachine bare(machine);
    bare.PowerOn();
    EXPECT_EQ(row.field(bare.Read(row.offset)), row.value * row.times) << row.key;
  }
#undef FIELD
}

TEST(Settings, TheBoundOfCpuAccessesEndsARunThatTakesLonger) {
  const auto read = [](const Configuration& configuration) {
    sim::twin::FastMachine machine(configuration.machine);
    sim::BareMachine(machine).PowerOn();
    machine.MmioRead(sim::BareMachine::kRegisters, 8);
  };
  Configuration configuration = Configuration::FromToml("", "default");
  EXPECT_NO_THROW(read(configuration));
  configuration.machine.gpu.mmio_bound_ns = 100;  // below the minimum of the configuration file key
  EXPECT_THROW(read(configuration), sim::EngineError);
  // An access over a link with a latency of 10 us is slow, but must not count as a hang.
  EXPECT_NO_THROW(read(With("gpu.mmio_bound_ns", "10000", "[pcie]\nlatency_ps = 10000000\n")));
}

// ---- results that the shared core models compute

/// Returns the sum of the completion times of several reads: in one row, in another row of the same
/// bank, and in a stream. All reads start after the first refresh.
uint64_t DramDone(const Configuration& configuration) {
  sim::DramTiming dram(sim::DramOf(configuration.machine.host));
  uint64_t done = 8'000'000, sum = 0;
  for (const uint64_t at : {0, 4096, 1 << 20}) sum += done = dram.Access(done, at, 64, false);
  for (uint64_t at = 0; at < 64 << 10; at += 512) sum += dram.Access(done, at, 512, false);
  return sum;
}

struct DramRow {
  std::string key, value;
  Becomes becomes;

  friend void PrintTo(const DramRow& row, std::ostream* out) { *out << row.key << " = " << row.value; }
};
class DramKey : public ::testing::TestWithParam<DramRow> {};

TEST_P(DramKey, ChangesWhenReadsAreDone) {
  const uint64_t before = DramDone({}), after = DramDone(With(GetParam().key, GetParam().value));
  if (GetParam().becomes == Becomes::kSlower) EXPECT_GT(after, before);
  else EXPECT_LT(after, before);
}

INSTANTIATE_TEST_SUITE_P(Settings, DramKey,
                         ::testing::Values(DramRow{"host.dram_channels", "4", Becomes::kFaster},
                                           DramRow{"host.dram_banks", "1", Becomes::kSlower},
                                           DramRow{"host.dram_row_bytes", "1024", Becomes::kSlower},
                                           DramRow{"host.dram_burst_bytes", "128", Becomes::kFaster},
                                           DramRow{"host.dram_trp_ps", "500000", Becomes::kSlower},
                                           DramRow{"host.dram_trefi_ps", "400000", Becomes::kSlower},
                                           DramRow{"host.dram_trfc_ps", "1000000", Becomes::kSlower}),
                         [](const auto& info) { return info.param.key.substr(info.param.key.find('.') + 1); });

/// Returns how many TLPs of a kind can be sent before the sender runs out of credits.
unsigned Sent(const Configuration& configuration, sim::TlpKind kind, unsigned bytes) {
  sim::PcieDirection direction(sim::PcieOf(configuration.machine.pcie), "link");
  unsigned sent = 0;
  for (; direction.CanSend(kind, bytes); ++sent) direction.Send(kind, bytes, 0);
  return sent;
}

TEST(Settings, CreditsOfTheLinkAreWhatASenderMaySend) {
  using sim::TlpKind;
  EXPECT_EQ(Sent({}, TlpKind::kPosted, 16), 64u);
  EXPECT_EQ(Sent(With("pcie.posted_headers", "5"), TlpKind::kPosted, 16), 5u);
  EXPECT_EQ(Sent(With("pcie.posted_data", "256"), TlpKind::kPosted, 256), 16u) << "credits of 16 bytes";
  EXPECT_EQ(Sent(With("pcie.non_posted_headers", "6"), TlpKind::kNonPosted, 0), 6u);
  EXPECT_EQ(Sent(With("pcie.completion_headers", "7"), TlpKind::kCompletion, 16), 7u);
  EXPECT_EQ(Sent(With("pcie.completion_data", "256"), TlpKind::kCompletion, 256), 16u);
}

TEST(Settings, TagsRequestSizesAndTheCompletionBoundaryShapeReads) {
  const auto in_flight = [](const Configuration& configuration) {
    sim::TagPool tags(sim::PcieOf(configuration.machine.pcie).tags);
    while (tags.Allocate()) continue;
    return tags.in_use();
  };
  EXPECT_EQ(in_flight({}), 64u);
  EXPECT_EQ(in_flight(With("pcie.tags", "9")), 9u);
  const auto requests = [](const Configuration& configuration) {
    return sim::SplitRead(sim::PcieOf(configuration.machine.pcie), 0x1000, 512).size();
  };
  EXPECT_EQ(requests({}), 1u);
  EXPECT_EQ(requests(With("pcie.max_read_request", "128")), 4u);
  const auto first = [](const Configuration& configuration) {
    return sim::SplitCompletion(sim::PcieOf(configuration.machine.pcie), 0x1040, 512).at(0).bytes;
  };
  EXPECT_EQ(first({}), 256u);
  EXPECT_EQ(first(With("pcie.completion_boundary", "128")), 192u) << "ends at 0x1100";
}

TEST(Settings, OfTheIommuAreItsCapabilitiesAndCaches) {
  const auto cap = [](const Configuration& configuration) {
    return sim::RemapperOf(configuration.machine.iommu)->ReadRegister(sim::vtd::kCap, 8);
  };
  EXPECT_EQ(cap({}) >> 4 & 1, 0u);
  EXPECT_EQ(cap(With("iommu.write_buffer_flush", "true")) >> 4 & 1, 1u);
  EXPECT_EQ((cap(With("iommu.fault_records", "3")) >> 40 & 0xFF) + 1, 3u);

  // Two devices alternate, so a context cache with one entry misses on every access.
  const auto reads = [](const Configuration& configuration) {
    sim::VtdBench bench(sim::VtdParametersOf(sim::RemapperParametersOf(configuration.machine.iommu)));
    bench.Start();
    bench.Map(0x1000, 0x2000);
    bench.SetContext(0x101, sim::VtdBench::kDid, bench.top, 4);
    for (const uint16_t device : {0x100, 0x101, 0x100, 0x101}) bench.Access(0x1000, false, device);
    return bench.memory.reads;
  };
  EXPECT_GT(reads(With("iommu.context_entries", "1")), reads({}));

  // Reads 32 pages twice. A smaller IOTLB evicts some of them before the second round.
  const auto misses = [](const Configuration& configuration) {
    sim::VtdBench bench(sim::VtdParametersOf(sim::RemapperParametersOf(configuration.machine.iommu)));
    bench.Start();
    for (uint64_t page = 0; page < 32; ++page) bench.Map(page << 12, page << 20);
    for (uint64_t access = 0; access < 64; ++access) bench.Access(access % 32 << 12);
    return bench.Count("iotlb_misses");
  };
  EXPECT_EQ(misses({}), 32u);
  EXPECT_GT(misses(With("iommu.iotlb_sets", "1")), 32u);
  EXPECT_GT(misses(With("iommu.iotlb_ways", "1")), 32u);
}

// ---- the operating system

TEST(Settings, AGpuThatReachesExactlyTheLastByteReachesAllMemoryOrNot) {
  // RAM is at 0-2 GiB and 4-8 GiB, so it ends exactly at the GPU's limit of 2^33 bytes.
  const std::string edge = "iommu = \"needed\"\n[host]\nmemory_gib = 6\n[gpu]\nlimit_bits = 33\n";
  EXPECT_EQ(Job(With("os.highest_visible_inclusive", "true", edge)).modes.back(), os::DmaMode::kPhysical);
  EXPECT_EQ(Job(With("os.highest_visible_inclusive", "false", edge)).modes.back(), os::DmaMode::kRemapped);
}

TEST(Settings, ADriverWhoseInfDoesNotDeclareRemappingIsNotRemapped) {
  const std::string reaches = "[host]\nmemory_gib = 4\n";
  EXPECT_EQ(Job(Configuration::FromToml(reaches, "default")).modes.back(), os::DmaMode::kRemapped);
  EXPECT_EQ(Job(With("driver.dma_remapping_compatible", "2", reaches)).modes.back(), os::DmaMode::kPhysical);
}

struct OtherDriver : os::DriverWithAFront {
  workload::JobResult RunWith(const std::string& key, const std::string& value) {
    return Run(With(key, value, "[host]\nmemory_gib = 4\n").OsParameters(3));
  }
};

TEST_F(OtherDriver, WithBothModelsOfAnMmuIsRefusedOrNot) {
  os::between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
    const NTSTATUS status = os::between.real.DxgkDdiQueryAdapterInfo(os::between.context, &args);
    if (args.Type == DXGKQAITYPE_DRIVERCAPS)
      static_cast<DXGK_DRIVERCAPS*>(args.pOutputData)->MemoryManagementCaps.IoMmuSupported = 1;
    return status;
  };
  EXPECT_FALSE(RunWith("os.both_mmu_models_refused", "true").Passed());
  EXPECT_TRUE(RunWith("os.both_mmu_models_refused", "false").Passed());
}

TEST_F(OtherDriver, OfADiscreteGpuWithoutRemappingIsRefusedOrNot) {
  os::between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
    return args.Type == DXGKQAITYPE_IOMMU_CAPS ? STATUS_NOT_SUPPORTED
                                               : os::between.real.DxgkDdiQueryAdapterInfo(os::between.context, &args);
  };
  const auto run = [&](const std::string& os) {
    return Run(Configuration::FromToml("[os]\n" + os +
                                           "\n[driver]\nisolation = false\n[gpu]\nlimit_bits = 36\n"
                                           "[host]\nmemory_gib = 4\n",
                                       "os")
                   .OsParameters(3));
  };
  const auto refused = run("discrete_without_remapping_refused = true");
  ASSERT_EQ(refused.faults.size(), 1u);
  EXPECT_NE(refused.faults[0].text.find("DXGK_IOMMU_CAPS.DmaRemappingSupported is not answered; a discrete GPU must "
                                        "support DMA remapping from WDDM 3.0 on"),
            std::string::npos)
      << refused.faults[0].text;
  EXPECT_TRUE(run("discrete_without_remapping_refused = false").Passed());
  for (const auto& [preset, on] : {std::pair{"documents", true}, {"windows-22621", false}, {"windows-26100", false}}) {
    const std::string text = std::string("[os]\npreset = \"") + preset + "\"";
    EXPECT_EQ(Configuration::FromToml(text, preset).OsParameters(3).discrete_without_remapping_refused, on) << preset;
  }
}

NTSTATUS CreateInSystemMemoryToo(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  const NTSTATUS status = os::between.real.DxgkDdiCreateAllocation(adapter, args);
  for (UINT i = 0; i < args->NumAllocations; ++i) args->pAllocationInfo[i].SupportedWriteSegmentSet |= 1u << 2;
  return status;
}

TEST_F(OtherDriver, ThatTakesTheBitBehindTheLastSegmentForSystemMemoryIsUnderstoodOrNot) {
  os::between.table = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiCreateAllocation = CreateInSystemMemoryToo;
  };
  EXPECT_TRUE(RunWith("os.system_segment_behind_last", "true").Passed());
  EXPECT_FALSE(RunWith("os.system_segment_behind_last", "false").Passed());
}

}  // namespace
}  // namespace gmmu::app
