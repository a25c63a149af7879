// SPDX-License-Identifier: Apache-2.0
#include "host/agenda.h"
#include "host/gpu_counters.h"
#include "host/machine_parts.h"
#include "host/plain_host.h"
#include "hw/unit_names.h"
#include "probe/translation_checker.h"
#include "probe/wait_checker.h"
#include "twin/gpu.h"
#include "twin/gpus.h"
#include "twin/peers.h"
#include "twin/tlb_timing.h"

namespace gmmu::sim::twin {
namespace {

/// Whether this engine estimates the counter. It does not estimate the outstanding lookups of a
/// port or the time that a table read waits for the bus.
bool Known(const GpuCounter& counter) { return counter.name != "walk_issue_cycles" && counter.name != "cycles"; }

/// Returns the counters that exist only with a policy.
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

std::string Gpus::PrefixOf(const Gpu& gpu) const { return hw::UnitPrefix(gpu.unit(), units()); }

std::vector<hw::Counter> Gpus::Counters() {
  std::vector<hw::Counter> all;
  for (const auto& gpu : gpus_) {
    const std::string prefix = PrefixOf(*gpu);
    for (const GpuCounter& counter : GpuCounters(gpu->built().clients)) {
      all.push_back({prefix + counter.block, counter.name, gpu->ReadRegister(counter.offset), counter.unit,
                     counter.description, Known(counter)});
    }
    all.push_back({prefix + "vram", "bits_flipped", gpu->memory().bits_flipped(), "bits", "Bits damaged on purpose."});
    all.push_back(
        {prefix + "host_port", "writes_lost", gpu->memory().writes_lost(), "bursts", "Fence records lost on purpose."});
    if (gpu->policy_stated()) hw::AddUnitCounters(prefix, PolicyCountersOf(gpu->mmu().timing()), all);
    if (gpu->checker() != nullptr) hw::AddUnitCounters(prefix, gpu->checker()->Counters(), all);
    if (units() > 1) hw::AddUnitCounters(prefix, peers_->wires().Counters(gpu->unit()), all);
  }
  AddCpuCounters(requests_, writes_, all);
  return all;
}

std::vector<hw::Finding> Gpus::Findings() {
  std::vector<hw::Finding> all;
  for (const auto& gpu : gpus_) {
    if (gpu->checker() == nullptr) continue;
    hw::AddUnitFindings(PrefixOf(*gpu), gpu->checker()->findings(), all);
    hw::AddUnitFindings(PrefixOf(*gpu), gpu->waits()->findings(), all);
  }
  return all;
}

uint64_t Gpus::CyclesEvaluated() { return host_.agenda.acts(); }

uint64_t Gpus::Cycles() { return gpus_[0]->time().CycleAt(host_.agenda.now()); }

std::vector<hw::InUse> Gpus::ResourcesInUse() {
  std::vector<hw::InUse> all;
  if (tag_is_lost_) all.push_back(LostTag());
  for (const auto& gpu : gpus_) hw::AddUnitResources(PrefixOf(*gpu), gpu->ResourcesInUse(), all);
  return all;
}

void Gpus::NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) {
  if (unit < units() && gpus_[unit]->checker() != nullptr) gpus_[unit]->checker()->NoteFlush(space, start, end);
}

void Gpus::DriveClients(unsigned unit, hw::ClientAccesses* accesses) { gpu(unit).DriveClients(accesses); }

void Gpus::LoseAnswer(unsigned unit, unsigned space, uint64_t va) { gpu(unit).LoseAnswer(space, va); }

void Gpus::HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) {
  gpu(unit).HoldReads(address, until_ns * 1000);
}

}  // namespace gmmu::sim::twin
