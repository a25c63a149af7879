// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_gpu.h"

#include <string>

#include "gpu/rtl_gpu.h"
#include "host/engine.h"
#include "host/machine_parts.h"
#include "platform/sc_gpu_parameters.h"

namespace gmmu::sim {
namespace {

/// Returns the name of a GPU's waves file. With several GPUs, the file of GPU 1 is FILE.unit1.fst
/// instead of FILE.fst.
std::string WavesOf(const std::string& file, unsigned unit, unsigned units) {
  if (file.empty() || units == 1) return file;
  const size_t slash = file.find_last_of('/');
  size_t dot = file.find_last_of('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = file.size();
  return file.substr(0, dot) + ".unit" + std::to_string(unit) + file.substr(dot);
}

}  // namespace

RtlGpuParameters GpuOf(const MachineConfig& c, const EngineOptions& options, unsigned unit) {
  RtlGpuParameters p;
  p.period_ps = PeriodPs(c.gpu);
  p.batch = c.sim.batch;
  p.vram.bytes = c.gpu.vram_bytes(unit);
  p.vram.latency_cycles = static_cast<unsigned>(c.gpu.vram_latency);
  p.vram.outstanding = static_cast<unsigned>(c.gpu.vram_outstanding);
  p.vram.beats_per_cycle_num = static_cast<unsigned>(c.gpu.vram_beats);
  p.vram.beats_per_cycle_den = static_cast<unsigned>(c.gpu.vram_beat_cycles);
  p.vram_reorder = c.gpu.vram_reorder;
  p.seed = options.seed + (uint64_t{unit} << 32);  // each GPU orders its VRAM responses differently
  p.flip_after = c.inject.vram_flip.after_write_bytes;
  p.host.requester = BdfOf(unit).requester_id();
  p.host.tags = static_cast<unsigned>(c.pcie.tags);
  p.host.max_read_request = static_cast<unsigned>(c.pcie.max_read_request);
  p.host.drop_fence = c.inject.drop_fence;
  p.config = ConfigSpaceOf(c.pcie);
  p.config.bar2_bytes = static_cast<uint32_t>(c.gpu.window_bytes(unit));
  p.events = options.events;
  p.unit = unit;
  p.waves = WavesOf(options.waves, unit, static_cast<unsigned>(c.gpu.count));
  p.waves_from = options.waves_from;
  p.waves_to = options.waves_to;
  return p;
}

namespace {

class VerilatedGpu : public TlmGpu {
 public:
  VerilatedGpu(const char* name, const MachineConfig& config, const EngineOptions& options)
      : gpu_(name, GpuOf(config, options, 0)) {}

  Target& registers() override { return gpu_.registers; }
  Initiator& dma() override { return gpu_.dma; }
  uint64_t cycles() const override { return gpu_.cycles(); }
  std::vector<hw::Counter> Counters() const override { return gpu_.Counters(); }
  std::vector<hw::Finding> Findings() const override { return gpu_.Findings(); }

 private:
  RtlGpu gpu_;
};

}  // namespace

std::unique_ptr<TlmGpu> TlmGpu::Create(const char* name, const MachineConfig& config, uint64_t seed) {
  config.CheckBuilt();
  config.CheckNotTurnedDown("a GPU in a platform of your own");
  config.CheckNoPolicy("rtl");
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS)) {
    throw ConfigError("SystemC's time resolution is " + sc_core::sc_get_time_resolution().to_string() +
                      ", and the GPU needs 1 ps\nTake sc_set_time_resolution out, or set it to 1 ps.");
  }
  EngineOptions options;
  options.seed = seed;
  return std::make_unique<VerilatedGpu>(name, config, options);
}

}  // namespace gmmu::sim
