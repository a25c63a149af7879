// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_cpu.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "gpu/rtl_gpu.h"
#include "hw/unit_names.h"
#include "pcie/address_map.h"
#include "platform/engine.h"
#include "platform/gpu_counters.h"
#include "platform/sc_agenda.h"
#include "platform/sc_gpu_link.h"
#include "platform/sc_host_memory.h"
#include "platform/sc_iommu.h"
#include "platform/sc_root_complex.h"

namespace gmmu::sim {
namespace {

using sc_core::sc_time;

constexpr uint64_t kForever = ~uint64_t{0};
constexpr size_t kStackBytes = size_t{8} << 20;
constexpr uint64_t kPostPs = 5'000;      ///< a posted write leaves the core
constexpr uint64_t kChipsetPs = 40'000;  ///< an access to the IOMMU's registers, or to an undecoded address
constexpr size_t kStoreBuffer = 16;      ///< posted writes that wait for the link
constexpr unsigned kBlockBytes = 64;     ///< a write-combining buffer

uint64_t Ones(unsigned size) { return size >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1; }

}  // namespace

Cpu::Cpu(sc_core::sc_module_name name, uint64_t mmio_bound_ns, unsigned clients)
    : sc_module(name),
      mmio_bound_ps_(mmio_bound_ns > kForever / 1000 ? kForever : mmio_bound_ns * 1000),
      clients_(clients) {
  SC_HAS_PROCESS(Cpu);
  SC_THREAD(Main);
  set_stack_size(kStackBytes);
}

void Cpu::Connect(const CpuParts& parts, hw::FirmwareTables firmware) {
  parts_ = parts;
  firmware_ = std::move(firmware);
}

void Cpu::Main() {
  Pause(1);  // off the clock edges
  try {
    result_ = software_(*this);
  } catch (...) {
    error_ = std::current_exception();
  }
  finished_ = true;
  sc_core::sc_pause();
}

int Cpu::Result() const {
  if (error_) std::rethrow_exception(error_);
  return result_;
}

// ---- waiting

void Cpu::Yield() { sc_core::wait(sc_core::SC_ZERO_TIME); }

void Cpu::Pause(uint64_t ps) {
  const uint64_t now = Agenda::Now();
  const uint64_t until = parts_.agenda->OffEdge(now + ps);
  sc_core::wait(sc_time::from_value(until - now));
  Yield();
}

void Cpu::Stuck() {
  stuck_ = true;
  wake_.notify(sc_time::from_value(1));
}

bool Cpu::Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) {
  const uint64_t start = Agenda::Now();
  const uint64_t end = bound_ps > kForever - start - 1 ? kForever : parts_.agenda->OffEdge(start + bound_ps);
  while (!ready()) {
    const uint64_t now = Agenda::Now();
    if (now >= end) return false;
    if (end == kForever) sc_core::wait(wake_);
    else sc_core::wait(sc_time::from_value(end - now), wake_);
    Yield();
    if (stuck_) {
      stuck_ = false;
      throw EngineError(
          fmt::format("the machine stands still at {} ns: nothing can end the wait for {}", NowNs(), what));
    }
  }
  return true;
}

void Cpu::AwaitAccess(const CpuUnit& unit, const std::function<bool()>& ready, const std::string& what) {
  if (Await(ready, mmio_bound_ps_, what)) return;
  throw EngineError(fmt::format("no answer to {} in {} ns (gpu.mmio_bound_ns); the GPU's oldest access: {}", what,
                                mmio_bound_ps_ / 1000, unit.gpu->Waiting()));
}

// ---- accesses

std::shared_ptr<Cpu::Answer> Cpu::Request(const CpuUnit& unit, tlm::tlm_command command, AddressKind kind,
                                          uint64_t address, const void* data, unsigned bytes) {
  auto answer = std::make_shared<Answer>();
  answer->data.resize(bytes, 0xFF);
  if (data != nullptr) std::memcpy(answer->data.data(), data, bytes);
  unit.root_complex->Request(command, kind, address, answer->data.data(), bytes, [this, answer](bool ok) {
    answer->ok = ok;
    answer->done = true;
    wake_.notify(sc_core::SC_ZERO_TIME);
  });
  return answer;
}

