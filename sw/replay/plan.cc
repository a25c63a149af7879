// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "replay/replay.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kBlock = 65536;
constexpr uint64_t kLookEvery = 1 << 20;

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
  const uint64_t room = options.memory == Memory::kVram ? machine.vram_bytes : std::numeric_limits<uint64_t>::max();
  const auto check_room = [&] {
    if (options.resident_mib != 0 && options.resident_mib << 20 <= room) return;  // of --demand
    if (plan.footprint.pages() * 4096 <= room && plan.footprint.Pieces(piece).size() <= room / piece) return;
    throw ReplayError(options.workload + ": touches more than the " + MiB(room) + " of VRAM can hold in pieces of " +
                      std::to_string(piece >> 10) +
                      " KiB\nGive it more (gpu.vram_mib in --config FILE), fewer "
                      "accesses (--accesses N), or --memory system.");
  };
  const std::unique_ptr<trace::Source> source = open();
  uint64_t read = 0;
  while (auto access = source->Next()) {
    if (read++ < options.skip) continue;
    if (plan.warmup < options.warmup) ++plan.warmup;
    else ++plan.region;
    plan.footprint.Add(access->address, access->bytes);
    if (plan.region == options.accesses) break;
    if (read % kLookEvery != 0) continue;
    check_room();
    if (progress) progress(read, header.count.value_or(0));
  }
  check_room();
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
