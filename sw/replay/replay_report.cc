// SPDX-License-Identifier: Apache-2.0
#include "replay/replay_report.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "events/histogram_json.h"
#include "hw/unit_names.h"
#include "os/base/text.h"
#include "report/json_report.h"
#include "workload/job.h"

namespace gmmu::replay {
namespace {

using Json = nlohmann::ordered_json;
using events::Histogram;
using events::JsonOf;

constexpr const char* kKinds[] = {"read", "write", "execute"};

const char* NameOf(trace::Loop loop) { return loop == trace::Loop::kOpen ? "open" : "closed"; }

/// Returns the counters that have grown, grouped by block. Counters that have not grown are
/// omitted.
Json Of(const std::vector<hw::Counter>& counters) {
  Json json = Json::object();
  for (const hw::Counter& counter : counters)
    if (counter.value != 0) json[counter.block][counter.name] = counter.value;
  return json;
}

Json Of(const DemandTally& demand) {
  Json json = {{"far_faults", demand.far_faults},
               {"batches", demand.batches},
               {"faulted", demand.faulted},
               {"prefetched", demand.prefetched},
               {"prefetch_used", demand.prefetch_used},
               {"evicted", demand.evicted},
               {"written_back", demand.written_back},
               {"bytes_in", demand.bytes_in},
               {"bytes_out", demand.bytes_out}};
  json["batch_pieces"] = JsonOf(demand.batch_pieces, false);
  json["batch_cycles"] = JsonOf(demand.batch_cycles, false);
  json["wait_cycles"] = JsonOf(demand.wait_cycles, true);
  return json;
}

Json Of(const PhaseResult& phase, bool demand) {
  const Tally& tally = phase.tally;
  Json json = {{"name", phase.name},
               {"accesses", tally.accesses},
               {"merged", tally.merged},
               {"requests", tally.requests},
               {"bytes", tally.bytes},
               {"faults", tally.faults},
               {"first_cycle", tally.cycles() == 0 ? 0 : tally.first_cycle},
               {"cycles", tally.cycles()}};
  json["latency"] = JsonOf(tally.latency, true);
  json["port_latency"] = JsonOf(tally.port_latency, true);
  json["by_kind"] = Json::object();
  for (size_t kind = 0; kind < tally.by_kind.size(); ++kind)
    if (tally.by_kind[kind].count() != 0) json["by_kind"][kKinds[kind]] = JsonOf(tally.by_kind[kind], false);
  json["by_client"] = Json::array();
  for (const Histogram& client : tally.by_client) json["by_client"].push_back(JsonOf(client, false));
  json["counters"] = Of(phase.counters);
  if (demand) json["demand"] = Of(phase.demand);
  json["epochs"] = Json::array();
  for (const Row& row : phase.rows) {
    json["epochs"].push_back({{"first_cycle", row.first_cycle},
                              {"last_cycle", row.last_cycle},
                              {"accesses", row.tally.accesses},
                              {"latency", JsonOf(row.tally.latency, false)},
                              {"counters", Of(row.counters)}});
  }
  return json;
}

Json Of(const Plan& plan) {
  const Options& o = plan.options;
  return {{"workload", o.workload},
          {"name", plan.header.name},
          {"provenance", plan.header.provenance},
          {"loop", NameOf(plan.header.loop)},
          {"seed", o.seed},
          {"compute_units", o.compute_units},
          {"warps", o.warps},
          {"window", o.window},
          {"gap", o.gap},
          {"assign", WordOf(kAssigns, o.assign)},
          {"coalesce", o.coalesce},
          {"skip", o.skip},
          {"warmup", plan.warmup},
          {"accesses", plan.region},
          {"epoch", o.epoch},
          {"epoch_cycles", o.epoch_cycles},
          {"page_size", WordOf(kPageSizes, o.page_size)},
          {"memory", WordOf(kMemories, o.memory)},
          {"keep_gaps", o.keep_gaps},
          {"fragmented", o.fragmented},
          {"demand", o.demand},
          {"batch", o.batch},
          {"prefetch", o.prefetch_tree   ? "tree"
                       : o.prefetch == 0 ? "none"
                                         : std::to_string(o.prefetch)},
          {"resident_mib", o.resident_mib},
          {"evict", WordOf(kEvicts, o.evict)}};
}

std::string Share(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:5.1f} %  ({} of {})", 100.0 * static_cast<double>(part) / static_cast<double>(whole), part,
                     whole);
}

