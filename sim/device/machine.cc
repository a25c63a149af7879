// SPDX-License-Identifier: Apache-2.0
#include "device/machine.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "platform/engine.h"
#include "platform/machine_parts.h"
#include "twin/machine.h"

namespace gmmu::sim::device {
namespace {

constexpr uint64_t kForever = ~uint64_t{0};
constexpr uint64_t kChipsetPs = 40'000;  // an access to the IOMMU's registers, or to an undecoded address
constexpr uint64_t kPostPs = 5'000;      // after which the CPU continues past a posted write
constexpr size_t kBlockBytes = 64;       // a write-combining buffer

uint64_t ToPs(uint64_t ns) { return ns > kForever / 1000 ? kForever : ns * 1000; }

/// Accesses of devices take effect at once, so that a device reads what it has written; interrupts take the link's time.
twin::TimeParameters TimingOf(const MachineConfig& config) {
  twin::TimeParameters timing = twin::MachineParameters::From(config).gpus[0].timing;
  timing.pcie_latency_ps = timing.iommu_lookup_ps = 0;
  return timing;
}

}  // namespace

Machine::Machine(const MachineConfig& config, const FunctionParameters& function)
    : config_(config),
      link_ps_(config.pcie.latency_ps),
      map_(config.host.memory_bytes(), config.iommu.present),
      ram_(map_.ram()) {
  host_ = std::make_unique<twin::Host>(ram_,
                                       config.iommu.present ? std::make_unique<VtdCore>(VtdOf(config.iommu)) : nullptr,
                                       TimingOf(config), agenda_,
                                       [this](uint64_t address, uint32_t data) { Deliver(address, data); });
  const auto deliver = [this](uint64_t address, uint32_t data) { messages_.push_back({address, data}); };
  function_ = std::make_unique<Function>(BdfOf(0), function, *host_, agenda_, deliver, link_ps_);
  ConfigSpace& space = function_->config();
  space.OnChange([this, &space] {
    for (const unsigned bar : {0u, 2u, 4u})
      map_.SetBar(0, bar, space.bar_base(bar), space.bar_active(bar) ? space.bar_bytes(bar) : 0);
  });
  ReserveForGpu(map_.ram(), config.host.gpu_reserved_kib << 10, firmware_);
  firmware_.iommu_base = config.iommu.present ? map_.iommu_base() : std::nullopt;
  firmware_.gpu_vendor = static_cast<uint16_t>(space.Read(0, 2));
  firmware_.gpu_device = static_cast<uint16_t>(space.Read(2, 2));
}

Machine::~Machine() = default;

// ---- the CPU's accesses

void Machine::ReadAt(uint64_t address, void* to, size_t size) {
  std::memset(to, 0xFF, size);
  const Decoded where = map_.Decode(address, size);
  switch (where.region) {
    case Region::kRam: static_cast<void>(ram_.Read(address, to, size)); return;
    case Region::kBar:
      Pass(link_ps_);  // after the earlier posted writes
      function_->Read(where.bar, where.offset, to, size);
      Pass(link_ps_);
      return;
    case Region::kIommu: {
      Pass(kChipsetPs);
      const uint64_t value = host_->ReadRegister(static_cast<uint32_t>(where.offset), static_cast<unsigned>(size));
      std::memcpy(to, &value, std::min(size, sizeof value));
      return;
    }
    default: Pass(kChipsetPs); return;
  }
}

void Machine::WriteAt(uint64_t address, const void* from, size_t size) {
  const Decoded where = map_.Decode(address, size);
  if (where.region == Region::kRam) {
    static_cast<void>(ram_.Write(address, from, size));
  } else if (where.region == Region::kBar) {
    const auto* bytes = static_cast<const uint8_t*>(from);
    agenda_.At(agenda_.now() + link_ps_, [this, where, data = std::vector<uint8_t>(bytes, bytes + size)] {
      function_->Write(where.bar, where.offset, data.data(), data.size());
    });
    Pass(kPostPs);
  } else {
    Pass(kChipsetPs);
    if (where.region != Region::kIommu) return;
    uint64_t value = 0;
    std::memcpy(&value, from, std::min(size, sizeof value));
    host_->WriteRegister(static_cast<uint32_t>(where.offset), static_cast<unsigned>(size), value);
  }
}

uint64_t Machine::MmioRead(uint64_t address, unsigned size) {
  uint64_t value = 0;
  ReadAt(address, &value, size);
  return value;
}

void Machine::MmioWrite(uint64_t address, unsigned size, uint64_t value) { WriteAt(address, &value, size); }

void Machine::MmioReadBlock(uint64_t address, void* to, size_t size) {
  auto* bytes = static_cast<uint8_t*>(to);
  while (size > 0) {
    size_t piece = std::min(size, kBlockBytes - address % kBlockBytes);
    if (map_.Decode(address, piece).region != Region::kBar) piece = 8;
    ReadAt(address, bytes, piece);
    address += piece, bytes += piece, size -= piece;
  }
}

void Machine::MmioWriteBlock(uint64_t address, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  while (size > 0) {
    size_t piece = std::min(size, kBlockBytes - address % kBlockBytes);
    if (map_.Decode(address, piece).region != Region::kBar) piece = 8;
    WriteAt(address, bytes, piece);
    address += piece, bytes += piece, size -= piece;
  }
}

uint32_t Machine::ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) {
  const bool there = bdf.requester_id() == function_->bdf().requester_id();
  Pass(there ? 2 * link_ps_ : kChipsetPs);
  return there ? function_->ReadConfig(offset, size) : static_cast<uint32_t>((uint64_t{1} << (8 * size)) - 1);
}

void Machine::ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  const bool there = bdf.requester_id() == function_->bdf().requester_id();
  Pass(there ? link_ps_ : kChipsetPs);
  if (!there) return;
  function_->WriteConfig(offset, size, value);
  Pass(link_ps_);
}

// ---- messages

void Machine::Deliver(uint64_t address, uint32_t data) {
  agenda_.At(agenda_.now() + link_ps_ + ToPs(config_.inject.late_interrupt_ns),
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
          fmt::format("the machine stands still at {} ns: nothing can end the wait for an interrupt message", NowNs()));
    if (agenda_.empty() || agenda_.next() > end) {
      agenda_.RunUntil(end);
      return false;
    }
    agenda_.RunUntil(agenda_.next());
  }
  return true;
}

}  // namespace gmmu::sim::device
