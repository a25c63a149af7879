// SPDX-License-Identifier: Apache-2.0
// CPU accesses to a GPU.
#include "twin/gpus.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "host/agenda.h"
#include "host/config.h"
#include "host/engine.h"
#include "host/host.h"
#include "host/machine_parts.h"
#include "host/plain_host.h"
#include "host/slowness.h"
#include "twin/gpu.h"
#include "twin/gpu_access.h"
#include "twin/peers.h"

namespace gmmu::sim::twin {
namespace {

unsigned UnitsOf(const MachineConfig& config) {
  const uint64_t count = config.gpu.count;
  if (count >= 1 && count <= Gpus::kMostUnits) return static_cast<unsigned>(count);
  throw std::invalid_argument(fmt::format("a machine has 1 to {} GPUs, not {}", Gpus::kMostUnits, count));
}

GpuAccess AccessTo(const BarAccess& access) {
  GpuAccess to;
  to.target = access.bar == 0 ? GpuAccess::Target::kRegisters : GpuAccess::Target::kWindow;
  to.offset = access.offset;
  to.data.resize(access.size);
  return to;
}

GpuAccess ConfigAccess(uint16_t offset, unsigned size) {
  GpuAccess to;
  to.target = GpuAccess::Target::kConfig;
  to.offset = offset;
  to.data.resize(size);
  return to;
}

}  // namespace

Gpus::Gpus(PlainHost& host)
    : host_(host),
      bound_ns_(host.config.gpu.mmio_bound_ns * Slowness(host.config)),
      tag_is_lost_(host.config.inject.lose_tag),
      peers_(std::make_unique<Peers>(GpuLinkParameters{UnitsOf(host.config), host.config.link.latency_ns * 1000,
                                                       host.config.link.bytes_per_ns},
                                     host.agenda)) {
  for (unsigned unit = 0; unit < UnitsOf(host.config); ++unit) {
    gpus_.push_back(std::make_unique<Gpu>(unit, BdfOf(unit), GpuParameters::From(host.config, unit), host.host, *peers_,
                                          host.agenda));
    peers_->Attach(gpus_.back()->memory());
  }
}

Gpus::~Gpus() = default;

ConfigSpace& Gpus::config(unsigned unit) { return gpus_[unit]->config(); }

Clock& Gpus::clock() { return host_.clock; }

/// Sends an access, waits for its response and returns the bytes read.
std::vector<uint8_t> Gpus::Request(Gpu& gpu, GpuAccess access, const std::string& what) {
  struct Reply {
    bool done = false;
    std::vector<uint8_t> data;
  };
  ++requests_;
  const auto reply = std::make_shared<Reply>();  // shared: outlives a read that times out
  TimeModel& time = gpu.time();
  Agenda& agenda = host_.agenda;
  const uint64_t answer_ps = access.target == GpuAccess::Target::kConfig ? time.ConfigPs() : time.RegisterPs();
  access.done = [&agenda, reply, answer_ps, &time](bool, const std::vector<uint8_t>& data) {
    const uint64_t back = time.Up(agenda.now() + answer_ps, data.size());
    agenda.At(back, [reply, data] { *reply = {true, data}; });
  };
  const uint64_t arrives = time.Down(agenda.now(), access.write ? access.data.size() : 0);
  agenda.At(arrives, [&gpu, access = std::move(access)]() mutable { gpu.Push(std::move(access)); });
  if (!clock().Await([&] { return reply->done; }, Clock::ToPs(bound_ns_), what))
    throw EngineError(
        fmt::format("no answer to {} in {} ns (gpu.mmio_bound_ns times the machine's slowness)", what, bound_ns_));
  return reply->data;
}

void Gpus::Read(const BarAccess& access, void* to) {
  const std::vector<uint8_t> data = Request(*gpus_[access.unit], AccessTo(access), access.Text(false));
  std::memcpy(to, data.data(), access.size);
}

/// Sends a posted write, which is still in flight when the call returns. While it waits at the
/// GPU's port, it holds a header credit; if none is free, the CPU waits.
void Gpus::Write(const BarAccess& access, const void* from) {
  Gpu& gpu = *gpus_[access.unit];
  Agenda& agenda = host_.agenda;
  GpuAccess write = AccessTo(access);
  write.write = true;
  std::memcpy(write.data.data(), from, access.size);
  ++writes_;
  const uint64_t end = Clock::Later(agenda.now(), Clock::ToPs(bound_ns_));
  const size_t credits = gpu.time().parameters().posted_headers;
  while (gpu.waiting() >= credits && !agenda.empty() && agenda.next() <= end) agenda.RunUntil(agenda.next());
  agenda.RunUntil(gpu.time().RoomForPost(agenda.now()));
  const uint64_t arrives = gpu.time().Post(agenda.now(), access.size);
  agenda.At(arrives, [&gpu, write = std::move(write)]() mutable { gpu.Push(std::move(write)); });
  clock().Pass(gpu.time().PostPs());
}

uint32_t Gpus::ReadConfig(unsigned unit, uint16_t offset, unsigned size) {
  const std::vector<uint8_t> data =
      Request(*gpus_[unit], ConfigAccess(offset, size),
              fmt::format("a configuration read of {} at {:#x}", BdfOf(unit).ToString(), offset));
  uint32_t value = 0;
  std::memcpy(&value, data.data(), size);
  return value;
}

void Gpus::WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) {
  GpuAccess access = ConfigAccess(offset, size);
  access.write = true;
  std::memcpy(access.data.data(), &value, size);
  Request(*gpus_[unit], std::move(access),
          fmt::format("a configuration write of {} at {:#x}", BdfOf(unit).ToString(), offset));
}

}  // namespace gmmu::sim::twin
