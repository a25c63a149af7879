// SPDX-License-Identifier: Apache-2.0
#include "device/machine.h"
#include "platform/engine.h"
#include "platform/machine_parts.h"

namespace gmmu::sim::device {
namespace {

[[noreturn]] void Refuse(const char* what) {
  throw EngineError(std::string("the machine of --device cannot ") + what + ": only this project's GPU can");
}

}  // namespace

std::vector<hw::Counter> Machine::Counters() {
  const FunctionCounts& c = function_->counts();
  std::vector<hw::Counter> all = {
      {"device", "register_reads", c.register_reads, "requests", "Reads of the CPU from BAR 0 and 4."},
      {"device", "register_writes", c.register_writes, "requests", "Writes of the CPU to BAR 0 and 4."},
      {"device", "steps", c.steps, "steps", "Times that the device's step was called."},
      {"device", "interrupts", c.interrupts, "interrupts", "Interrupts that it sent."},
      {"device", "dma_reads", c.dma_reads, "calls", "Its reads of host memory, of any size."},
      {"device", "dma_read_bytes", c.dma_read_bytes, "bytes", "What they asked for."},
      {"device", "dma_writes", c.dma_writes, "calls", "Its writes to host memory, of any size."},
      {"device", "dma_write_bytes", c.dma_write_bytes, "bytes", "What they carried."},
      {"device", "dma_refused", c.refused, "calls",
       "Of them, those that were refused: reads by anybody, writes without bus mastering."},
      {"device", "dma_not_master", c.not_master, "calls", "Of these, those while it might not be bus master."}};
  if (iommu() != nullptr) {
    const auto unit = iommu()->Counters();
    all.insert(all.end(), unit.begin(), unit.end());
  }
  return all;
}

std::vector<hw::Finding> Machine::Findings() { return host_->owners().findings(); }

hw::BusCounts Machine::BusAccesses(hw::Bdf device) { return host_->bus_counts(device.requester_id()); }

uint64_t Machine::PageAccesses(uint64_t pfn) { return host_->PageAccesses(pfn); }

void Machine::NotePages(uint64_t first, uint64_t count, bool owned) { host_->owners().Note(first, count, owned); }

uint64_t Machine::Cycles() { return agenda_.now() / PeriodPs(config_.gpu); }

std::vector<hw::InUse> Machine::ResourcesInUse() { return function_->ResourcesInUse(); }

void Machine::DriveClients(unsigned, hw::ClientAccesses*) { Refuse("make accesses of client ports"); }
void Machine::LoseAnswer(unsigned, unsigned, uint64_t) { Refuse("lose an answer"); }
void Machine::HoldReads(unsigned, uint64_t, uint64_t) { Refuse("hold reads back"); }

void Machine::StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) {
  uint64_t word = data;
  const uint16_t requester = device.requester_id();
  switch (kind) {
    case hw::Stray::kRead: static_cast<void>(host_->Read(requester, address, &word, sizeof word, true)); return;
    case hw::Stray::kWrite: return host_->Write(requester, address, &word, sizeof word, true);
    case hw::Stray::kMessage: return host_->Write(requester, address, &word, sizeof data, true);
  }
}

bool Machine::Access(unsigned unit, Memory memory, uint64_t address, void* bytes, size_t size, bool write) {
  if (unit != 0) return false;
  if (memory == Memory::kLocal) {
    VramCore& local = function_->memory();
    return write ? local.Write(address, bytes, size) : local.Read(address, bytes, size);
  }
  const uint16_t requester = function_->bdf().requester_id();
  if (!write) return host_->Read(requester, address, bytes, size, true);
  host_->Write(requester, address, bytes, size, true);
  return true;
}

}  // namespace gmmu::sim::device