std::string Latencies(const Histogram& histogram) {
  std::string text = fmt::format("mean {:.1f}", histogram.mean());
  for (const auto& quantile : events::kQuantiles)
    text += fmt::format("  {} {}", quantile.name, histogram.Quantile(quantile.permyriad));
  return text + fmt::format("  max {}", histogram.max());
}

class Text {
 public:
  void Heading(const std::string& name) { text_ += name + "\n"; }
  void Line(const std::string& name, const std::string& value) {
    fmt::format_to(std::back_inserter(text_), "  {:<22}{}\n", name, value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void Add(Text& text, const PhaseResult& phase, const report::Limits& limits) {
  const Tally& tally = phase.tally;
  const auto cycles = static_cast<double>(std::max<uint64_t>(tally.cycles(), 1));
  text.Heading(limits.timing == "estimated" ? phase.name + " (estimated times)" : phase.name);
  text.Line("accesses", fmt::format("{}, {} of them merged, {} requests, {} bytes", tally.accesses, tally.merged,
                                    tally.requests, tally.bytes));
  text.Line("cycles",
            fmt::format("{}, {:.2f} accesses per thousand, {:.3f} GB/s", tally.cycles(),
                        1000 * static_cast<double>(tally.accesses) / cycles,
                        static_cast<double>(tally.bytes) / cycles * static_cast<double>(limits.clock_mhz) / 1000));
  text.Line("latency, cycles", Latencies(tally.latency));
  for (size_t kind = 0; kind < tally.by_kind.size(); ++kind) {
    const Histogram& latency = tally.by_kind[kind];
    if (latency.count() != 0 && latency.count() != tally.latency.count())
      text.Line(std::string("  ") + kKinds[kind], Latencies(latency));
  }
  for (size_t client = 0; tally.by_client.size() > 1 && client < tally.by_client.size(); ++client) {
    const Histogram& latency = tally.by_client[client];
    if (latency.count() != 0) text.Line("  client " + std::to_string(client), Latencies(latency));
  }
  text.Line("at the port, cycles", Latencies(tally.port_latency));
  const auto sum = [&](const char* block, const char* name) { return hw::SumOfUnits(phase.counters, block, name); };
  text.Line("L1 TLB hits", Share(sum("port_client", "hits"), sum("port_client", "lookups")));
  text.Line("L2 TLB hits", Share(sum("gpu_l2", "l2_hits"), sum("gpu_l2", "l2_lookups")));
  text.Line("walk cache, any level", Share(sum("gpu_walk_cache", "wc_hits"), sum("gpu_walk_cache", "wc_lookups")));
  const uint64_t iotlb_hits = sum("iommu", "iotlb_hits");
  text.Line("IOTLB hits", Share(iotlb_hits, iotlb_hits + sum("iommu", "iotlb_misses")));
  const uint64_t walks = sum("gpu_walker", "walks"), reads = sum("gpu_walker", "table_reads");
  text.Line("walks",
            fmt::format("{}, {} table reads ({} a walk), {} occupied cycles", walks, reads,
                        walks == 0 ? "-"
                                   : fmt::format("{:.2f}", static_cast<double>(reads) / static_cast<double>(walks)),
                        sum("gpu_walker", "walk_cycles")));
  if (const DemandTally& demand = phase.demand; demand.batches != 0) {
    text.Line("far faults", fmt::format("{} accesses in {} batches; pieces: {} faulted, {} prefetched ({} used), {} "
                                        "evicted, {} written back",
                                        demand.far_faults, demand.batches, demand.faulted, demand.prefetched,
                                        demand.prefetch_used, demand.evicted, demand.written_back));
    text.Line("  wait, cycles", Latencies(demand.wait_cycles));
    text.Line("  batch, cycles", Latencies(demand.batch_cycles));
  }
  if (phase.rows.empty()) return;
  text.Line("epochs", "cycle, accesses, mean, p99, L1 misses, walks");
  for (const Row& row : phase.rows) {
    const uint64_t misses = hw::SumOfUnits(row.counters, "port_client", "lookups") -
                            hw::SumOfUnits(row.counters, "port_client", "hits");
    text.Line("", fmt::format("{:>12} {:>9} {:>9.1f} {:>8} {:>9} {:>8}", row.last_cycle, row.tally.accesses,
                              row.tally.latency.mean(), row.tally.latency.Quantile(9'900), misses,
                              hw::SumOfUnits(row.counters, "gpu_walker", "walks")));
  }
}

}  // namespace

std::string TextReport(const Plan& plan, const Result& result, const workload::JobResult& job,
                       const report::Limits& limits) {
  const Options& o = plan.options;
  Text text;
  text.Heading(job.Passed() ? "gmmu replay: verified" : "gmmu replay: FAILED");
  text.Line("workload", fmt::format("{}, {} loop", o.workload, NameOf(plan.header.loop)));
  text.Line("provenance", plan.header.provenance);
  text.Line("machine", fmt::format("{} engine, {} timing, {} MHz, {}-bit bus, seed {}", limits.engine, limits.timing,
                                   limits.clock_mhz, limits.bus_bits, limits.seed));
  text.Line("clients",
            fmt::format("{} compute units of {} warps, window {}, gap {}", o.compute_units, o.warps, o.window, o.gap));
  const BackingFacts& b = result.backing;
  text.Line("pages",
            fmt::format("{} touched of 4 KiB; {} pieces of {} KiB in {}, {} of them whole; {} regions of {} KiB",
                        b.touched_pages, b.pieces, b.piece_bytes >> 10, WordOf(kMemories, o.memory), b.whole_pieces,
                        b.regions, b.region_bytes >> 10));
  for (const PhaseResult& phase : result.phases) Add(text, phase, limits);
  text.Line("host", fmt::format("{:.1f} s, {} cycles in all", job.host_seconds, job.cycles));
  for (const workload::Check& check : job.checks)
    if (!check.passed) text.Line("check failed", check.name + ": " + check.text);
  for (const os::Fault& fault : job.faults) text.Line("fault", fault.source + ": " + fault.text);
  for (const hw::Finding& finding : job.findings) text.Line("finding", finding.probe + " checker: " + finding.text);
  for (const os::Leak& leak : job.leaks) text.Line("leak", leak.kind + " " + leak.name + " of " + leak.owner);
  return text.Take();
}

std::string JsonReport(const Plan& plan, const Result& result, const workload::JobResult& job,
                       const report::Limits& limits) {
  Json json = Json::parse(report::JsonReport(job, limits));
  Json replay = {{"schema", 1}, {"options", Of(plan)}};
  const BackingFacts& b = result.backing;
  replay["pages"] = {{"touched", b.touched_pages},   {"pieces", b.pieces},
                     {"piece_bytes", b.piece_bytes}, {"whole_pieces", b.whole_pieces},
                     {"regions", b.regions},         {"region_bytes", b.region_bytes},
                     {"va", os::Hex(b.va)}};
  replay["phases"] = Json::array();
  for (const PhaseResult& phase : result.phases) replay["phases"].push_back(Of(phase, plan.options.demand));
  json["replay"] = std::move(replay);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gmmu::replay
