// SPDX-License-Identifier: Apache-2.0
// Measures client translations in the whole GPU, in a bare C++ loop, with page tables in VRAM. For
// the latencies, a traffic engine reads single lines. For the rate, all client ports together read
// one word of each page in host memory.
#include <fmt/format.h>

#include "hw/gmmu_regs.h"
#include "tb/bench/bare_gpu.h"
#include "tb/bench/row.h"

namespace gmmu::bench {
namespace {

using regs::Target;

constexpr unsigned kLatency = 50, kSpace = 1;
constexpr uint64_t kTables = 0x100000, kVa = 0x40000000, kPages = 2048;
constexpr uint64_t kStart = 4000, kApart = 2000;  // cycles before the first read, and between reads
constexpr uint64_t kBound = 100'000;              // time limit for all reads, in cycles
constexpr unsigned kHit = 2;                      // cycles of an L1 hit, from another row

/// Returns a script that makes a client read one line at each of these addresses.
std::vector<RegisterWrite> Script(const std::vector<uint64_t>& addresses) {
  const uint32_t space = regs::kSpaceBase + kSpace * regs::kSpaceStride, client = regs::kClientBase;
  std::vector<RegisterWrite> script = {
      {100, space + regs::SpaceGeometry::kOffset,
       regs::SpaceGeometry().set_levels(3).set_bits0(9).set_bits1(9).set_bits2(9).set_root_entries(512).raw},
      {200, space + regs::SpaceRoot::kOffset,
       regs::SpaceRoot().set_address(kTables).set_target(Target::kVram).set_enable(1).raw},
      {300, regs::Ctrl::kOffset, regs::Ctrl().set_enable(1).raw},
      {400, client + regs::ClientLines::kOffset, regs::ClientLines().set_first(0).set_stride(1).raw},
      {500, client + regs::ClientOrder::kOffset, regs::ClientOrder().set_count(1).set_step(1).raw},
  };
  uint64_t at = kStart;
  for (const uint64_t address : addresses) {
    script.push_back({at - 1000, client + regs::ClientBase::kOffset, address});
    script.push_back({at, client + regs::ClientCtrl::kOffset, regs::ClientCtrl().set_space(kSpace).set_start(1).raw});
    at += kApart;
  }
  return script;
}

/// Writes page tables to VRAM for kPages pages starting at kVa. The pages themselves are in VRAM or host memory.
void Prepare(BareGpu& gpu, Target pages) {
  const auto put = [&](uint64_t address, uint64_t page, Target target) {
    const uint64_t entry = regs::PteEntry().set_valid(1).set_target(target).set_page(page >> 12).raw;
    if (!gpu.vram().Write(address, &entry, sizeof entry)) throw RowError("bench: no such memory");
  };
  put(kTables + 8 * (kVa >> 30 & 511), kTables + 0x1000, Target::kVram);
  for (uint64_t table = 0; table < kPages / 512; ++table) {
    put(kTables + 0x1000 + 8 * table, kTables + 0x2000 + (table << 12), Target::kVram);
  }
  for (uint64_t page = 0; page < kPages; ++page) put(kTables + 0x2000 + 8 * page, 0x1000000 + (page << 12), pages);
}

/// Returns the number of cycles from the edge that accepts a lookup to the edge at which its response is valid. The
/// lookups are `before`, `address` and `address`. The last lookup hits the L1, so the result is the
/// difference of the last two latencies plus the latency of an L1 hit.
uint64_t Latency(std::vector<uint64_t> before, uint64_t address) {
  before.insert(before.end(), {address, address});
  ArrayTiming timing;
  timing.latency = timing.write_latency = kLatency;
  BareGpu gpu(timing, timing, Script(before));
  Prepare(gpu, Target::kVram);
  gpu.RunTo(kStart + before.size() * kApart);
  if (!gpu.Findings().empty()) throw RowError(gpu.Findings().front());
  const std::vector<uint64_t>& answers = gpu.answers();
  if (answers.size() != before.size()) throw RowError(fmt::format("{} lookups were answered", answers.size()));
  const size_t last = answers.size() - 1;
  return answers[last - 1] + kApart - answers[last] + kHit;
}

/// Returns the number of cycles per lookup when all clients together read all pages in order and nothing is cached.
double CyclesEach() {
  ArrayTiming timing;
  timing.latency = timing.write_latency = kLatency;
  BareGpu gpu(timing, timing, Script({}));
  Prepare(gpu, Target::kSystem);
  std::vector<uint64_t> addresses;
  for (uint64_t page = 0; page < kPages; ++page) addresses.push_back(kVa + (page << 12));
  ClientReads reads(kStart, kSpace, addresses);
  gpu.set_clients(&reads);
  while (!reads.done()) {
    if (gpu.cycle() == kBound) throw RowError("the reads did not end");
    gpu.Step();
  }
  if (!gpu.Findings().empty()) throw RowError(gpu.Findings().front());
  if (reads.faults() != 0 || gpu.translations() != kPages) throw RowError("a read was not answered as it should");
  return static_cast<double>(reads.last() - reads.first()) / kPages;
}

Row Of(const std::string& name, double limit, const std::string& limit_text) {
  Row row;
  row.name = name;
  row.unit = "cycles";
  row.limit = limit;
  row.limit_text = limit_text;
  row.machine = fmt::format("whole GPU, a client's lookup: L1 {}, L2 {} x {} ways, {} walks, tables in VRAM",
                            GMMU_L1_ENTRIES, GMMU_L2_ENTRIES, GMMU_L2_WAYS, GMMU_WALKS);
  row.config = fmt::format("L = {}", kLatency);
  return row;
}

}  // namespace

void AddGpuRows(Measurements& to) {
  to.push_back({Of("cold walk, 3 reads, whole GPU", 3 * kLatency, "3L").Less(3 * kLatency + 12),
                [](Row& row) { row.figure = static_cast<double>(Latency({}, kVa)); }});
  to.push_back({Of("walk-cache hit, whole GPU", kLatency, "L").Less(kLatency + 8),
                [](Row& row) { row.figure = static_cast<double>(Latency({kVa}, kVa + (256 << 12))); }});
  Row row = Of("sequential misses, whole GPU", 1, "one lookup a cycle").Less(1.6);
  row.unit = "cycles each";
  row.config += ", all client ports together, pages in host memory";
  to.push_back({row, [](Row& into) { into.figure = CyclesEach(); }});
}

}  // namespace gmmu::bench
