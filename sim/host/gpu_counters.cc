// SPDX-License-Identifier: Apache-2.0
#include "host/gpu_counters.h"

#include "hw/gmmu_regs.h"

namespace gmmu::sim {
namespace {

struct Row {
  const char* block;
  const char* name;
  uint32_t offset;
  const char* unit;
  const char* description;
};

constexpr Row kPortRows[] = {
    {"", "lookups", regs::PortCountersLookups::kOffset, "requests", "Accepted translation requests."},
    {"", "hits", regs::PortCountersHits::kOffset, "requests", "Answered from the L1 TLB."},
    {"", "misses", regs::PortCountersMisses::kOffset, "requests",
     "Answered from the L2 TLB or by a walk of their own."},
    {"", "merged", regs::PortCountersMerged::kOffset, "requests", "Answered by another request's miss or walk."},
    {"", "faults", regs::PortCountersFaults::kOffset, "requests", "Answered with a fault."},
    {"", "cycles", regs::PortCountersCycles::kOffset, "cycles", "Accept to answer, summed over all lookups."},
};

constexpr Row kSharedRows[] = {
    {"gpu_l2", "l2_lookups", regs::CountersL2Lookups::kOffset, "requests", "L2 TLB lookups."},
    {"gpu_l2", "l2_hits", regs::CountersL2Hits::kOffset, "requests", "L2 TLB hits."},
    {"gpu_l2", "l2_misses", regs::CountersL2Misses::kOffset, "requests", "L2 TLB misses that began a walk."},
    {"gpu_l2", "l2_merged", regs::CountersL2Merged::kOffset, "requests", "L2 TLB misses that joined a walk under way."},
    {"gpu_l2", "l2_fills", regs::CountersL2Fills::kOffset, "fills", "L2 TLB blocks filled."},
    {"gpu_l2", "l2_evictions", regs::CountersL2Evictions::kOffset, "evictions", "L2 TLB blocks evicted."},
    {"gpu_walker", "walks", regs::CountersWalks::kOffset, "walks", "Walks begun."},
    {"gpu_walker", "walks_ok", regs::CountersWalksOk::kOffset, "walks", "Walks that ended in a translation."},
    {"gpu_walker", "walks_fault", regs::CountersWalksFault::kOffset, "walks", "Walks that ended in a fault."},
    {"gpu_walker", "walks_redone", regs::CountersWalksRedone::kOffset, "walks",
     "Walks done again after an invalidation."},
    {"gpu_walker", "table_reads", regs::CountersTableReads::kOffset, "bursts", "Table reads issued."},
    {"gpu_walker", "walk_issue_cycles", regs::CountersWalkIssueCycles::kOffset, "cycles",
     "Rows waiting for the bus to take a table read."},
    {"gpu_walker", "walk_memory_cycles", regs::CountersWalkMemoryCycles::kOffset, "cycles",
     "Rows waiting for table data."},
    {"gpu_walker", "walk_cycles", regs::CountersWalkCycles::kOffset, "cycles", "Rows occupied."},
    {"gpu_walk_cache", "wc_lookups", regs::CountersWcLookups::kOffset, "lookups", "Walk cache lookups."},
    {"gpu_walk_cache", "wc_hits", regs::CountersWcHits::kOffset, "lookups", "Walk cache hits at any level."},
    {"gpu_mmu", "invalidations", regs::CountersInvalidations::kOffset, "invalidations", "Invalidations completed."},
    {"gpu_mmu", "invalidation_cycles", regs::CountersInvalidationCycles::kOffset, "cycles",
     "Begin to end of invalidations, summed."},
    {"gpu_aperture", "ap_lookups", regs::CountersApLookups::kOffset, "lookups", "Aperture lookups."},
    {"gpu_aperture", "ap_hits", regs::CountersApHits::kOffset, "lookups",
     "Aperture lookups answered from the map's cache."},
    {"gpu_engine", "ring_entries", regs::CountersRingEntries::kOffset, "entries", "Ring entries completed."},
    {"gpu_engine", "commands", regs::CountersCommands::kOffset, "commands", "Commands completed."},
    {"gpu_engine", "copy_read_bytes", regs::CountersCopyReadBytes::kOffset, "bytes", "Bytes read by copies."},
    {"gpu_engine", "copy_write_bytes", regs::CountersCopyWriteBytes::kOffset, "bytes",
     "Bytes written by copies, fills and table commands."},
    {"gpu_engine", "engine_cycles", regs::CountersEngineCycles::kOffset, "cycles", "Paging engine busy."},
    {"gpu_bus", "messages", regs::CountersMessages::kOffset, "messages", "Interrupt messages sent."},
    {"gpu_bus", "fault_records", regs::CountersFaultRecords::kOffset, "records", "Fault records written."},
    {"gpu_bus", "vram_read_bytes", regs::CountersVramReadBytes::kOffset, "bytes", "Read through the VRAM port."},
    {"gpu_bus", "vram_write_bytes", regs::CountersVramWriteBytes::kOffset, "bytes", "Written through the VRAM port."},
    {"gpu_bus", "host_read_bytes", regs::CountersHostReadBytes::kOffset, "bytes", "Read through the host port."},
    {"gpu_bus", "host_write_bytes", regs::CountersHostWriteBytes::kOffset, "bytes", "Written through the host port."},
    {"gpu_clients", "client_read_bytes", regs::CountersClientReadBytes::kOffset, "bytes", "Read by clients."},
    {"gpu_clients", "client_write_bytes", regs::CountersClientWriteBytes::kOffset, "bytes", "Written by clients."},
    {"gpu_clients", "client_cycles", regs::CountersClientCycles::kOffset, "cycles", "At least one client run busy."},
};

}  // namespace

std::vector<GpuCounter> GpuCounters(unsigned clients) {
  std::vector<GpuCounter> all;
  static constexpr const char* kEngine[] = {"port_engine_fetch", "port_engine_read", "port_engine_write"};
  for (unsigned port = 0; port < clients + 3; ++port) {
    const std::string block = port < clients ? "port_client" + std::to_string(port) : kEngine[port - clients];
    for (const Row& row : kPortRows) {
      all.push_back({block, row.name, regs::kPortCountersBase + port * regs::kPortCountersStride + row.offset, row.unit,
                     row.description});
    }
  }
  for (const Row& row : kSharedRows) {
    all.push_back({row.block, row.name, regs::kCountersBase + row.offset, row.unit, row.description});
  }
  return all;
}

}  // namespace gmmu::sim
