// SPDX-License-Identifier: Apache-2.0
// Measures the reach of the L2 TLB for two TLB sizes by a pointer chase of one warp over a growing
// number of 4 KiB pages. Then copies data with user software on the bare machine of each engine.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "gmmu/gmmu.h"
#include "host/bare_machine.h"

namespace {

/// Returns the mean latency of all completed accesses at the client port, in cycles.
double MeanLatency(const std::string& l2_entries, const std::string& footprint) {
  gmmu::Configuration configuration;
  configuration.Set({"gpu.l2_entries=" + l2_entries});
  gmmu::Replay replay;
  replay.engine.name = "fast";
  replay.options.workload = "gen:chase,footprint=" + footprint + ",count=4000";
  replay.options.compute_units = replay.options.warps = 1;
  replay.options.fragmented = 100;  // no contiguous blocks: one page per TLB entry
  uint64_t cycles = 0, count = 0;
  gmmu::Listener listener;
  listener.accesses = [&](const gmmu::Access* accesses, size_t number) {
    for (size_t i = 0; i < number; ++i) cycles += accesses[i].answered - accesses[i].requested;
    count += number;
  };
  gmmu::Machine machine(configuration, replay, listener);
  machine.Run();
  if (!machine.Passed()) throw std::runtime_error("the replay did not pass");
  return static_cast<double>(cycles) / static_cast<double>(std::max<uint64_t>(count, 1));
}

/// Copies 4 KiB from host memory to VRAM and back with two paging buffers. Returns 0 if the data is unchanged.
int CopyThroughVram(gmmu::hw::Platform& platform) {
  using gmmu::regs::Target;
  gmmu::sim::BareMachine machine(platform);
  machine.PowerOn();
  machine.StartRing();
  machine.Fill(0x400000, 4096, 5);
  const bool copied = machine.Execute(machine.Copy(Target::kSystem, 0x400000, Target::kVram, 0x10000, 4096)) &&
                      machine.Execute(machine.Copy(Target::kVram, 0x10000, Target::kSystem, 0x500000, 4096));
  return copied && machine.Bytes(0x400000, 4096) == machine.Bytes(0x500000, 4096) ? 0 : 1;
}

}  // namespace

int main() {
  try {
    std::printf("gmmu %s\n%-10s %12s %12s\n", gmmu::Version(), "footprint", "256 entries", "1024 entries");
    for (const char* footprint : {"256KiB", "1MiB", "4MiB", "8MiB"})
      std::printf("%-10s %12.1f %12.1f\n", footprint, MeanLatency("256", footprint), MeanLatency("1024", footprint));

    for (const std::string& engine : gmmu::Engines()) {
      gmmu::Machine machine({}, gmmu::Software{{engine, 0}, CopyThroughVram});
      while (machine.Step(1000)) {}
      std::printf("copy on the bare machine, engine %s: %s, %llu cycles, %zu counters\n", engine.c_str(),
                  machine.result() == 0 ? "equal" : "different", static_cast<unsigned long long>(machine.cycles()),
                  machine.Counters().size());
      if (machine.result() != 0) return machine.result();
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reach: %s\n", error.what());
    return 2;
  }
}
