// SPDX-License-Identifier: Apache-2.0
#include "iommu/vtd/core.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

void Require(bool condition, const char* text) {
  if (!condition) throw std::invalid_argument(std::string("iommu: ") + text);
}

const VtdParameters& Checked(const VtdParameters& p) {
  Require(p.haw >= 32 && p.haw <= 52, "haw must be 32..52");
  Require((p.sagaw & ~0xEu) == 0 && p.sagaw != 0, "sagaw must be some of bits 1, 2 and 3");
  Require(p.mgaw >= 30 && p.mgaw <= 57, "mgaw must be 30..57");
  Require(p.num_fault_records >= 1 && p.num_fault_records <= 256, "num_fault_records must be 1..256");
  Require(p.mamv <= 45, "mamv must be 0..45");
  Require(p.iro >= 0xF && p.iro < 1024, "iro must be 15..1023");
  Require(p.fro >= 0xF && p.fro < 1024, "fro must be 15..1023");
  Require(p.iro < p.fro || p.iro >= p.fro + p.num_fault_records, "iro lies inside the fault records");
  Require(p.iotlb_sets >= 1, "iotlb_sets must be at least 1");
  return p;
}

}  // namespace

const char* NameOf(VtdReason reason) {
  switch (reason) {
    case VtdReason::kNone: return "none";
    case VtdReason::kRootNotPresent: return "root_not_present";
    case VtdReason::kContextNotPresent: return "context_not_present";
    case VtdReason::kContextInvalid: return "context_invalid";
    case VtdReason::kAddressWidth: return "address_width";
    case VtdReason::kNoWrite: return "no_write";
    case VtdReason::kNoRead: return "no_read";
    case VtdReason::kTableUnreadable: return "table_unreadable";
    case VtdReason::kRootUnreadable: return "root_unreadable";
    case VtdReason::kContextUnreadable: return "context_unreadable";
    case VtdReason::kRootReserved: return "root_reserved";
    case VtdReason::kContextReserved: return "context_reserved";
    case VtdReason::kEntryReserved: return "entry_reserved";
    case VtdReason::kAtsBlocked: return "ats_blocked";
    case VtdReason::kInterruptRange: return "interrupt_range";
    case VtdReason::kInterruptReserved: return "interrupt_reserved";
    case VtdReason::kInterruptIndex: return "interrupt_index";
    case VtdReason::kInterruptNotPresent: return "interrupt_not_present";
    case VtdReason::kInterruptUnreadable: return "interrupt_unreadable";
    case VtdReason::kInterruptEntryReserved: return "interrupt_entry_reserved";
    case VtdReason::kInterruptCompatibility: return "interrupt_compatibility";
    case VtdReason::kInterruptSourceBlocked: return "interrupt_source_blocked";
  }
  return "unknown";
}

VtdCore::VtdCore(const VtdParameters& parameters)
    : parameters_(Checked(parameters)),
      log_(parameters.num_fault_records, parameters.collapse_faults),
      contexts_(parameters.context_entries),
      iotlb_(parameters.iotlb_sets, parameters.iotlb_ways),
      tables_(parameters.psc_entries),
      interrupts_(parameters.interrupt_entries) {
  const uint32_t end = std::max(records_offset() + 16 * parameters.num_fault_records, iotlb_offset() + 8);
  register_bytes_ = (end + 0xFFF) & ~uint32_t{0xFFF};
}

void VtdCore::set_message_sink(const VtdMessageSink& sink) {
  log_.event().set_sink(sink);
  completion_.set_sink(sink);
}

std::vector<hw::Counter> VtdCore::Counters() const {
  std::vector<hw::Counter> counters;
  const auto add = [&](const char* name, uint64_t value, const char* unit, const char* text) {
    counters.push_back({"iommu", name, value, unit, text});
  };
  add("requests", count_.requests, "requests", "Requests of devices looked up");
  add("passed", count_.passed, "requests", "Requests passed untranslated (translation off or pass-through)");
  add("interrupts", count_.interrupts, "requests", "Writes to the interrupt window");
  add("bypassed", count_.bypassed, "requests",
      "Requests that ended without a look at the context cache: interrupt window, or translation off");
  add("context_hits", count_.context_hits, "requests", "Requests that hit the context cache at their first look");
  add("context_misses", count_.context_misses, "requests", "Requests that missed it at their first look");
  add("context_ended", count_.context_ended, "requests",
      "Requests that ended without a look at the IOTLB: passed through or blocked by their context");
  add("iotlb_hits", count_.iotlb_hits, "requests", "Requests that hit the IOTLB at their first look");
  add("iotlb_misses", count_.iotlb_misses, "requests", "Requests that missed it at their first look");
  add("table_cache_hits", count_.table_hits, "requests", "IOTLB misses that began below the top table");
  add("table_cache_misses", count_.table_misses, "requests", "IOTLB misses that began at the top table");
  add("missed", count_.missed, "requests", "Requests that the caches did not answer at once");
  add("walks", count_.walks, "walks", "Missed requests that read root, context or paging entries");
  add("waited", count_.waited, "requests", "Missed requests that waited and then needed no read of their own");
  add("walk_reads", count_.reads, "reads", "Reads of root, context and paging entries");
  add("fills_refused", count_.fills_refused, "fills", "Cache fills dropped because an invalidation overtook the walk");
  add("context_invalidations", count_.context_invalidations, "invalidations", "Context cache invalidations");
  add("interrupts_remapped", count_.interrupts_remapped, "requests",
      "Writes to the interrupt window that an entry of the interrupt remapping table replaced");
  add("interrupt_hits", count_.interrupt_hits, "requests",
      "Interrupt requests that hit the cache of the interrupt remapping table");
  add("interrupt_invalidations", count_.interrupt_invalidations, "invalidations",
      "Invalidations of the cache of the interrupt remapping table");
  add("iotlb_invalidations", count_.iotlb_invalidations, "invalidations", "IOTLB invalidations");
  add("entries_dropped", count_.entries_dropped, "entries", "Cache entries dropped by invalidations");
  add("waits", count_.waits, "descriptors", "Wait descriptors completed");
  add("queue_errors", count_.queue_errors, "errors", "Invalidation queue errors");
  add("write_buffer_flushes", count_.flushes, "flushes", "Write buffer flushes by GCMD.WBF");
  add("bad_register_accesses", count_.bad_accesses, "writes", "Register writes of a wrong shape, dropped");
  uint64_t total = 0;
  for (const uint64_t faults : faults_) total += faults;
  add("faults", total, "faults", "Requests blocked with a fault reason");
  add("faults_recorded", log_.recorded(), "faults", "Faults written to a fault record");
  add("faults_lost", log_.lost(), "faults", "Faults not recorded for want of a free record");
  for (size_t reason = 1; reason < faults_.size(); ++reason) {
    const std::string name = NameOf(static_cast<VtdReason>(reason));
    if (name == "unknown") continue;
    counters.push_back({"iommu", "faults_" + name, faults_[reason], "faults",
                        "Requests blocked with reason " + std::to_string(reason)});
  }
  return counters;
}

}  // namespace gmmu::sim
