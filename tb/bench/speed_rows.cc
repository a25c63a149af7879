// SPDX-License-Identifier: Apache-2.0
// Measures the speed of the simulation itself, both relative to a bare loop and in cycles per
// second.
#include <fmt/format.h>

#include <cstring>

#include "tb/bench/cpu_clock.h"
#include "tb/bench/instructions.h"
#include "tb/bench/paging_machine.h"
#include "tb/bench/ring_job.h"
#include "tb/bench/row.h"
#include "tb/bench/sc_array_platform.h"

namespace gmmu::bench {
namespace {

constexpr uint64_t kSlice = 10'000, kBound = 4'000'000;  // cycles
constexpr unsigned kLatency = 100;

ArrayTiming Timing() {
  ArrayTiming timing;
  timing.latency = timing.write_latency = kLatency;
  timing.reads = timing.writes = 64;
  return timing;
}

/// Checks that both machines agree in memory contents, fence record (with its cycle), translations and transactions.
void Compare(const RingJob& job, ArrayPlatform& coupled, BareGpu& bare) {
  if (coupled.cycles_evaluated() != bare.cycle()) throw RowError("the cycles differ");
  if (std::memcmp(coupled.host().data(), bare.host().data(), BareGpu::kMemoryBytes) != 0 ||
      std::memcmp(coupled.vram().data(), bare.vram().data(), BareGpu::kMemoryBytes) != 0)
    throw RowError("the memories differ");
  if (coupled.translations() != bare.translations()) throw RowError("the translations differ");
  if (coupled.transactions() != bare.host_port().bursts()) throw RowError("the transactions differ");
  const std::string wrong = job.Check(bare.vram(), bare.host());
  if (!wrong.empty()) throw RowError(wrong);
  for (const auto& findings : {coupled.Findings(), bare.Findings()})
    if (!findings.empty()) throw RowError(findings.front());
}

/// Runs the job in both machines, alternating between them. The figure is the ratio of their speeds.
void MeasureCoupling(const RingWork& work, Row& row) {
  const RingJob job(work);
  ArrayTiming host = Timing();
  host.reads = ~size_t{0};
  ArrayPlatform coupled(Timing(), host, RingJob::Script());
  BareGpu bare(Timing(), host, RingJob::Script());
  job.Prepare(coupled.vram(), coupled.host());
  job.Prepare(bare.vram(), bare.host());
  coupled.Run(RingJob::kDoorbellCycle);
  bare.RunTo(coupled.cycles_evaluated());
  const uint64_t begun = bare.cycle();
  double coupled_seconds = 0, bare_seconds = 0;
  while (!(RingJob::Done(coupled.host()) && RingJob::Done(bare.host()))) {
    if (bare.cycle() > kBound) throw RowError("the fence did not come in 4,000,000 cycles");
    const double start = CpuSeconds();
    coupled.Run(kSlice);
    const double between = CpuSeconds();
    bare.RunTo(coupled.cycles_evaluated());
    coupled_seconds += between - start;
    bare_seconds += CpuSeconds() - between;
  }
  Compare(job, coupled, bare);
  const auto cycles = static_cast<double>(bare.cycle() - begun);
  row.figure = bare_seconds / coupled_seconds;
  row.config = fmt::format("a transaction every {:.1f} cycles, {:.0f} k cycles at {:.0f} k/s",
                           cycles / static_cast<double>(coupled.transactions()), cycles / 1e3,
                           cycles / coupled_seconds / 1e3);
}

void AddCoupling(Measurements& to, const std::string& name, const RingWork& work, double target) {
  Row row;
  row.name = "co-simulation speed, " + name;
  row.unit = "of the bare loop";
  row.limit = 1;
  row.limit_text = "same library, no SystemC";
  row.machine = fmt::format("GPU module between SystemC modules: L = {}, checkers on, idle skipping off", kLatency);
  row.More(target);
  to.push_back({row, [work](Row& into) { MeasureCoupling(work, into); }});
}

/// Measures the simulated cycles per second of processor time of the GPU alone, in a plain C++ loop.
void MeasureBare(const RingWork& work, Row& row) {
  const RingJob job(work);
  ArrayTiming host = Timing();
  host.reads = ~size_t{0};
  BareGpu gpu(Timing(), host, RingJob::Script());
  job.Prepare(gpu.vram(), gpu.host());
  gpu.RunTo(RingJob::kDoorbellCycle);
  const double start = CpuSeconds();
  while (!RingJob::Done(gpu.host())) {
    if (gpu.cycle() > kBound) throw RowError("the fence did not come in 4,000,000 cycles");
    gpu.RunTo(gpu.cycle() + kSlice);
  }
  row.figure = static_cast<double>(gpu.cycle() - RingJob::kDoorbellCycle) / (CpuSeconds() - start) / 1e6;
  const std::string wrong = job.Check(gpu.vram(), gpu.host());
  if (!wrong.empty()) throw RowError(wrong);
}

void MeasureSimulation(bool checker, Row& row) {
  PagingMachine::Load load;
  load.copies = 4;
  load.checker = checker;
  const PagingMachine::Speed speed = PagingMachine::MeasureSpeed(load);
  row.figure = static_cast<double>(speed.cycles) / speed.seconds / 1e6;
  row.config = fmt::format("{} k cycles, bus {:.0f} % loaded", speed.cycles / 1000, 100 * speed.bus_load);
}

/// Runs a fixed amount of processor work: integer arithmetic and dependent loads from 256 KiB.
void Calibrate(Row& row) {
  constexpr uint64_t kSteps = 100'000'000;
  std::vector<uint32_t> table(1 << 16);
  for (uint32_t i = 0; i < table.size(); ++i) table[i] = i * 2654435761u;
  uint64_t x = 88172645463325252u;
  uint32_t at = 0;
  const double start = CpuSeconds();
  for (uint64_t i = 0; i < kSteps; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    at = table[(at ^ static_cast<uint32_t>(x)) & (table.size() - 1)];
  }
  const double seconds = CpuSeconds() - start;
  if (at == 1 && x == 1) throw RowError("bench: cannot be");  // never true: keeps the compiler from removing the loop
  row.figure = kSteps / seconds / 1e6;
}

}  // namespace

void AddSpeedRows(Measurements& to) {
  RingWork work;
  work.total = work.size = work.stride = 4 << 20;
  work.destination = regs::Target::kVram;
  AddCoupling(to, "ring copy", work, 0.95);
  work = {};
  work.size = 80;  // per copy: 10 data and 4 command beats; 1 read, 1 write, 1/2 command fetch
  work.stride = 128;
  work.total = 80 << 13;
  AddCoupling(to, "a transaction every 6 cycles", work, 0.85);

  Row row;
  row.unit = "Mcycle/s";
  row.name = "simulation speed, bare GPU";
  row.machine = "simulation speed, in processor time";
  row.config = "no SystemC";
  work = {};
  work.destination = regs::Target::kVram;
  to.push_back({row, [work](Row& into) { MeasureBare(work, into); }});
  row.name = "simulation speed, loaded copy with translation";
  row.config = "";
  row.More(0.4).Goal(0.83);
  to.push_back({row, [](Row& into) { MeasureSimulation(true, into); }});
  row = {};
  row.unit = "Mcycle/s";
  row.machine = "simulation speed, in processor time";
  row.name = "simulation speed, without the translation checker";
  to.push_back({row, [](Row& into) { MeasureSimulation(false, into); }});
  row = {};
  row.name = "host instructions a cycle, loaded copy";
  row.unit = "instructions";
  row.machine = "simulation speed, in processor time";
  row.better = Row::Better::kLess;
  row.Less(24000);
  to.push_back({row, MeasureInstructions});
  row = {};
  row.name = "calibration loop";
  row.unit = "Mstep/s";
  row.machine = "this machine";
  row.config = "xorshift and a dependent load from 256 KiB a step";
  to.push_back({row, Calibrate});
}

}  // namespace gmmu::bench
