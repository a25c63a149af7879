// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_engine.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <systemc>

#include "host/host_image.h"
#include "host/machine.h"
#include "host/machine_parts.h"
#include "host/messages.h"
#include "host/ram_of_iommu.h"
#include "hw/host_ram.h"
#include "pcie/address_map.h"
#include "platform/sc_agenda.h"
#include "probe/translation_checker.h"
#include "platform/sc_root_complex.h"
#include "gpu/rtl_gpu.h"
#include "platform/sc_cpu.h"
#include "platform/sc_gpu_link.h"
#include "platform/sc_gpu_parameters.h"
#include "platform/sc_gpus.h"
#include "platform/sc_host_memory.h"
#include "platform/sc_iommu.h"
#include "platform/sc_kernel.h"

// The SystemC library needs this symbol, although the programs here have their own main. The
// definition is weak, so that a program that links this library can define its own.
__attribute__((weak)) int sc_main(int, char**) { return 0; }

namespace gmmu::sim {
namespace {

class RtlEngine : public Engine {
 public:
  RtlEngine(const MachineConfig& config, const EngineOptions& options)
      : map_(config.host.all_memory_bytes(), config.iommu.present), ram_(map_.ram()), units_(config.gpu.count) {
    MakeProcesses(config, options);
    memory_ = std::make_unique<HostMemory>("memory", ram_, DramOf(config.host), *agenda_);
    MakeIommu(config);
    iommu_->memory.bind(memory_->socket);
    gpu_link_ = std::make_unique<GpuLink>(
        "link", GpuLinkParameters{units(), config.link.latency_ns * 1000, config.link.bytes_per_ns}, *agenda_);
    for (unsigned unit = 0; unit < units(); ++unit) Bind(config, unit);
    if (config.inject.lose_tag) units_[0].root_complex->LoseTag();
    host_ = std::make_unique<ScHost>(*iommu_, *memory_, *gpu_link_, units_);
    gpus_ = std::make_unique<ScGpus>(config, ScGpus::Parts{*cpu_, *agenda_, *gpu_link_, units_});
    machine_ = std::make_unique<Machine>(config, Machine::Parts{map_, ram_, *host_, messages_, *gpus_});
    cpu_->Connect(*agenda_, *machine_);
  }

  int Run(const std::function<int(hw::Platform&)>& software) override {
    cpu_->set_software(software);
    try {
      sc_core::sc_start();
      while (!cpu_->finished()) {
        cpu_->Stuck();
        sc_core::sc_start();
      }
    } catch (const sc_core::sc_report& report) {
      throw EngineError(std::string("the simulation failed: ") + report.what());
    }
    return cpu_->Result();
  }

  void DumpHost(std::ostream& out) override { WriteHostImage(ram_, out); }
  std::string DumpMappings() override { return MappingsAsJson(iommu_->core(), ram_); }

 private:
  unsigned units() const { return static_cast<unsigned>(units_.size()); }

