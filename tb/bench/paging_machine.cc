// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/paging_machine.h"

#include <algorithm>
#include <random>
#include <vector>

#include "host/bare_machine.h"
#include "hw/gmmu_regs.h"
#include "platform/sc_engine.h"
#include "tb/bench/cpu_clock.h"
#include "tb/bench/row.h"

namespace gmmu::bench {
namespace {

using regs::Target;
using sim::BareMachine;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kApertureTable = 0x100000, kVramData = 16 << 20;  // in VRAM
constexpr uint64_t kLogical = 0x40000000, kHost = 0x10000000;

std::vector<uint64_t> Scattered(uint64_t base, size_t pages, uint64_t seed) {
  std::vector<uint64_t> list(pages);
  for (size_t i = 0; i < pages; ++i) list[i] = base + i * kPage;
  std::mt19937_64 random(seed);
  std::shuffle(list.begin(), list.end(), random);
  return list;
}

uint64_t Counter(hw::Platform& p, const std::string& block, const std::string& name) {
  for (const hw::Counter& counter : p.instruments()->Counters())
    if (counter.block == block && counter.name == name) return counter.value;
  throw RowError("no counter " + block + "." + name);
}

void CheckProbes(hw::Platform& p) {
  const auto findings = p.instruments()->Findings();
  if (!findings.empty()) throw RowError(findings[0].probe + ": " + findings[0].text);
}

void Execute(BareMachine& m, const std::vector<uint64_t>& commands) {
  if (!m.Execute(commands)) throw RowError("the ring stopped, or no interrupt came");
}

/// The bare machine with scattered host pages. The IOMMU maps these pages at scattered logical
/// addresses, and the pages of the ring, buffer and fence at their own addresses.
class Machine {
 public:
  Machine(hw::Platform& p, size_t pages)
      : m_(p), logical_(Scattered(kLogical, pages, 1)), host_(Scattered(kHost, 8 * pages, 2)) {
    m_.PowerOn();
    std::vector<BareMachine::Mapping> mappings;
    for (const uint64_t own : {BareMachine::kRing, BareMachine::kBuffer, BareMachine::kFence})
      mappings.push_back({own, own});
    for (size_t i = 0; i < pages; ++i) mappings.push_back({logical_[i], host_[i]});
    m_.TranslateDma(mappings);
    m_.StartRing();
  }
  BareMachine& software() { return m_; }
  uint64_t logical(size_t page) const { return logical_[page]; }
  void Fill(size_t first, size_t pages) {
    for (size_t i = first; i < first + pages; ++i) m_.Fill(host_[i], kPage, static_cast<uint8_t>(i * 3 + 1));
  }
  bool Equal(size_t a, size_t b, size_t pages) {
    for (size_t i = 0; i < pages; ++i)
      if (m_.Bytes(host_[a + i], kPage) != m_.Bytes(host_[b + i], kPage)) return false;
    return true;
  }
  /// Maps the machine's pages into the aperture, in order.
  void MapAperture() {
    m_.Write(regs::ApertureBase::kOffset, kApertureTable);
    m_.Write(regs::AperturePages::kOffset, logical_.size());
    for (size_t first = 0; first < logical_.size(); first += 256) {
      const size_t count = std::min<size_t>(256, logical_.size() - first);
      std::vector<uint64_t> words = {
          regs::CommandHeaderWord().set_opcode(regs::Opcode::kApertureList).set_wait_writes(1).set_words(2 + count).raw,
          first | uint64_t{count} << 32};
      for (size_t i = 0; i < count; ++i) words.push_back(logical_[first + i] | 1);
      Execute(m_, words);
    }
  }