void Cpu::Post(const CpuUnit& unit, uint64_t address, const void* from, unsigned bytes) {
  const std::string what = fmt::format("room for a write to {:#x}", address);
  RootComplex& port = *unit.root_complex;
  if (port.posted_waiting() >= kStoreBuffer) {
    port.NotifyTaken([this] { wake_.notify(sc_core::SC_ZERO_TIME); });
    AwaitAccess(unit, [&port] { return port.posted_waiting() < kStoreBuffer; }, what);
    port.NotifyTaken(nullptr);
  }
  port.Post(address, from, bytes);
  Pause(kPostPs);
}

uint64_t Cpu::MmioRead(uint64_t address, unsigned size) {
  const Decoded where = parts_.map->Decode(address, size);
  if (where.region == Region::kIommu) {
    Pause(kChipsetPs);
    return parts_.iommu->ReadRegister(static_cast<uint32_t>(where.offset), size);
  }
  if (where.region == Region::kRam) {
    uint64_t value = 0;
    return parts_.ram->Read(address, &value, size) ? value : Ones(size);
  }
  if (where.region != Region::kBar) {
    Pause(kChipsetPs);
    return Ones(size);
  }
  const CpuUnit& unit = parts_.units[where.unit];
  const auto answer = Request(unit, tlm::TLM_READ_COMMAND, AddressKind::kLogical, address, nullptr, size);
  AwaitAccess(unit, [&] { return answer->done; }, fmt::format("a read of {} bytes at {:#x}", size, address));
  if (!answer->ok) return Ones(size);
  uint64_t value = 0;
  std::memcpy(&value, answer->data.data(), size);
  return value;
}

void Cpu::MmioWrite(uint64_t address, unsigned size, uint64_t value) {
  const Decoded where = parts_.map->Decode(address, size);
  switch (where.region) {
    case Region::kIommu:
      Pause(kChipsetPs);
      parts_.iommu->WriteRegister(static_cast<uint32_t>(where.offset), size, value);
      return;
    case Region::kRam:
      if (!parts_.ram->Write(address, &value, size)) return;
      return;
    case Region::kBar: Post(parts_.units[where.unit], address, &value, size); return;
    case Region::kNone:
    case Region::kMessage: Pause(kChipsetPs); return;
  }
}

void Cpu::MmioReadBlock(uint64_t address, void* to, size_t size) {
  auto* bytes = static_cast<uint8_t*>(to);
  while (size > 0) {
    const size_t piece = std::min<size_t>(size, kBlockBytes - address % kBlockBytes);
    const Decoded where = parts_.map->Decode(address, piece);
    if (where.region == Region::kBar) {
      const CpuUnit& unit = parts_.units[where.unit];
      const auto answer = Request(unit, tlm::TLM_READ_COMMAND, AddressKind::kLogical, address, nullptr,
                                  static_cast<unsigned>(piece));
      AwaitAccess(unit, [&] { return answer->done; }, fmt::format("a read of {} bytes at {:#x}", piece, address));
      if (answer->ok) std::memcpy(bytes, answer->data.data(), piece);
      else std::memset(bytes, 0xFF, piece);
    } else {
      for (size_t i = 0; i < piece; i += 8) {
        const uint64_t word = MmioRead(address + i, 8);
        std::memcpy(bytes + i, &word, 8);
      }
    }
    address += piece;
    bytes += piece;
    size -= piece;
  }
}

