// SPDX-License-Identifier: Apache-2.0
#include "device/device_engine.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/config.h"
#include "host/machine_parts.h"
#include "iommu/remapper.h"
#include "hw/shared_object.h"

namespace gmmu::sim::device {
namespace {

constexpr const char* kHow = "\nMake one as docs/device.md says: c++ -shared -fPIC -I sw FILE -o FILE.so";

[[noreturn]] void Refuse(const std::string& file, const std::string& why) {
  throw ConfigError("device.model = \"" + file + "\": " + why);
}

/// Loads the model from a shared object, which stays loaded until the program exits.
Open Load(const std::string& file) {
  if (access(file.c_str(), R_OK) != 0) Refuse(file, std::string("cannot be read: ") + std::strerror(errno) + kHow);
  std::string why;
  void* const library = hw::OpenSharedObject(file, why);
  if (library == nullptr) Refuse(file, why + kHow);
  const auto open = reinterpret_cast<decltype(&GmmuOpenDevice)>(dlsym(library, "GmmuOpenDevice"));
  if (open == nullptr) Refuse(file, std::string("has no function GmmuOpenDevice (extern \"C\" in C++)") + kHow);
  return [file, open](const GMMU_DEVICE_HOST& host, GMMU_DEVICE& table) {
    if (open(&host, &table) == 0) Refuse(file, "refuses this machine (GmmuOpenDevice returned 0)");
  };
}

/// A device whose registers are plain memory. Each step calls the driver's function `serve`, which
/// models the hardware.
struct Served {
  const GMMU_DEVICE_HOST* host;
  Serve serve;
  static uint64_t Step(void* state, uint64_t) {
    const auto& served = *static_cast<Served*>(state);
    return served.serve(served.host);
  }
  static void Close(void* state) { delete static_cast<Served*>(state); }
};

Open Around(Serve serve) {
  return [serve](const GMMU_DEVICE_HOST& host, GMMU_DEVICE& table) {
    table.state = new Served{&host, serve};
    table.step = Served::Step;
    table.close = Served::Close;
  };
}

/// The device's own accesses take effect immediately, so that it reads back what it wrote. Only
/// interrupts have the link's latency.
TimeParameters TimingOfDevice(const MachineConfig& config) {
  TimeParameters timing = TimingOf(config);
  timing.pcie_latency_ps = timing.iommu_lookup_ps = 0;
  return timing;
}

}  // namespace

DeviceMachine::DeviceMachine(const MachineConfig& config, const FunctionParameters& function)
    : PlainMachine(config, TimingOfDevice(config), config.pcie.latency_ps, nullptr, function) {}

std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const DeviceSettings& settings, Serve serve,
                                     const EngineOptions& options) {
  if (!options.waves.empty()) throw ConfigError("a device of --device has no waves\nGive --engine rtl without it.");
  if (options.events != nullptr) throw ConfigError("a device of --device records no events\nGive --events without it.");
  FunctionParameters function;
  function.config = settings.Function(config);
  function.memory_bytes = settings.memory_bytes(config);
  if (settings.device.model != "none") function.open = Load(settings.device.model);
  else if (serve != nullptr) function.open = Around(serve);
  return std::make_unique<PlainEngine<DeviceMachine>>(config, function);
}

}  // namespace gmmu::sim::device
