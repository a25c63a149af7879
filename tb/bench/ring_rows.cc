// SPDX-License-Identifier: Apache-2.0
// Measures copies through the ring of the whole GPU, in a bare C++ loop. Ring, paging buffer, source and destination
// are on the host port, the page tables on the VRAM port.
#include <fmt/format.h>

#include "tb/bench/ring_job.h"
#include "tb/bench/row.h"

namespace gmmu::bench {
namespace {

constexpr unsigned kLatency = 100;
constexpr uint64_t kBound = 8'000'000;  // cycles

void Measure(const RingWork& work, Row& row) {
  const RingJob job(work);
  ArrayTiming timing;
  timing.latency = kLatency;
  timing.write_latency = 1;
  BareGpu gpu(timing, timing, RingJob::Script());
  job.Prepare(gpu.vram(), gpu.host());
  while (!(RingJob::Done(gpu.host()) && gpu.idle())) {
    if (gpu.cycle() == kBound) throw RowError("the fence did not come in 8,000,000 cycles");
    gpu.Step();
  }
  const std::string wrong = job.Check(gpu.vram(), gpu.host());
  if (!wrong.empty()) throw RowError(wrong);
  if (!gpu.Findings().empty()) throw RowError(gpu.Findings().front());
  const uint64_t cycles = gpu.host_port().last_b() - gpu.host_port().first_ar();
  const auto bytes = static_cast<double>(job.bytes());
  row.figure = bytes / (sim::kBeatBytes * static_cast<double>(cycles));
  row.limit = bytes / (bytes + static_cast<double>(job.command_bytes()));
}

void Add(Measurements& to, const std::string& name, const RingWork& work, double target) {
  Row row;
  row.name = name + " through the ring";
  row.unit = "of the bus";
  row.limit_text = "with its commands";
  row.machine = fmt::format(
      "whole GPU, through its ring: {} reads in flight, L1 {}, L2 {} x {} ways, {} walks, L = {}, "
      "ring entry to fence record",
      GMMU_READS_IN_FLIGHT, GMMU_L1_ENTRIES, GMMU_L2_ENTRIES, GMMU_L2_WAYS, GMMU_WALKS, kLatency);
  row.config = fmt::format("{} KiB", work.total >> 10);
  row.More(target);
  to.push_back({row, [work](Row& into) { Measure(work, into); }});
}

}  // namespace

void AddRingRows(Measurements& to) {
  RingWork work;
  Add(to, "copy through 4 KiB pages", work, 0.993);
  work.size = work.stride = 64;
  Add(to, "64 B copies through 4 KiB pages", work, 0.662);
  work.physical = true;
  Add(to, "64 B physical copies", work, 0.665);
  work.size = 4096;
  work.stride = 4104;
  work.source_skew = 1;
  work.destination_skew = 6;
  Add(to, "misaligned 4 KiB copies", work, 0.987);
  work = {};
  work.physical = true;
  work.size = work.stride = 8;
  work.total = 128 << 10;  // less than in other rows, because a byte takes eight times as long
  Add(to, "8 B physical copies", work, 0.18);
}

}  // namespace gmmu::bench
