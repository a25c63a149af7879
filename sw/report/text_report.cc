// SPDX-License-Identifier: Apache-2.0
#include "report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/unit_names.h"
#include "os/base/text.h"

namespace gmmu::report {
namespace {

constexpr size_t kMostLeaks = 12, kMostFaults = 12, kMostFindings = 8;

const char* Translation(os::DmaMode mode) {
  switch (mode) {
    case os::DmaMode::kRemapped: return "remapping";
    case os::DmaMode::kIdentity: return "1:1";
    case os::DmaMode::kPhysical: return "off (physical)";
  }
  return "";
}

std::string Translation(const std::vector<os::DmaMode>& modes) {
  std::string text;
  for (const os::DmaMode mode : modes) text += (text.empty() ? "" : ", then ") + std::string(Translation(mode));
  return text.empty() ? Translation(os::DmaMode::kPhysical) : text;
}

std::string Share(uint64_t part, uint64_t whole) {
  if (whole == 0) return "no lookup";
  return fmt::format("{:5.1f} %  ({} of {})", 100.0 * static_cast<double>(part) / static_cast<double>(whole), part,
                     whole);
}

std::string Size(uint64_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
  if (bytes >= 1 << 10) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / (1 << 10));
  return fmt::format("{} B", bytes);
}

std::string Rate(double bytes_per_second, bool slow) {
  return slow ? fmt::format("{:.1f} kB/s", bytes_per_second / 1e3) : fmt::format("{:.3f} GB/s", bytes_per_second / 1e9);
}

/// Returns the number of reads per walk. It is less than the number of levels if some walks started
/// at a walk-cache hit.
std::string Each(uint64_t reads, uint64_t walks) {
  return walks == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(reads) / static_cast<double>(walks));
}

std::string PerWalk(uint64_t cycles, uint64_t walks) {
  return walks == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(cycles) / static_cast<double>(walks));
}

}  // namespace