 private:
  BareMachine m_;
  std::vector<uint64_t> logical_, host_;
};

void RunLink(hw::Platform& p, PagingMachine::Link& link) {
  const size_t pages = link.bytes / kPage;
  Machine machine(p, 2 * pages);
  machine.MapAperture();
  machine.Fill(0, pages);
  const auto in = BareMachine::Copy(Target::kAperture, 0, Target::kVram, kVramData, link.bytes);
  const auto out = BareMachine::Copy(Target::kVram, kVramData, Target::kAperture, link.bytes, link.bytes);
  BareMachine& m = machine.software();
  Execute(m, in);
  if (!link.in) Execute(m, out);
  const uint64_t missed = Counter(p, "iommu", "iotlb_misses");
  const uint64_t start = p.NowNs();
  Execute(m, link.in ? in : out);
  link.seconds = static_cast<double>(p.NowNs() - start) * 1e-9;
  link.iotlb_misses = Counter(p, "iommu", "iotlb_misses") - missed;
  if (link.in) Execute(m, out);
  if (!machine.Equal(0, pages, pages)) throw RowError("the bytes that came back differ");
  CheckProbes(p);
}

/// Maps a space with two levels of nine bits in VRAM. Pages 0 to 255 are the machine's host pages; pages 256 and above
/// are scattered pages of VRAM.
void MapSpace(BareMachine& m, const Machine& machine, const std::vector<uint64_t>& vram) {
  const auto entry = [](Target target, uint64_t address) {
    return regs::PteEntry().set_valid(1).set_target(target).set_page(address >> 12).raw;
  };
  const uint64_t root = entry(Target::kVram, 0x2000);
  m.WriteVram(0x1000, &root, 8);
  std::vector<uint64_t> leaf;
  for (size_t i = 0; i < 256; ++i) leaf.push_back(entry(Target::kSystem, machine.logical(i)));
  for (const uint64_t page : vram) leaf.push_back(entry(Target::kVram, page));
  m.WriteVram(0x2000, leaf.data(), leaf.size() * 8);
  const uint32_t space = regs::kSpaceBase + regs::kSpaceStride;
  m.Write(space + regs::SpaceGeometry::kOffset,
          regs::SpaceGeometry().set_levels(2).set_bits0(9).set_bits1(9).set_root_entries(512).raw);
  m.Write(space + regs::SpaceRoot::kOffset,
          regs::SpaceRoot().set_address(0x1000).set_target(Target::kVram).set_enable(1).raw);
  for (int i = 0; (m.Read(regs::InvStatus::kOffset) & 1) != 0; ++i)
    if (i == 1000) throw RowError("the space was not taken");
}

PagingMachine::Speed RunSpeed(hw::Platform& p, const PagingMachine::Load& load) {
  const uint64_t bytes = load.pages * kPage;
  Machine machine(p, 256);
  machine.Fill(0, 256);
  BareMachine& m = machine.software();
  MapSpace(m, machine, Scattered(kVramData, 256, 3));
  std::vector<uint64_t> commands;
  for (unsigned i = 0; i < load.copies; ++i) {
    const uint64_t copy =
        regs::CommandHeaderWord().set_opcode(regs::Opcode::kCopy).set_src_space(1).set_dst_space(1).set_words(4).raw;
    commands.insert(commands.end(), {copy, 0, 256 * kPage, bytes});
  }
  const uint64_t before = p.instruments()->CyclesEvaluated();
  const double start = CpuSeconds();
  Execute(m, commands);
  PagingMachine::Speed speed{};
  speed.seconds = CpuSeconds() - start;
  speed.cycles = p.instruments()->CyclesEvaluated() - before;
  speed.bus_load = static_cast<double>(load.copies * bytes) / (8.0 * static_cast<double>(speed.cycles));
  CheckProbes(p);
  return speed;
}

}  // namespace

sim::MachineConfig PagingMachine::LinkConfig() {
  sim::MachineConfig config = sim::MachineConfig::Default();
  config.iommu.iotlb_sets = 256;
  config.iommu.iotlb_ways = 8;
  return config;
}

void PagingMachine::MeasureLink(Link& link) {
  const auto engine = sim::CreateRtl(LinkConfig(), {});
  engine->Run([&](hw::Platform& p) {
    RunLink(p, link);
    return 0;
  });
}

PagingMachine::Speed PagingMachine::MeasureSpeed(const Load& load) {
  Speed speed{};
  sim::MachineConfig config = sim::MachineConfig::Default();
  config.sim.checker = load.checker;
  const auto engine = sim::CreateRtl(config, {});
  engine->Run([&](hw::Platform& p) {
    speed = RunSpeed(p, load);
    return 0;
  });
  return speed;
}

}  // namespace gmmu::bench
