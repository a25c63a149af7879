// SPDX-License-Identifier: Apache-2.0
#include "twin/gpu.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "host/host_access.h"
#include "probe/translation_checker.h"
#include "probe/wait_checker.h"
#include "twin/client_ports.h"
#include "twin/host_aperture.h"
#include "twin/paging_engine.h"
#include "twin/tlb_timing.h"
#include "twin/turns.h"

namespace gmmu::sim::twin {
namespace {

// Timing of the window in BAR2 (rtl/top/gmmu_window.sv).
constexpr uint64_t kWindowBeat = 8, kWindowWriteCycles = 2, kWindowWrittenCycles = 5;
constexpr uint64_t kWindowReadCycles = 4, kWindowAnswerCycles = 7, kHostApertureCycles = 2;
constexpr unsigned kWindowSlots = 16;
constexpr uint64_t kMessageCycles = 12;  // from an interrupt cause until its message is sent

}  // namespace

Gpu::Gpu(unsigned unit, hw::Bdf bdf, const GpuParameters& parameters, HostAccess& host, Peers& peers, Agenda& agenda)
    : unit_(unit),
      bdf_(bdf),
      parameters_(parameters),
      host_(host),
      agenda_(agenda),
      config_(parameters.config),
      vram_(parameters.vram_bytes),
      time_(parameters.timing),
      memory_(vram_, host, peers, unit, bdf.requester_id(), time_, agenda, counters_, parameters.faults),
      mmu_(parameters.built, memory_, time_, agenda, counters_, parameters.policy),
      aperture_(memory_, time_, agenda, counters_),
      path_(mmu_, aperture_, memory_),
      turns_(std::make_unique<Turns>(time_, agenda)),
      interrupts_([this] { SendMessage(); }),
      faults_(memory_, time_, agenda, counters_, [this] { interrupts_.Raise(regs::IntStatus().set_fault(1).raw); }),
      operations_(
          mmu_, time_, agenda, [this] { interrupts_.Raise(regs::IntStatus().set_invalidate(1).raw); },
          [this] { Pump(); }),
      engine_(std::make_unique<PagingEngine>(parameters.built.rings,
                                             EngineParts{agenda, time_, memory_, mmu_, aperture_, counters_, faults_,
                                                         parameters.built.clients},
                                             [this](uint64_t causes) { interrupts_.Raise(causes); })),
      client_ports_(std::make_unique<ClientPorts>(parameters.built.clients, ClientParts{agenda, time_, memory_, path_,
                                                                                        counters_, faults_, *turns_})),
      window_slots_(kWindowSlots),
      host_aperture_(std::make_unique<HostAperture>()) {
  clients_.reserve(parameters.built.clients);
  for (unsigned i = 0; i < parameters.built.clients; ++i) {
    clients_.emplace_back(i, ClientParts{agenda, time_, memory_, path_, counters_, faults_, *turns_}, [this] {
      if (--runs_ == 0) {
        counters_.Of<regs::CountersClientCycles>() += time_.CycleAt(agenda_.now() - runs_began_ps_);
      }
      interrupts_.Raise(regs::IntStatus().set_client(1).raw);
    });
  }
  if (mmu_.timing().hierarchy().stall) mmu_.set_flushed([this] { client_ports_->Flushed(); });
  if (!parameters.checker) return;
  checker_ = std::make_unique<TranslationChecker>(parameters.built.spaces, vram_,
                                                  [this](uint64_t address) -> std::optional<uint64_t> {
                                                    uint64_t word = 0;
                                                    if (!host_.Peek(bdf_.requester_id(), address, &word))
                                                      return std::nullopt;
                                                    return word;
                                                  });
  mmu_.set_checker(checker_.get());
  waits_ = std::make_unique<WaitChecker>();
  engine_->set_waits(waits_.get());
}

Gpu::~Gpu() = default;

// ---- the PCI function, silence, reset

/// Passes the PCI function's permissions and the levels of the GPU's pins to the blocks.
void Gpu::Straps() {
  memory_.set_bus_master(config_.bus_master());
  memory_.set_silence(silence_);
  memory_.set_held(held_);
  interrupts_.set_open(config_.message().enable && memory_.host_open());
  Wake();
}

void Gpu::Wake() {
  engine_->set_enabled(enabled_);
  engine_->Wake();
  for (Client& client : clients_) {
    client.set_enabled(enabled_);
    client.Wake();
  }
  client_ports_->set_enabled(enabled_);
  client_ports_->Wake();
}

void Gpu::Silence(bool on) {
  silence_ = on;
  Straps();
}

void Gpu::Reset() {
  ++generation_;
  enabled_ = held_ = lost_answer_ = false;
  window_base_ = 0;
  host_aperture_->Reset();
  reset_ps_ = agenda_.now();
  runs_ = 0;
  write_low_ = read_high_ = Half();
  counters_ = Counters();
  memory_.set_link({});
  mmu_.Reset();
  aperture_.set_base(0);
  aperture_.set_pages(0);
  interrupts_.Reset();
  faults_.Reset();
  operations_.Reset();
  engine_->Reset();
  turns_->Reset();
  for (Client& client : clients_) client.Reset();
  client_ports_->Reset();
  if (checker_) {
    for (unsigned space = 0; space < parameters_.built.spaces; ++space) {
      const uint32_t block = regs::kSpaceBase + regs::kSpaceStride * space;
      checker_->RegisterWritten(block + regs::SpaceGeometry::kOffset, 0, 0xFF);
      checker_->RegisterWritten(block + regs::SpaceRoot::kOffset, 0, 0xFF);
    }
    checker_->Invalidated({regs::Scope::kGlobal, 0, 0, 0});
  }
  Straps();
  Pump();
}

void Gpu::SendMessage() {
  agenda_.At(agenda_.now() + time_.Cycles(kMessageCycles), [this, generation = generation_] {
    if (generation == generation_) WriteMessage();
  });
}

void Gpu::WriteMessage() {
  const FunctionMessage message = config_.message();
  if (!message.enable || !memory_.host_open()) return interrupts_.PutBack();
  Cost cost;
  memory_.WriteHost(message.address, &message.data, sizeof message.data, cost);
  counters_.Of<regs::CountersMessages>() += 1;
  agenda_.At(cost.done, [this, generation = generation_] {
    if (generation == generation_) interrupts_.Sent();
  });
}

// ---- CPU accesses

void Gpu::Push(Access access) {
  accesses_.push_back(std::move(access));
  Pump();
}

/// Returns the time at which the port accepts the access. A register write waits until all window
/// writes are done (rtl/top/gmmu_regs.sv).
uint64_t Gpu::FreePs(const Access& access) const {
  const bool settles = access.target == Access::Target::kRegisters && access.write;
  return settles ? std::max(port_ps_, window_ps_) : port_ps_;
}

void Gpu::Pump() {
  while (!accesses_.empty()) {
    const uint64_t free_ps = FreePs(accesses_.front());
    if (free_ps > agenda_.now()) {
      if (!pump_planned_) {
        agenda_.At(free_ps, [this] {
          pump_planned_ = false;
          Pump();
        });
      }
      pump_planned_ = true;
      return;
    }
    Access access = std::move(accesses_.front());
    accesses_.pop_front();
    if (Do(access)) continue;
    accesses_.push_front(std::move(access));
    return;
  }
}

/// Performs one access. Returns false if the access must be retried later.
bool Gpu::Do(Access& access) {
  switch (access.target) {
    case Access::Target::kConfig: DoConfig(access); return true;
    case Access::Target::kWindow: DoWindow(access); return true;
    case Access::Target::kRegisters: return DoRegister(access);
  }
  return true;
}

void Gpu::Answer(Access& access, bool ok) {
  if (!access.done) return;
  if (access.write) access.data.clear();
  else if (!ok) std::fill(access.data.begin(), access.data.end(), uint8_t{0xFF});
  access.done(ok, access.data);
}

void Gpu::DoConfig(Access& access) {
  const auto offset = static_cast<uint16_t>(access.offset);
  const auto size = static_cast<unsigned>(access.data.size());
  uint32_t value = 0;
  if (access.write) {
    std::memcpy(&value, access.data.data(), std::min(size, 4u));
    const bool powered = config_.powered();
    config_.Write(offset, size, value);
    if (powered && !config_.powered()) vram_.LosePower();
    Straps();
  } else {
    value = config_.Read(offset, size);
    std::memcpy(access.data.data(), &value, std::min(size, 4u));
  }
  Answer(access, true);
}

void Gpu::DoWindow(Access& access) {
  const bool mapped = host_aperture_->Maps(access.offset);
  const uint64_t at = mapped ? host_aperture_->At(access.offset) : window_base_ + access.offset;
  const bool ok = access.write ? memory_.WriteWindow(at, access.data.data(), access.data.size())
                               : memory_.ReadWindow(at, access.data.data(), access.data.size());
  WindowTime(access, mapped ? kHostApertureCycles : 0);
  if (access.write) return Answer(access, ok);
  agenda_.At(window_ps_, [access = std::move(access), ok]() mutable { Answer(access, ok); });
}

/// Adds the time of a window access, which is split into 8-byte beats. Writes use all slots in
/// parallel; each read waits until nothing else is in flight. `lookup`: cycles of the host
/// aperture's lookup of each beat.
void Gpu::WindowTime(Access& access, uint64_t lookup) {
  port_ps_ = std::max(port_ps_, agenda_.now());
  for (uint64_t done = 0; done < access.data.size(); done += kWindowBeat) {
    if (access.write) {
      port_ps_ = window_slots_.Free(port_ps_ + time_.Cycles(kWindowWriteCycles + lookup));
      window_ps_ = std::max(window_ps_, time_.VramWrite(port_ps_, kWindowBeat) + time_.Cycles(kWindowWrittenCycles));
      window_slots_.Take(window_ps_);
    } else {
      port_ps_ = std::max(port_ps_, window_ps_) + time_.Cycles(kWindowReadCycles + lookup);
      port_ps_ = window_ps_ = time_.VramRead(port_ps_, kWindowBeat, true) + time_.Cycles(kWindowAnswerCycles);
    }
  }
}

// ---- instruments

/// Whether register ctrl.silence is set and the paging engine and the clients have no access in
/// flight. CPU accesses through BAR2 do not count.
bool Gpu::Silent() const { return held_ && !lost_answer_ && memory_.busy_until() <= agenda_.now(); }

bool Gpu::idle() const {
  return engine_->idle() && interrupts_.idle() && !operations_.busy() && !lost_answer_ && client_ports_->idle() &&
         std::none_of(clients_.begin(), clients_.end(), [](const Client& client) { return client.busy(); });
}

std::vector<hw::InUse> Gpu::ResourcesInUse() const {
  std::vector<hw::InUse> held;
  if (!idle()) held.push_back({"rtl_slot", "the GPU has work under way"});
  if (memory_.host_busy_until() > agenda_.now()) held.push_back({"bus_slot", "a burst at the host port"});
  if (memory_.host_reads_until() > agenda_.now()) held.push_back({"pcie_tag", "reads of the GPU"});
  return held;
}

void Gpu::DriveClients(hw::ClientAccesses* accesses) { client_ports_->Serve(accesses); }

void Gpu::LoseAnswer(unsigned space, uint64_t va) {
  lost_answer_ = true;
  Cost cost;
  const Place place = path_.Resolve(0, {false, regs::Target::kSystem, space, va}, regs::Access::kRead, 1, cost);
  uint8_t line[64];
  if (place.kind == Place::Kind::kVram || place.kind == Place::Kind::kHost)
    static_cast<void>(path_.Read(place, line, sizeof line, cost));
}

}  // namespace gmmu::sim::twin
