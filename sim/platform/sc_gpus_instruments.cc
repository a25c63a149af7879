// SPDX-License-Identifier: Apache-2.0
#include "gpu/rtl_gpu.h"
#include "host/gpu_counters.h"
#include "host/machine_parts.h"
#include "hw/unit_names.h"
#include "platform/sc_agenda.h"
#include "platform/sc_cpu.h"
#include "platform/sc_gpu_link.h"
#include "platform/sc_gpus.h"
#include "platform/sc_host_memory.h"
#include "platform/sc_iommu.h"
#include "platform/sc_root_complex.h"
#include "probe/translation_checker.h"

namespace gmmu::sim {
namespace {

std::string PrefixIn(const std::vector<ScUnit>& units, unsigned unit) {
  return hw::UnitPrefix(unit, static_cast<unsigned>(units.size()));
}

void Append(const std::vector<hw::Counter>& more, std::vector<hw::Counter>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

// ---- the GPUs

std::string ScGpus::PrefixOf(unsigned unit) const { return PrefixIn(parts_.units, unit); }

void ScGpus::ReadCounters(unsigned unit, std::vector<hw::Counter>& all) {
  const auto registers = GpuCounters(clients_);
  std::vector<uint32_t> offsets;
  for (const GpuCounter& counter : registers) offsets.push_back(counter.offset);
  auto values = std::make_shared<std::vector<uint64_t>>();
  RtlGpu& gpu = *parts_.units[unit].gpu;
  const bool asked = gpu.ServiceRead(offsets, [this, &gpu, unit, values](const std::vector<uint64_t>& read) {
    parts_.agenda.At(
        gpu.local_ps() + 1,
        [this, values, read] {
          *values = read;
          parts_.cpu.Wake();
        },
        ScAgenda::GpuSource(unit));
  });
  if (!asked || !parts_.cpu.Await([&] { return !values->empty(); }, Clock::ToPs(bound_ns_), "the GPU's counters")) {
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

std::vector<hw::Counter> ScGpus::Counters() {
  std::vector<hw::Counter> all;
  for (unsigned unit = 0; unit < units(); ++unit) {
    ReadCounters(unit, all);
    hw::AddUnitCounters(PrefixOf(unit), parts_.units[unit].gpu->Counters(), all);
    hw::AddUnitCounters(PrefixOf(unit), parts_.units[unit].root_complex->Counters(), all);
  }
  return all;
}

std::vector<hw::Finding> ScGpus::Findings() {
  std::vector<hw::Finding> all = findings_;
  for (unsigned unit = 0; unit < units(); ++unit) {
    const ScUnit& of = parts_.units[unit];
    hw::AddUnitFindings(PrefixOf(unit), of.gpu->Findings(), all);
    if (of.checker != nullptr) hw::AddUnitFindings(PrefixOf(unit), of.checker->findings(), all);
  }
  return all;
}

uint64_t ScGpus::Cycles() { return parts_.units[0].gpu->cycles(); }

uint64_t ScGpus::CyclesEvaluated() {
  uint64_t all = 0;
  for (const ScUnit& unit : parts_.units) all += unit.gpu->cycles_evaluated();
  return all;
}

std::vector<hw::InUse> ScGpus::ResourcesInUse() {
  std::vector<hw::InUse> all;
  for (unsigned unit = 0; unit < units(); ++unit) {
    std::vector<hw::InUse> held = parts_.units[unit].gpu->ResourcesInUse();
    if (const unsigned tags = parts_.units[unit].root_complex->tags_in_use(); tags != 0)
      held.push_back({"pcie_tag", std::to_string(tags) + " of the GPU's reads"});
    hw::AddUnitResources(PrefixOf(unit), held, all);
  }
  if (const size_t accesses = parts_.gpu_link.in_flight(); accesses != 0)
    all.push_back({"bus_slot", std::to_string(accesses) + " accesses on the link between GPUs"});
  return all;
}

void ScGpus::NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) {
  if (unit < units() && parts_.units[unit].checker != nullptr) parts_.units[unit].checker->NoteFlush(space, start, end);
}

void ScGpus::DriveClients(unsigned unit, hw::ClientAccesses* accesses) {
  parts_.units.at(unit).gpu->DriveClients(accesses);
}

void ScGpus::LoseAnswer(unsigned unit, unsigned space, uint64_t va) {
  parts_.units.at(unit).gpu->LoseAnswer(space, va);
}

void ScGpus::HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) {
  ScUnit& held = parts_.units.at(unit);
  held.root_complex->HoldReads(address, until_ns * 1000);
  held.gpu->AllowHostWait((until_ns - parts_.cpu.NowPs() / 1000) * 1000);
}

// ---- the host's side

Remapper* ScHost::iommu() { return iommu_.core(); }

uint64_t ScHost::ReadRegister(uint32_t offset, unsigned size) { return iommu_.ReadRegister(offset, size); }

void ScHost::WriteRegister(uint32_t offset, unsigned size, uint64_t value) {
  iommu_.WriteRegister(offset, size, value);
}

std::vector<hw::Counter> ScHost::Counters() {
  std::vector<hw::Counter> all = iommu_.Counters();
  Append(memory_.Counters(), all);
  for (unsigned unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].checker != nullptr)
      hw::AddUnitCounters(PrefixIn(units_, unit), units_[unit].checker->Counters(), all);
  }
  for (unsigned unit = 0; units_.size() > 1 && unit < units_.size(); ++unit)
    hw::AddUnitCounters(PrefixIn(units_, unit), gpu_link_.Counters(unit), all);
  return all;
}

ScUnit* ScHost::Find(hw::Bdf device) const {
  for (unsigned unit = 0; unit < units_.size(); ++unit)
    if (BdfOf(unit).requester_id() == device.requester_id()) return &units_[unit];
  return nullptr;
}

hw::BusCounts ScHost::BusAccesses(hw::Bdf device) {
  const ScUnit* const unit = Find(device);
  return unit == nullptr ? hw::BusCounts() : unit->root_complex->BusCountsOf(device.requester_id());
}

uint64_t ScHost::PageAccesses(uint64_t pfn) { return memory_.PageAccesses(pfn); }

void ScHost::StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) {
  if (ScUnit* const unit = Find(device)) unit->root_complex->StrayAccess(device.requester_id(), kind, address, data);
}

PageOwners& ScHost::owners() { return memory_.owners(); }

}  // namespace gmmu::sim
