// SPDX-License-Identifier: Apache-2.0
// The CPU's side of the machine: its accesses on their way to a device, and interrupt messages.
#include "twin/machine.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "platform/engine.h"
#include "platform/machine_parts.h"
#include "twin/gpu.h"
#include "twin/host.h"

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kForever = ~uint64_t{0};
constexpr uint64_t kChipsetPs = 40'000;  // an access to the IOMMU's registers, or to an undecoded address
constexpr size_t kBlockBytes = 64;       // a write-combining buffer

uint64_t Ones(unsigned size) { return size >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1; }

uint64_t ToPs(uint64_t ns) { return ns > kForever / 1000 ? kForever : ns * 1000; }

}  // namespace

Machine::Machine(const MachineParameters& parameters)
    : parameters_(parameters),
      map_(parameters.ram_bytes, parameters.iommu),
      ram_(map_.ram()),
      peers_({std::max(1u, static_cast<unsigned>(parameters.gpus.size())), parameters.gpu_link_latency_ps,
              parameters.gpu_link_bytes_per_ns},
             agenda_) {
  if (parameters.gpus.empty() || parameters.gpus.size() > kMostUnits)
    throw std::invalid_argument(fmt::format("a machine has 1 to {} GPUs, not {}", kMostUnits, parameters.gpus.size()));
  host_ = std::make_unique<Host>(ram_, parameters.iommu ? std::make_unique<VtdCore>(parameters.vtd) : nullptr,
                                 parameters.gpus[0].timing, agenda_,
                                 [this](uint64_t address, uint32_t data) { Deliver(address, data); });
  for (const GpuParameters& gpu : parameters.gpus) {
    const auto unit = static_cast<unsigned>(gpus_.size());
    gpus_.push_back(std::make_unique<Gpu>(unit, BdfOf(unit), gpu, *host_, peers_, agenda_));
    peers_.Attach(gpus_.back()->memory());
    ConfigSpace& config = gpus_.back()->config();
    config.OnChange([this, unit, &config] {
      for (const unsigned bar : {0u, 2u}) {
        map_.SetBar(unit, bar, config.bar_base(bar), config.bar_active(bar) ? config.bar_bytes(bar) : 0);
      }
    });
  }
  ReserveForGpu(map_.ram(), parameters.reserved_bytes, firmware_);
  firmware_.iommu_base = parameters.iommu ? map_.iommu_base() : std::nullopt;
  firmware_.gpus = units();
  firmware_.gpu_vendor = static_cast<uint16_t>(gpus_[0]->config().Read(0, 2));
  firmware_.gpu_device = static_cast<uint16_t>(gpus_[0]->config().Read(2, 2));
}

// ---- accesses of a GPU

Machine::~Machine() = default;

VtdCore* Machine::iommu() { return host_->iommu(); }

Gpu* Machine::Find(hw::Bdf bdf) {
  for (const auto& gpu : gpus_) {
    if (gpu->bdf().requester_id() == bdf.requester_id()) return gpu.get();
  }
  return nullptr;
}

GpuAccess Machine::AccessTo(const Decoded& where, bool write) const {
  GpuAccess access;
  access.target = where.bar == 0 ? GpuAccess::Target::kRegisters : GpuAccess::Target::kWindow;
  access.offset = where.offset;
  access.write = write;
  return access;
}

/// Sends a posted write, which is on its way on return. A write that waits at the GPU's port occupies a header credit;
/// without a credit the CPU waits.
void Machine::Post(Gpu& gpu, GpuAccess access) {
  ++writes_;
  const uint64_t end = agenda_.now() + ToPs(parameters_.mmio_bound_ns);
  const size_t credits = gpu.time().parameters().posted_headers;
  while (gpu.waiting() >= credits && !agenda_.empty() && agenda_.next() <= end) agenda_.RunUntil(agenda_.next());
  agenda_.RunUntil(gpu.time().RoomForPost(agenda_.now()));
  const uint64_t arrives = gpu.time().Post(agenda_.now(), access.data.size());
  agenda_.At(arrives, [&gpu, access = std::move(access)]() mutable { gpu.Push(std::move(access)); });
  Pass(gpu.time().PostPs());
}

/// Sends an access and waits for its answer.
Machine::Reply Machine::Request(Gpu& gpu, GpuAccess access, const std::string& what) {
  ++requests_;
  const auto reply = std::make_shared<Reply>();
  TimeModel& time = gpu.time();
  const uint64_t answer_ps = access.target == GpuAccess::Target::kConfig ? time.ConfigPs() : time.RegisterPs();
  access.done = [this, reply, answer_ps, &time](bool ok, const std::vector<uint8_t>& data) {
    const uint64_t back = time.Up(agenda_.now() + answer_ps, data.size());
    agenda_.At(back, [reply, ok, data] { *reply = {true, ok, data}; });
  };
  const uint64_t arrives = time.Down(agenda_.now(), access.write ? access.data.size() : 0);
  agenda_.At(arrives, [&gpu, access = std::move(access)]() mutable { gpu.Push(std::move(access)); });
  AwaitReply(*reply, what);
  return *reply;
}

void Machine::AwaitReply(const Reply& reply, const std::string& what) {
  const uint64_t bound = ToPs(parameters_.mmio_bound_ns);
  const uint64_t end = bound > kForever - agenda_.now() ? kForever : agenda_.now() + bound;
  while (!reply.done) {
    if (agenda_.empty() || agenda_.next() > end) {
      throw EngineError(fmt::format("no answer to {} in {} ns (gpu.mmio_bound_ns)", what, parameters_.mmio_bound_ns));
    }
    agenda_.RunUntil(agenda_.next());
  }
}