void Cpu::MmioWriteBlock(uint64_t address, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  while (size > 0) {
    const size_t piece = std::min<size_t>(size, kBlockBytes - address % kBlockBytes);
    const Decoded where = parts_.map->Decode(address, piece);
    if (where.region == Region::kBar) {
      Post(parts_.units[where.unit], address, bytes, static_cast<unsigned>(piece));
    } else {
      for (size_t i = 0; i < piece; i += 8) {
        uint64_t word;
        std::memcpy(&word, bytes + i, 8);
        MmioWrite(address + i, 8, word);
      }
    }
    address += piece;
    bytes += piece;
    size -= piece;
  }
}

const CpuUnit* Cpu::Find(hw::Bdf bdf) const {
  for (const CpuUnit& unit : parts_.units) {
    if (unit.bdf.requester_id() == bdf.requester_id()) return &unit;
  }
  return nullptr;
}

uint32_t Cpu::ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) {
  const CpuUnit* unit = Find(bdf);
  if (unit == nullptr) {
    Pause(kChipsetPs);
    return static_cast<uint32_t>(Ones(size));
  }
  const auto answer = Request(*unit, tlm::TLM_READ_COMMAND, AddressKind::kConfig, offset, nullptr, size);
  AwaitAccess(
      *unit, [&] { return answer->done; }, fmt::format("a configuration read of {} at {:#x}", bdf.ToString(), offset));
  uint32_t value = 0;
  std::memcpy(&value, answer->data.data(), size);
  return value;
}

void Cpu::ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  const CpuUnit* unit = Find(bdf);
  if (unit == nullptr) {
    Pause(kChipsetPs);
    return;
  }
  const auto answer = Request(*unit, tlm::TLM_WRITE_COMMAND, AddressKind::kConfig, offset, &value, size);
  AwaitAccess(
      *unit, [&] { return answer->done; }, fmt::format("a configuration write of {} at {:#x}", bdf.ToString(), offset));
}

uint64_t Cpu::NowNs() { return Agenda::Now() / 1000; }

// ---- messages

void Cpu::Deliver(const hw::Message& message) {
  messages_.push_back(message);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

std::optional<hw::Message> Cpu::TakeMessage() {
  if (messages_.empty()) return std::nullopt;
  const hw::Message message = messages_.front();
  messages_.pop_front();
  return message;
}

bool Cpu::WaitForMessage(uint64_t bound_ns) {
  const uint64_t bound_ps = bound_ns > kForever / 1000 ? kForever : bound_ns * 1000;
  return Await([this] { return !messages_.empty(); }, bound_ps, "an interrupt message");
}

// ---- instruments

std::string Cpu::PrefixOf(const CpuUnit& unit) const {
  return hw::UnitPrefix(static_cast<unsigned>(&unit - parts_.units.data()), static_cast<unsigned>(parts_.units.size()));
}

uint64_t Cpu::PageAccesses(uint64_t pfn) { return parts_.memory->PageAccesses(pfn); }

void Cpu::NotePages(uint64_t first, uint64_t count, bool owned) { parts_.memory->owners().Note(first, count, owned); }

hw::BusCounts Cpu::BusAccesses(hw::Bdf device) {
  const CpuUnit* unit = Find(device);
  return unit == nullptr ? hw::BusCounts() : unit->root_complex->BusCountsOf(device.requester_id());
}

void Cpu::StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) {
  const CpuUnit* unit = Find(device);
  if (unit != nullptr) unit->root_complex->StrayAccess(device.requester_id(), kind, address, data);
}

void Cpu::DriveClients(unsigned unit, hw::ClientAccesses* accesses) {
  parts_.units.at(unit).gpu->DriveClients(accesses);
}

void Cpu::LoseAnswer(unsigned unit, unsigned space, uint64_t va) { parts_.units.at(unit).gpu->LoseAnswer(space, va); }

void Cpu::HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) {
  CpuUnit& held = parts_.units.at(unit);
  held.root_complex->HoldReads(address, until_ns * 1000);
  held.gpu->AllowHostWait((until_ns - NowNs()) * 1000);
}

uint64_t Cpu::Cycles() { return parts_.units[0].gpu->cycles(); }