std::string TextReport(const workload::JobResult& result, const Limits& limits) {
  std::string text;
  auto line = [&text](const std::string& name, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  {:<22}{}\n", name, value);
  };
  auto heading = [&text](const std::string& name) { text += name + "\n"; };
  const auto sum = [&](std::string_view block, std::string_view name) {
    return hw::SumOfUnits(result.counters, block, name);
  };

  if (result.NotApplicable()) return "gmmu run: not applicable: " + result.not_applicable + "\n";
  heading(!result.Passed()  ? "gmmu run: FAILED"
          : result.expected ? "gmmu run: ended as it must"
                            : "gmmu run: verified");
  line("input", fmt::format("{}, {} bytes", limits.input, result.bytes));
  line("bytes verified", fmt::format("{}", result.bytes_verified));
  line("machine", fmt::format("{} engine, {} timing, {} MHz, {}{} clients, IOMMU {}, seed {}", limits.engine,
                              limits.timing, limits.clock_mhz,
                              limits.bus_bytes_per_second > 0 ? fmt::format("{}-bit bus, ", limits.bus_bits) : "",
                              result.clients, Translation(result.modes), limits.seed));
  const bool estimated = limits.timing == "estimated";
  const bool board = limits.engine == "board";
  line(board ? "on the board" : "simulated",
       fmt::format("{:.3f} ms, {} cycles ({})", static_cast<double>(result.simulated_ns) / 1e6, result.cycles,
                   estimated ? "estimated" : fmt::format("{} evaluated", result.cycles_evaluated)));
  line("host", fmt::format("{:.1f} s, {:.0f} cycles per second", result.host_seconds,
                           result.host_seconds > 0 ? static_cast<double>(result.cycles) / result.host_seconds : 0));

  heading(estimated ? "Bandwidth (estimated)" : "Bandwidth");
  for (const workload::Phase& phase : result.phases) {
    if (phase.bytes == 0 || phase.ns == 0) continue;
    const double rate = static_cast<double>(phase.bytes) * 1e9 / static_cast<double>(phase.ns);
    std::string value = fmt::format("{:>10} in {:>9.1f} us  {:>12}", Size(phase.bytes),
                                    static_cast<double>(phase.ns) / 1e3, Rate(rate, board));
    const auto share = [rate](double limit, const char* of) {
      return fmt::format("{:5.1f} % of {}", 100 * rate / limit, of);
    };
    if (limits.bus_bytes_per_second > 0) {
      value += fmt::format("  {:>15}  {}", phase.link ? share(limits.link_bytes_per_second, "link") : "",
                           share(limits.bus_bytes_per_second, "bus"));
    }
    line(phase.name, value);
  }
  if (limits.bus_bytes_per_second > 0) {
    line("limits", fmt::format("link {}, bus {} a direction", Rate(limits.link_bytes_per_second, board),
                               Rate(limits.bus_bytes_per_second, false)));
  } else {
    line("limits", "none: DMA of a device takes no time on a link or a bus");
  }
  if (board) {
    line("serial line", fmt::format("{} bytes down, {} up; {} and {} of them payload; {} frames damaged, {} sent again",
                                    sum("board_link", "bytes_down"), sum("board_link", "bytes_up"),
                                    sum("board_link", "payload_down"), sum("board_link", "payload_up"),
                                    sum("board_link", "damaged_up") + sum("board_link", "damaged_down"),
                                    sum("board_link", "again_up") + sum("board_link", "again_down")));
  }

  heading("Translation");
  line("L1 TLB hits", Share(sum("port", "hits"), sum("port", "lookups")));
  line("L2 TLB hits", Share(sum("gpu_l2", "l2_hits"), sum("gpu_l2", "l2_lookups")));
  line("walk cache, any level", Share(sum("gpu_walk_cache", "wc_hits"), sum("gpu_walk_cache", "wc_lookups")));
  const uint64_t iotlb_hits = sum("iommu", "iotlb_hits");
  const auto translated = [](os::DmaMode mode) { return mode != os::DmaMode::kPhysical; };
  if (std::any_of(result.modes.begin(), result.modes.end(), translated))
    line("IOTLB hits", Share(iotlb_hits, iotlb_hits + sum("iommu", "iotlb_misses")));
  line("aperture map hits", Share(sum("gpu_aperture", "ap_hits"), sum("gpu_aperture", "ap_lookups")));
  const uint64_t walks = sum("gpu_walker", "walks");
  const uint64_t reads = sum("gpu_walker", "table_reads");
  const uint64_t occupied = sum("gpu_walker", "walk_cycles");
  const uint64_t issue = sum("gpu_walker", "walk_issue_cycles");
  const uint64_t memory = sum("gpu_walker", "walk_memory_cycles");
  if (estimated) {
    line("walks", fmt::format("{} walks, {} reads, {} each", walks, reads, Each(reads, walks)));
  } else {
    line("walk latency", fmt::format("{} cycles: {} waiting for the bus, {} for memory, {} else ({} walks, {} reads, "
                                     "{} each)",
                                     PerWalk(occupied, walks), PerWalk(issue, walks), PerWalk(memory, walks),
                                     PerWalk(occupied > issue + memory ? occupied - issue - memory : 0, walks), walks,
                                     reads, Each(reads, walks)));
  }

  // Expected faults and checks are listed after the unexpected ones, under their own heading.
  std::string wrong, expected;
  auto add = [](std::string& to, const std::string& what) { to += "  " + what + "\n"; };
  for (const workload::Check& check : result.checks) {
    if (!check.passed) add(result.expected ? expected : wrong, fmt::format("check \"{}\": {}", check.name, check.text));
  }
  struct Line {
    std::string what;
    uint64_t times;
    bool expected;
  };
  std::vector<Line> faults;  // one line per distinct fault
  std::unordered_map<std::string, size_t> places;
  bool happened = false;
  for (const os::Fault& fault : result.faults) {
    const std::string what = fault.source + ": " + fault.text;
    happened = happened || result.Expected(fault);
    const auto [place, fresh] = places.try_emplace(what, faults.size());
    if (fresh) faults.push_back({what, 0, result.Expected(fault)});
    ++faults[place->second].times;
  }
  for (size_t i = 0; i < faults.size(); ++i) {  // always list the last fault, which ended the run
    const Line& fault = faults[i];
    std::string& to = fault.expected ? expected : wrong;
    if (i < kMostFaults || i + 1 == faults.size())
      add(to, fault.times == 1 ? fault.what : fmt::format("{} ({} times)", fault.what, fault.times));
    else if (i == kMostFaults) add(to, fmt::format("and {} faults more (--json names all)", faults.size() - 1 - i));
  }
  for (size_t i = 0; i < result.findings.size() && i < kMostFindings; ++i)
    add(wrong, fmt::format("{} checker: {}", result.findings[i].probe, result.findings[i].text));
  if (result.findings.size() > kMostFindings)
    add(wrong, fmt::format("and {} findings more (--json names all)", result.findings.size() - kMostFindings));
  // List leaked objects before the pages that they hold, because they are more specific.
  std::vector<os::Leak> leaks = result.leaks;
  std::stable_partition(leaks.begin(), leaks.end(),
                        [](const os::Leak& leak) { return leak.kind != "page" && leak.kind != "pinned_page"; });
  for (size_t i = 0; i < leaks.size() && i < kMostLeaks; ++i) {
    add(wrong, fmt::format("leaked {} {} of {}, created by {}", leaks[i].kind, leaks[i].name, leaks[i].owner,
                           leaks[i].created_by));
  }
  if (leaks.size() > kMostLeaks)
    add(wrong, fmt::format("and {} leaks more (--json names all)", leaks.size() - kMostLeaks));
  if (result.expected && !happened) {
    add(wrong, fmt::format("expected: fault {}{}{}", result.expected->fault,
                           result.expected->stop_code == 0 ? "" : " " + os::Hex(result.expected->stop_code),
                           result.expected->text.empty() ? "" : ", \"" + result.expected->text + "\""));
  }
  if (!wrong.empty()) text += "What went wrong\n" + wrong;
  if (!expected.empty()) text += "What was expected\n" + expected;
  if (result.refusal && !result.refusal->what.empty())
    text += "  refused on purpose: " + result.refusal->what + " in " + result.refusal->inside + "\n";
  if (const uint64_t calls = sum("device", "dma_not_master"); calls != 0)
    text += fmt::format("  refused: {} accesses of host memory by a device that might not be bus master\n", calls);
  for (const std::string& member : result.unmodelled) text += "  declared, not modelled: " + member + "\n";
  if (wrong.empty() && expected.empty())
    line("checks", fmt::format("{} passed, no fault, no leak", result.checks.size()));
  return text;
}

}  // namespace gmmu::report
