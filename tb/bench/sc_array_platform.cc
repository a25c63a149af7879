// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/sc_array_platform.h"

#include <systemc>

#include "gpu/rtl_gpu.h"
#include "platform/sc_kernel.h"
#include "probe/translation_checker.h"
#include "tb/bench/row.h"
#include "tb/bench/sc_array_modules.h"

namespace gmmu::bench {
namespace {

sim::RtlGpuParameters GpuOf(const ArrayTiming& vram, const ArrayTiming& host) {
  if (vram.latency != vram.write_latency) throw RowError("bench: VRAM has one latency");
  sim::RtlGpuParameters p;
  p.period_ps = kPeriodPs;
  p.skip_idle = false;
  p.vram.bytes = BareGpu::kMemoryBytes;
  p.vram.latency_cycles = vram.latency;
  p.vram.outstanding = static_cast<unsigned>(vram.reads);
  p.host.tags = 1u << 30;
  p.host.write_buffer = static_cast<unsigned>(host.writes);
  return p;
}

}  // namespace

struct ArrayPlatform::Modules {
  Modules(const ArrayTiming& vram_timing, const ArrayTiming& host_timing, const std::vector<RegisterWrite>& script)
      : host(BareGpu::kMemoryBytes),
        gpu("gpu", GpuOf(vram_timing, host_timing)),
        memory("memory", host, host_timing),
        software("software", script),
        checker(GMMU_SPACES, gpu.vram(), [this](uint64_t address) -> std::optional<uint64_t> {
          uint64_t word = 0;
          if (!host.Read(address, &word, sizeof word)) return std::nullopt;
          return word;
        }) {
    gpu.dma.bind(memory.socket);
    software.socket.bind(gpu.registers);
    gpu.set_checker(&checker);
  }

  sim::Kernel kernel;  // constructed first, destroyed last
  sim::VramCore host;
  sim::RtlGpu gpu;
  ArrayMemory memory;
  RegisterScript software;
  sim::TranslationChecker checker;
};

ArrayPlatform::ArrayPlatform(const ArrayTiming& vram, const ArrayTiming& host, const std::vector<RegisterWrite>& script)
    : modules_(std::make_unique<Modules>(vram, host, script)) {}

ArrayPlatform::~ArrayPlatform() = default;

void ArrayPlatform::Run(uint64_t cycles) { sc_core::sc_start(sc_core::sc_time::from_value(cycles * kPeriodPs)); }

uint64_t ArrayPlatform::cycles_evaluated() const { return modules_->gpu.cycles_evaluated(); }
sim::VramCore& ArrayPlatform::vram() { return modules_->gpu.vram(); }
sim::VramCore& ArrayPlatform::host() { return modules_->host; }
uint64_t ArrayPlatform::transactions() const { return modules_->memory.transactions(); }

std::vector<std::string> ArrayPlatform::Findings() const {
  std::vector<std::string> all;
  for (const hw::Finding& finding : modules_->gpu.Findings()) all.push_back(finding.probe + ": " + finding.text);
  for (const hw::Finding& finding : modules_->checker.findings()) all.push_back(finding.probe + ": " + finding.text);
  return all;
}

uint64_t ArrayPlatform::translations() const {
  for (const hw::Counter& counter : modules_->checker.Counters())
    if (counter.name == "answers") return counter.value;
  return 0;
}

}  // namespace gmmu::bench
