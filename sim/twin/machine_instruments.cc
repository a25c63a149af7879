// SPDX-License-Identifier: Apache-2.0
#include "hw/unit_names.h"
#include "platform/gpu_counters.h"
#include "probe/translation_checker.h"
#include "probe/wait_checker.h"
#include "twin/gpu.h"
#include "twin/host.h"
#include "twin/machine.h"
#include "twin/tlb_timing.h"

namespace gmmu::sim::twin {
namespace {

/// Whether this engine estimates the counter: it has no estimate of a port's outstanding lookups or of a table read's
/// wait for the bus.
bool Known(const GpuCounter& counter) { return counter.name != "walk_issue_cycles" && counter.name != "cycles"; }

/// The policy's counters that the hardware does not have.
std::vector<hw::Counter> PolicyCountersOf(TlbTiming& timing) {
  const PolicyCounters& c = timing.policy_counters();
  return {{"policy", "prefetch_walks", c.prefetch_walks, "walks", "Walks that nobody waits for; in walks, too."},
          {"policy", "prefetches_dropped", c.prefetches_dropped, "pages", "Not mapped, or no walker was free."},
          {"policy", "not_kept", c.not_kept, "entries", "Entries that the policy gave no place in a TLB."},
          {"policy", "l3_lookups", c.l3_lookups, "lookups", "Lookups of the third TLB."},
          {"policy", "l3_hits", c.l3_hits, "lookups", "Of them, that found their page."},
          {"policy", "pte_cache_lookups", c.pte_cache_lookups, "reads",
           "Table words that walks asked their data cache for."},
          {"policy", "pte_cache_hits", c.pte_cache_hits, "reads", "Of them, that it had; they are no table_reads."},
          {"policy", "queued_walks", c.queued_walks, "walks", "Walks that came through the queue."},
          {"policy", "queued_cycles", c.queued_cycles, "cycles", "That they waited in it, added up."},
          {"policy", "joined_lines", c.joined_lines, "walks", "Walks that became one with another of their line."},
          {"policy", "stalls", c.stalls, "accesses", "Times that an access stalled for a page that is not mapped."}};
}

}  // namespace

std::vector<hw::Counter> Machine::Counters() {
  std::vector<hw::Counter> all;
  for (const auto& gpu : gpus_) {
    const std::string prefix = hw::UnitPrefix(gpu->unit(), units());
    for (const GpuCounter& counter : GpuCounters(gpu->built().clients)) {
      all.push_back({prefix + counter.block, counter.name, gpu->ReadRegister(counter.offset), counter.unit,
                     counter.description, Known(counter)});
    }
    all.push_back({prefix + "vram", "bits_flipped", gpu->memory().bits_flipped(), "bits", "Bits damaged on purpose."});
    all.push_back(
        {prefix + "host_port", "writes_lost", gpu->memory().writes_lost(), "bursts", "Fence records lost on purpose."});
    if (gpu->policy_stated()) hw::AddUnitCounters(prefix, PolicyCountersOf(gpu->mmu().timing()), all);
    if (gpu->checker() != nullptr) hw::AddUnitCounters(prefix, gpu->checker()->Counters(), all);
    if (units() > 1) hw::AddUnitCounters(prefix, peers_.wires().Counters(gpu->unit()), all);
  }
  all.push_back(
      {"root_complex", "cpu_requests", requests_, "requests", "Register, window and configuration reads of the CPU."});
  all.push_back({"root_complex", "cpu_writes", writes_, "requests", "Posted writes of the CPU."});
  if (iommu() != nullptr) {
    const auto unit = iommu()->Counters();
    all.insert(all.end(), unit.begin(), unit.end());
  }
  return all;
}

std::vector<hw::Finding> Machine::Findings() {
  std::vector<hw::Finding> all = host_->owners().findings();
  for (const auto& gpu : gpus_) {
    if (gpu->checker() == nullptr) continue;
    hw::AddUnitFindings(hw::UnitPrefix(gpu->unit(), units()), gpu->checker()->findings(), all);
    hw::AddUnitFindings(hw::UnitPrefix(gpu->unit(), units()), gpu->waits()->findings(), all);
  }
  return all;
}

hw::BusCounts Machine::BusAccesses(hw::Bdf device) { return host_->bus_counts(device.requester_id()); }

uint64_t Machine::PageAccesses(uint64_t pfn) { return host_->PageAccesses(pfn); }

void Machine::NotePages(uint64_t first, uint64_t count, bool owned) { host_->owners().Note(first, count, owned); }

void Machine::NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) {
  if (unit < units() && gpus_[unit]->checker() != nullptr) gpus_[unit]->checker()->NoteFlush(space, start, end);
}

void Machine::DriveClients(unsigned unit, hw::ClientAccesses* accesses) { gpus_.at(unit)->DriveClients(accesses); }

void Machine::LoseAnswer(unsigned unit, unsigned space, uint64_t va) { gpus_.at(unit)->LoseAnswer(space, va); }

void Machine::HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) {
  gpus_.at(unit)->HoldReads(address, until_ns * 1000);
}

void Machine::StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) {
  uint64_t word = data;
  const uint16_t requester = device.requester_id();
  switch (kind) {
    case hw::Stray::kRead: static_cast<void>(host_->Read(requester, address, &word, sizeof word, true)); return;
    case hw::Stray::kWrite: return host_->Write(requester, address, &word, sizeof word, true);
    case hw::Stray::kMessage: return host_->Write(requester, address, &word, sizeof data, true);
  }
}

uint64_t Machine::Cycles() { return gpus_[0]->time().CycleAt(agenda_.now()); }

std::vector<hw::InUse> Machine::ResourcesInUse() {
  std::vector<hw::InUse> all = parameters_.in_use;
  for (const auto& gpu : gpus_) {
    hw::AddUnitResources(hw::UnitPrefix(gpu->unit(), units()), gpu->ResourcesInUse(), all);
  }
  return all;
}

}  // namespace gmmu::sim::twin