  /// Constructs the modules that have processes. SystemC runs processes in creation order, which
  /// `shuffle` selects.
  void MakeProcesses(const MachineConfig& config, const EngineOptions& options) {
    std::vector<std::function<void()>> makers = {
        [&] { agenda_ = std::make_unique<ScAgenda>("agenda", GpuOf(config, options, 0).period_ps); }};
    for (unsigned unit = 0; unit < units(); ++unit) {
      makers.push_back([&, unit] {
        units_[unit].gpu = std::make_unique<RtlGpu>(("gpu" + std::to_string(unit)).c_str(),
                                                    GpuOf(config, options, unit));
      });
    }
    makers.push_back([&] { cpu_ = std::make_unique<Cpu>("cpu"); });
    std::vector<size_t> order(makers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (unsigned i = 0; i < options.shuffle; ++i) std::next_permutation(order.begin(), order.end());
    for (const size_t i : order) makers[i]();
  }

  /// Connects a GPU to its root port and to the GPU link.
  void Bind(const MachineConfig& config, unsigned number) {
    ScUnit& unit = units_[number];
    RtlGpu& gpu = *unit.gpu;
    unit.root_complex = std::make_unique<RootComplex>(("root_complex" + std::to_string(number)).c_str(),
                                                      PcieOf(config.pcie), *agenda_, ScAgenda::GpuSource(number));
    gpu.dma.bind(unit.root_complex->from_device);
    unit.root_complex->to_device.bind(gpu.registers);
    unit.root_complex->memory.bind(iommu_->device(number));
    gpu.peers.bind(gpu_link_->from(number));
    gpu_link_->to(number).bind(gpu.inbound);
    if (config.sim.checker) MakeChecker(config, number);
  }

  void MakeIommu(const MachineConfig& config) {
    IommuTiming timing;
    timing.walks = static_cast<unsigned>(config.iommu.walks);
    timing.lookup_ps = config.iommu.lookup_ps;
    timing.descriptor_ps = config.iommu.descriptor_ps;
    const uint64_t late_ps = Clock::ToPs(config.inject.late_interrupt_ns);
    iommu_ = std::make_unique<Iommu>("iommu", units(), RemapperOf(config.iommu), timing, *agenda_,
                                     [this, late_ps](uint64_t address, uint32_t data) {
                                       if (late_ps == 0) return messages_.Put({address, data});
                                       agenda_->At(Clock::Later(ScAgenda::Now(), late_ps),
                                                   [this, address, data] { messages_.Put({address, data}); });
                                     });
  }

  void MakeChecker(const MachineConfig& config, unsigned number) {
    ScUnit& unit = units_[number];
    unit.checker = std::make_unique<TranslationChecker>(
        static_cast<unsigned>(config.gpu.spaces), unit.gpu->vram(),
        [this, requester = BdfOf(number).requester_id()](uint64_t address) -> std::optional<uint64_t> {
          uint64_t hpa = address;
          if (iommu_->core() != nullptr) {
            RamOfIommu memory(ram_);
            const RemapResult result = iommu_->core()->Peek(memory, {requester, address});
            if (result.outcome != RemapOutcome::kMemory) return std::nullopt;
            hpa = result.hpa;
          }
          uint64_t word = 0;
          if (!ram_.Read(hpa, &word, sizeof word)) return std::nullopt;
          return word;
        });
    unit.gpu->set_checker(unit.checker.get());
  }

  Kernel kernel_;  // first member: constructed first, destroyed last
  AddressMap map_;
  hw::HostRam ram_;
  std::unique_ptr<ScAgenda> agenda_;
  std::vector<ScUnit> units_;
  std::unique_ptr<Cpu> cpu_;
  std::unique_ptr<HostMemory> memory_;
  std::unique_ptr<Iommu> iommu_;
  std::unique_ptr<GpuLink> gpu_link_;
  Messages messages_{[this] { cpu_->Wake(); }};
  std::unique_ptr<ScHost> host_;
  std::unique_ptr<ScGpus> gpus_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace

std::unique_ptr<Engine> CreateRtl(const MachineConfig& config, const EngineOptions& options) {
  config.CheckBuilt();
  config.CheckNoPolicy("rtl");
  if (sc_core::sc_curr_simcontext != nullptr && sc_core::sc_get_status() == sc_core::SC_RUNNING) {
    throw ConfigError(
        "a SystemC simulation runs in this process, and the engine rtl is another one\n"
        "Make the machine before sc_start or when it has returned, not in a process of the simulation.");
  }
#ifndef GMMU_WAVES
  if (!options.waves.empty()) {
    throw ConfigError(
        "this program was built without waves\n"
        "Build it with them: cmake -S . -B build/waves -DGMMU_WAVES=ON && cmake --build "
        "build/waves");
  }
#endif
  return std::make_unique<RtlEngine>(config, options);
}

}  // namespace gmmu::sim
