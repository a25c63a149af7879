// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "replay/replay.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kBlock = 65536;
constexpr uint64_t kLookEvery = 1 << 20;
constexpr uint64_t kOwnShare = 1 << 20;  // generous share of VRAM for the system's own tables

std::string MiB(uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

void CheckOptions(const Options& options, const trace::Header& header, const MachineFacts& machine) {
  if (header.addresses == trace::Addresses::kPhysical) {
    throw ReplayError(options.workload +
                      ": has physical addresses, whose translation was over when they were recorded\n"
                      "Record or import it with virtual addresses.");
  }
  if (options.compute_units > machine.client_ports) {
    throw ReplayError("--compute-units " + std::to_string(options.compute_units) + ": the GPU has " +
                      std::to_string(machine.client_ports) +
                      " client ports\nGive at most that many, or gpu.clients in --config FILE.");
  }
  if (options.fragmented != 0 && options.page_size == PageSize::k64k)
    throw ReplayError("--fragmented does not go with --page-size 64k: such a page is never in pieces");
  if (options.fragmented != 0 && options.memory == Memory::kSystem)
    throw ReplayError("--fragmented does not go with --memory system, whose pages are scattered and remapped");
  if (options.memory == Memory::kSystem && options.page_size == PageSize::k2m)
    throw ReplayError("--page-size 2m does not go with --memory system: large pages are VRAM");
  if (options.demand && (options.memory == Memory::kSystem || options.page_size == PageSize::k2m))
    throw ReplayError(
        "--demand brings pieces of 64 KiB into VRAM: it does not go with --memory system or --page-size 2m");
  const Options initial;
  if (!options.demand && (options.batch != initial.batch || options.prefetch_tree || options.prefetch != 0 ||
                          options.resident_mib != 0 || options.evict != initial.evict))
    throw ReplayError("--batch, --prefetch, --resident and --evict are those of --demand; give it, or none of them");
  if (options.resident_mib != 0 && options.resident_mib << 20 < uint64_t{options.batch} * kBlock)
    throw ReplayError("--resident " + std::to_string(options.resident_mib) + " MiB does not hold a batch of " +
                      std::to_string(options.batch) + " pieces of 64 KiB\nGive more of it, or a smaller --batch.");
  if (options.gap != 0 && header.loop == trace::Loop::kOpen)
    throw ReplayError("--gap does not go with " + options.workload + ", which states when its accesses arrive");
}

/// Returns the VRAM that the footprint's page tables take, in bytes.
uint64_t TableBytes(const Options& options, const Footprint& footprint, const MachineFacts& machine) {
  uint64_t bytes = 0;
  for (size_t level = 0; level < machine.levels.size(); ++level) {
    const MachineFacts::Level& each = machine.levels[level];
    if (level == 0 && options.page_size == PageSize::k2m && options.fragmented == 0) continue;
    // Unless gaps are kept, touched regions are packed, so the upper levels need few tables.
    const uint64_t span = Rebase::Span(footprint, std::min(each.covers, kLargePage), options.keep_gaps);
    const uint64_t touched = footprint.Pieces(each.covers).size();
    bytes += each.bytes * std::min(touched, (span + each.covers - 1) / each.covers);
  }
  return bytes;
}

/// Throws ReplayError if the pages and page tables do not fit in VRAM. Other uses of VRAM are not
/// considered; if they leave too little room, the system runs out of memory later (WithRoom).
void CheckRoom(const Options& options, const Footprint& footprint, const MachineFacts& machine, uint64_t piece) {
  const auto refuse = [&](const std::string& what) {
    throw ReplayError(options.workload + ": " + what + "\n" + kMoreRoom);
  };
  const bool vram = options.memory == Memory::kVram;
  uint64_t pages = vram ? footprint.pages() * 4096 : 0;
  if (vram && pages <= machine.vram_bytes) pages = footprint.Pieces(piece).size() * piece;
  if (options.resident_mib != 0) pages = std::min(pages, options.resident_mib << 20);  // set with --demand
  if (pages > machine.vram_bytes) {
    refuse("touches more than the " + MiB(machine.vram_bytes) + " of VRAM can hold in pieces of " +
           std::to_string(piece >> 10) + " KiB");
  }
  const uint64_t tables = TableBytes(options, footprint, machine);
  const uint64_t visible = machine.visible_bytes != 0 ? machine.visible_bytes : machine.vram_bytes;
  if (tables > visible)
    refuse("needs " + MiB(tables) + " of page tables, and the CPU sees " + MiB(visible) + " of VRAM, where they lie");
  // With --demand, the system's own tables also count, because pages that fault in later still need
  // room for tables.
  if (pages + tables + (options.demand ? kOwnShare : 0) > machine.vram_bytes) {
    refuse("needs " + MiB(pages) + " for pages and " + MiB(tables) + " for page tables, of " + MiB(machine.vram_bytes) +
           " of VRAM");
  }
}

}  // namespace

Plan MakePlan(const Options& options, const trace::Header& header, const Opener& open, const MachineFacts& machine,
              const std::function<void(uint64_t, uint64_t)>& progress) {
  CheckOptions(options, header, machine);
  Plan plan;
  plan.options = options;
  plan.header = header;
  plan.period_ps = machine.period_ps;
  if (plan.options.compute_units == 0) plan.options.compute_units = machine.client_ports;
  if (plan.options.window == 0) plan.options.window = std::max<uint32_t>(header.window, 1);

  const uint64_t piece = options.page_size == PageSize::k2m ? kLargePage : kBlock;
  const std::unique_ptr<trace::Source> source = open();
  uint64_t read = 0;
  while (auto access = source->Next()) {
    if (read++ < options.skip) continue;
    if (plan.warmup < options.warmup) ++plan.warmup;
    else ++plan.region;
    plan.footprint.Add(access->address, access->bytes);
    if (plan.region == options.accesses) break;
    if (read % kLookEvery != 0) continue;
    if (plan.footprint.pages() * 4096 > machine.vram_bytes) CheckRoom(options, plan.footprint, machine, piece);
    if (progress) progress(read, header.count.value_or(0));
  }
  CheckRoom(options, plan.footprint, machine, piece);
  if (plan.region == 0) {
    throw ReplayError(options.workload + ": has " + std::to_string(read) + " accesses, and --skip " +
                      std::to_string(options.skip) + " and --warmup " + std::to_string(options.warmup) +
                      " leave none to measure\nGive smaller ones.");
  }
  const uint64_t most = uint64_t{1} << (std::min(machine.va_bits, 62u) - 1);
  if (Rebase::Span(plan.footprint, kLargePage, options.keep_gaps) > most) {
    throw ReplayError(options.workload + ": its regions of 2 MiB need more than half of 2^" +
                      std::to_string(machine.va_bits) + " bytes of GPU virtual addresses\nGive " +
                      (options.keep_gaps ? "no --keep-gaps" : "fewer accesses (--accesses N)") +
                      ", or more gpu.va_bits in --config FILE.");
  }
  return plan;
}

}  // namespace gmmu::replay