// ---- hw::Platform

uint64_t Machine::MmioRead(uint64_t address, unsigned size) {
  const Decoded where = map_.Decode(address, size);
  uint64_t value = 0;
  if (where.region == Region::kRam) return ram_.Read(address, &value, size) ? value : Ones(size);
  if (where.region == Region::kBar) {
    GpuAccess access = AccessTo(where, false);
    access.data.resize(size);
    const Reply reply = Request(*gpus_[where.unit], std::move(access),
                                fmt::format("a read of {} bytes at {:#x}", size, address));
    std::memcpy(&value, reply.data.data(), size);
    return value;
  }
  Pass(kChipsetPs);
  return where.region == Region::kIommu ? host_->ReadRegister(static_cast<uint32_t>(where.offset), size) : Ones(size);
}

void Machine::MmioWrite(uint64_t address, unsigned size, uint64_t value) {
  const Decoded where = map_.Decode(address, size);
  if (where.region == Region::kRam) {
    static_cast<void>(ram_.Write(address, &value, size));
  } else if (where.region == Region::kBar) {
    GpuAccess access = AccessTo(where, true);
    access.data.resize(size);
    std::memcpy(access.data.data(), &value, size);
    Post(*gpus_[where.unit], std::move(access));
  } else {
    Pass(kChipsetPs);
    if (where.region == Region::kIommu) host_->WriteRegister(static_cast<uint32_t>(where.offset), size, value);
  }
}

void Machine::MmioReadBlock(uint64_t address, void* to, size_t size) {
  auto* bytes = static_cast<uint8_t*>(to);
  while (size > 0) {
    const size_t piece = std::min(size, kBlockBytes - address % kBlockBytes);
    const Decoded where = map_.Decode(address, piece);
    if (where.region == Region::kBar) {
      GpuAccess access = AccessTo(where, false);
      access.data.resize(piece);
      const Reply reply = Request(*gpus_[where.unit], std::move(access),
                                  fmt::format("a read of {} bytes at {:#x}", piece, address));
      std::memcpy(bytes, reply.data.data(), piece);
    } else {
      for (size_t i = 0; i < piece; i += 8) {
        const uint64_t word = MmioRead(address + i, 8);
        std::memcpy(bytes + i, &word, 8);
      }
    }
    address += piece, bytes += piece, size -= piece;
  }
}

void Machine::MmioWriteBlock(uint64_t address, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  while (size > 0) {
    const size_t piece = std::min(size, kBlockBytes - address % kBlockBytes);
    const Decoded where = map_.Decode(address, piece);
    if (where.region == Region::kBar) {
      GpuAccess access = AccessTo(where, true);
      access.data.assign(bytes, bytes + piece);
      Post(*gpus_[where.unit], std::move(access));
    } else {
      for (size_t i = 0; i < piece; i += 8) {
        uint64_t word;
        std::memcpy(&word, bytes + i, 8);
        MmioWrite(address + i, 8, word);
      }
    }
    address += piece, bytes += piece, size -= piece;
  }
}

uint32_t Machine::ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) {
  Gpu* gpu = Find(bdf);
  if (gpu == nullptr) {
    Pass(kChipsetPs);
    return static_cast<uint32_t>(Ones(size));
  }
  GpuAccess access;
  access.target = GpuAccess::Target::kConfig;
  access.offset = offset;
  access.data.resize(size);
  const Reply reply = Request(*gpu, std::move(access),
                              fmt::format("a configuration read of {} at {:#x}", bdf.ToString(), offset));
  uint32_t value = 0;
  std::memcpy(&value, reply.data.data(), size);
  return value;
}

void Machine::ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  Gpu* gpu = Find(bdf);
  if (gpu == nullptr) return Pass(kChipsetPs);
  GpuAccess access;
  access.target = GpuAccess::Target::kConfig;
  access.offset = offset;
  access.write = true;
  access.data.resize(size);
  std::memcpy(access.data.data(), &value, size);
  Request(*gpu, std::move(access), fmt::format("a configuration write of {} at {:#x}", bdf.ToString(), offset));
}

// ---- messages

void Machine::Deliver(uint64_t address, uint32_t data) {
  if (parameters_.late_interrupt_ns == 0) {
    messages_.push_back({address, data});
    return;
  }
  agenda_.At(agenda_.now() + ToPs(parameters_.late_interrupt_ns),
             [this, address, data] { messages_.push_back({address, data}); });
}

std::optional<hw::Message> Machine::TakeMessage() {
  if (messages_.empty()) return std::nullopt;
  const hw::Message message = messages_.front();
  messages_.pop_front();
  return message;
}

bool Machine::WaitForMessage(uint64_t bound_ns) {
  const uint64_t bound = ToPs(bound_ns);
  const uint64_t end = bound > kForever - agenda_.now() ? kForever : agenda_.now() + bound;
  while (messages_.empty()) {
    if (agenda_.empty() && end == kForever)
      throw EngineError(
          fmt::format("the machine stands still at {} ns: nothing can end the wait "
                      "for an interrupt message",
                      NowNs()));
    if (agenda_.empty() || agenda_.next() > end) {
      agenda_.RunUntil(end);
      return false;
    }
    agenda_.RunUntil(agenda_.next());
  }
  return true;
}

}  // namespace gmmu::sim::twin
