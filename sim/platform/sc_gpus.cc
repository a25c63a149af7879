// SPDX-License-Identifier: Apache-2.0
// CPU accesses to a GPU.
#include "platform/sc_gpus.h"

#include <cstring>

#include <fmt/format.h>

#include "gpu/rtl_gpu.h"
#include "host/config.h"
#include "host/engine.h"
#include "host/machine_parts.h"
#include "host/slowness.h"
#include "platform/sc_agenda.h"
#include "platform/sc_cpu.h"
#include "platform/sc_root_complex.h"
#include "probe/translation_checker.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kPostPs = 5'000;  // time for which a posted write occupies the CPU core
constexpr size_t kStoreBuffer = 16;  // posted writes that can wait for the link

std::vector<uint8_t> BytesOf(const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  return {bytes, bytes + size};
}

}  // namespace

ScGpus::ScGpus(const MachineConfig& config, const Parts& parts)
    : parts_(parts),
      bound_ns_(config.gpu.mmio_bound_ns * Slowness(config)),
      sizes_in_use_(config.TurnedDown().raw),
      clients_(static_cast<unsigned>(config.gpu.clients)) {}

ScUnit::ScUnit() = default;
ScUnit::~ScUnit() = default;
ScUnit::ScUnit(ScUnit&&) noexcept = default;

Clock& ScGpus::clock() { return parts_.cpu; }

ConfigSpace& ScGpus::config(unsigned unit) { return parts_.units[unit].gpu->config(); }

void ScGpus::AwaitAccess(unsigned unit, const std::function<bool()>& ready, const std::string& what) {
  if (parts_.cpu.Await(ready, Clock::ToPs(bound_ns_), what)) return;
  throw EngineError(fmt::format(
      "no answer to {} in {} ns (gpu.mmio_bound_ns times the machine's slowness); the GPU's oldest access: {}", what,
      bound_ns_, parts_.units[unit].gpu->Waiting()));
}

/// Sends an access with `data` and waits for its response. For a read, returns the data; a failed
/// read returns all ones.
std::vector<uint8_t> ScGpus::Request(unsigned unit, tlm::tlm_command command, AddressKind kind, uint64_t address,
                                     std::vector<uint8_t> data, const std::string& what) {
  struct Answer {
    bool done = false, ok = false;
    std::vector<uint8_t> data;
  };
  const auto answer = std::make_shared<Answer>();  // shared: outlives a read that times out
  answer->data = std::move(data);
  parts_.units[unit].root_complex->Request(command, kind, address, answer->data.data(),
                                           static_cast<unsigned>(answer->data.size()), [this, answer](bool ok) {
                                             answer->ok = ok;
                                             answer->done = true;
                                             parts_.cpu.Wake();
                                           });
  AwaitAccess(unit, [&] { return answer->done; }, what);
  return answer->ok ? answer->data : std::vector<uint8_t>(answer->data.size(), 0xFF);
}

void ScGpus::Read(const BarAccess& access, void* to) {
  const std::vector<uint8_t> data = Request(access.unit, tlm::TLM_READ_COMMAND, AddressKind::kLogical, access.address,
                                            std::vector<uint8_t>(access.size, 0xFF), access.Text(false));
  std::memcpy(to, data.data(), access.size);
}

void ScGpus::Write(const BarAccess& access, const void* from) {
  RootComplex& port = *parts_.units[access.unit].root_complex;
  if (port.posted_waiting() >= kStoreBuffer) {
    port.NotifyTaken([this] { parts_.cpu.Wake(); });
    AwaitAccess(
        access.unit, [&port] { return port.posted_waiting() < kStoreBuffer; },
        fmt::format("room for a write to {:#x}", access.address));
    port.NotifyTaken(nullptr);
  }
  port.Post(access.address, from, static_cast<unsigned>(access.size));
  parts_.cpu.Pass(kPostPs);
}

uint32_t ScGpus::ReadConfig(unsigned unit, uint16_t offset, unsigned size) {
  const std::vector<uint8_t> data =
      Request(unit, tlm::TLM_READ_COMMAND, AddressKind::kConfig, offset, std::vector<uint8_t>(size, 0xFF),
              fmt::format("a configuration read of {} at {:#x}", BdfOf(unit).ToString(), offset));
  uint32_t value = 0;
  std::memcpy(&value, data.data(), size);
  return value;
}

void ScGpus::WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) {
  Request(unit, tlm::TLM_WRITE_COMMAND, AddressKind::kConfig, offset, BytesOf(&value, size),
          fmt::format("a configuration write of {} at {:#x}", BdfOf(unit).ToString(), offset));
}

}  // namespace gmmu::sim
