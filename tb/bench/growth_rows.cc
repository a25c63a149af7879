// SPDX-License-Identifier: Apache-2.0
// Measures how the OS model's processor time per mapped page grows with the amount of mapped memory.
#include <fmt/format.h>

#include "hw/host_ram.h"
#include "os/application/gpu.h"
#include "tb/bench/cpu_clock.h"
#include "tb/bench/row.h"
#include "twin/fast_engine.h"
#include "workload/input.h"
#include "workload/job.h"
#include "workload/life.h"

namespace gmmu::bench {
namespace {

constexpr uint64_t kPiece = 2 << 20, kMiB = 1 << 20;

/// Returns the processor time, in seconds, to allocate and map one 4 KiB page when `mib` MiB of
/// pages are scattered over a VRAM of twice that size.
double SecondsAPage(uint64_t mib) {
  sim::MachineConfig config = sim::MachineConfig::Default();
  config.gpu.vram_mib = static_cast<unsigned>(2 * mib + 64);
  sim::twin::FastMachine machine(config);
  const std::vector<uint8_t> input = workload::SeededInput(3, 1);
  workload::JobOptions options;
  options.input = &input;
  options.os.driver["VisibleVramBytes"] = 32 * kMiB;  // the rest of VRAM becomes a second memory segment
  options.os.page_table_bits = config.gpu.page_table_bits;
  options.os.aperture_bytes = config.gpu.aperture_bytes();
  double seconds = 0;
  workload::JobResult result;
  RunLife(machine, options, result, [&](workload::Life& life) {
    life.Work([&] {
      const uint64_t bytes = mib * kMiB;
      os::GpuProcess* process = life.vidmm.CreateProcess("process");
      os::Allocation* data = life.vidmm.allocations().CreateFragmented("scattered pages", bytes, 100);
      const uint64_t va = life.vidmm.ReserveVa(*process, bytes);
      const double start = CpuSeconds();
      life.vidmm.MakeResident(*data);
      for (uint64_t at = 0; at < bytes; at += kPiece)
        life.vidmm.Map(*process, va + at, *data, at / hw::kPageSize, kPiece / hw::kPageSize);
      seconds = CpuSeconds() - start;
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  if (!result.faults.empty()) throw RowError(result.faults.front().text);
  return seconds / static_cast<double>(mib * kMiB / hw::kPageSize);
}

void MeasureGrowth(Row& row) {
  const double small = SecondsAPage(64), large = SecondsAPage(4096);
  row.figure = large / small;
  row.config = fmt::format("{:.2f} us a page at 64 MiB, {:.2f} us at 4 GiB", small * 1e6, large * 1e6);
}

}  // namespace

void AddGrowthRows(Measurements& to) {
  Row row;
  row.name = "time to map a scattered page, 4 GiB against 64 MiB";
  row.unit = "times";
  row.machine = "operating system's model on the fast engine, in processor time";
  row.Less(1.3);
  to.push_back({row, MeasureGrowth});
}

}  // namespace gmmu::bench