uint64_t Cpu::CyclesEvaluated() {
  uint64_t all = 0;
  for (const CpuUnit& unit : parts_.units) all += unit.gpu->cycles_evaluated();
  return all;
}

std::vector<hw::InUse> Cpu::ResourcesInUse() {
  std::vector<hw::InUse> all;
  for (const CpuUnit& unit : parts_.units) {
    std::vector<hw::InUse> held = unit.gpu->ResourcesInUse();
    if (const unsigned tags = unit.root_complex->tags_in_use(); tags != 0)
      held.push_back({"pcie_tag", std::to_string(tags) + " of the GPU's reads"});
    hw::AddUnitResources(PrefixOf(unit), held, all);
  }
  if (const size_t accesses = parts_.gpu_link->in_flight(); accesses != 0)
    all.push_back({"bus_slot", std::to_string(accesses) + " accesses on the link between GPUs"});
  return all;
}

void Cpu::NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) {
  if (unit < parts_.units.size() && parts_.units[unit].checker != nullptr)
    parts_.units[unit].checker->NoteFlush(space, start, end);
}

void Cpu::ReadCounters(const CpuUnit& unit, std::vector<hw::Counter>& all) {
  const auto registers = GpuCounters(clients_);
  const auto source = Agenda::GpuSource(static_cast<unsigned>(&unit - parts_.units.data()));
  std::vector<uint32_t> offsets;
  for (const GpuCounter& counter : registers) offsets.push_back(counter.offset);
  auto values = std::make_shared<std::vector<uint64_t>>();
  RtlGpu& gpu = *unit.gpu;
  const bool asked = gpu.ServiceRead(offsets, [this, &gpu, source, values](const std::vector<uint64_t>& read) {
    parts_.agenda->At(
        gpu.local_ps() + 1,
        [this, values, read] {
          *values = read;
          wake_.notify(sc_core::SC_ZERO_TIME);
        },
        source);
  });
  if (!asked || !Await([&] { return !values->empty(); }, mmio_bound_ps_, "the GPU's counters")) {
    findings_.push_back({PrefixOf(unit) + "registers", "the GPU's counters could not be read: " + gpu.Waiting()});
    return;
  }
  std::vector<hw::Counter> read;
  for (size_t i = 0; i < registers.size(); ++i) {
    const GpuCounter& counter = registers[i];
    read.push_back({counter.block, counter.name, (*values)[i], counter.unit, counter.description});
  }
  hw::AddUnitCounters(PrefixOf(unit), std::move(read), all);
}

std::vector<hw::Counter> Cpu::Counters() {
  std::vector<hw::Counter> all;
  const auto append = [&](const std::vector<hw::Counter>& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (const CpuUnit& unit : parts_.units) {
    ReadCounters(unit, all);
    hw::AddUnitCounters(PrefixOf(unit), unit.gpu->Counters(), all);
    hw::AddUnitCounters(PrefixOf(unit), unit.root_complex->Counters(), all);
  }
  append(parts_.iommu->Counters());
  append(parts_.memory->Counters());
  for (const CpuUnit& unit : parts_.units) {
    if (unit.checker != nullptr) hw::AddUnitCounters(PrefixOf(unit), unit.checker->Counters(), all);
  }
  for (unsigned unit = 0; parts_.units.size() > 1 && unit < parts_.units.size(); ++unit)
    hw::AddUnitCounters(PrefixOf(parts_.units[unit]), parts_.gpu_link->Counters(unit), all);
  return all;
}

std::vector<hw::Finding> Cpu::Findings() {
  auto all = findings_;
  const auto& unowned = parts_.memory->owners().findings();
  all.insert(all.end(), unowned.begin(), unowned.end());
  for (const CpuUnit& unit : parts_.units) {
    hw::AddUnitFindings(PrefixOf(unit), unit.gpu->Findings(), all);
    if (unit.checker != nullptr) hw::AddUnitFindings(PrefixOf(unit), unit.checker->findings(), all);
  }
  return all;
}

}  // namespace gmmu::sim
