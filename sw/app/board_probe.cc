// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "app/board_run.h"
#include "app/cli.h"
#include "app/outputs.h"
#include "board/board.h"
#include "board/probe.h"
#include "host/engine.h"
#include "hw/gmmu_regs.h"

namespace gmmu::app {
namespace {

using Json = nlohmann::ordered_json;
using sim::board::BoardIdentity;
using sim::board::ProbeLink;
using sim::board::ProbeTest;

// Test sizes that a real board handles in a few seconds. A simulated board is hundreds of times
// slower, so its sizes are smaller.
constexpr uint64_t kSampleBytes = 256 << 10, kLinkBytes = 128 << 10, kBoundNs = 5'000'000'000;
constexpr uint64_t kSimulatedSampleBytes = 4 << 10, kSimulatedLinkBytes = 16 << 10, kSimulatedBoundNs = 200'000'000;

struct Outcome {
  std::vector<ProbeTest> tests;
  ProbeLink link;
  std::string error;  ///< the board stopped responding
  bool passed() const {
    return error.empty() && std::all_of(tests.begin(), tests.end(), [](const ProbeTest& test) { return test.passed; });
  }
};

std::string TextOf(const BoardIdentity& id, const std::string& port, const Outcome& outcome) {
  const regs::Cap0 cap0{id.cap0};
  const regs::Cap1 cap1{id.cap1};
  const regs::Cap2 cap2{id.cap2};
  const regs::Id version{id.id};
  std::string text = fmt::format("gmmu probe: {}\n", outcome.passed() ? "passed" : "FAILED");
  const auto line = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<22}{}\n", name, value);
  };
  line("board", fmt::format("{} at {}", id.name, port));
  line("link", fmt::format("version {}, {} bit/s", id.version, id.line_rate));
  line("build", sim::board::BuildName(id.build));
  line("GPU", fmt::format("version {}.{}, {:.3f} MHz, {} MiB of VRAM", version.major(), version.minor(),
                          static_cast<double>(id.clock_hz) / 1e6, id.vram_bytes >> 20));
  line("built",
       fmt::format("{} clients, {} with a traffic engine; {} rings, {} spaces, {}-bit bus, {}-bit addresses, {} levels",
                   cap0.clients(), cap2.traffic(), cap0.rings(), cap0.spaces(), cap0.bus_bytes() * 8, cap0.va_bits(),
                   cap2.levels()));
  line("", fmt::format("L1 {}, L2 {} x {} ways, walk cache {}, {} walks, {} reads", cap1.l1_entries(),
                       cap1.l2_entries(), cap1.l2_ways(), cap1.walk_cache(), cap0.walks(), cap0.reads()));
  for (const ProbeTest& test : outcome.tests)
    line("VRAM " + test.name, fmt::format("{}: {}", test.passed ? "passed" : "FAILED", test.text));
  if (!outcome.error.empty()) {
    line("stopped", outcome.error);
    return text;
  }
  const ProbeLink& link = outcome.link;
  line("round trip", fmt::format("{:.3f} ms, at most {:.3f} ms", static_cast<double>(link.round_trip_ns) / 1e6,
                                 static_cast<double>(link.longest_ns) / 1e6));
  const auto rate = [&](double value) {
    return fmt::format("{:.1f} kB/s of VRAM's bytes, {:.1f} % of the line's {:.1f} kB/s", value / 1e3,
                       100 * value / link.line_rate, link.line_rate / 1e3);
  };
  line("reads", rate(link.read_rate));
  line("writes", rate(link.write_rate));
  line("damaged frames", fmt::format("{} up, {} down", link.damaged_up, link.damaged_down));
  return text;
}

std::string JsonOf(const BoardIdentity& id, const std::string& port, const Outcome& outcome) {
  const regs::Cap0 cap0{id.cap0};
  const regs::Cap1 cap1{id.cap1};
  const regs::Cap2 cap2{id.cap2};
  Json report;
  report["passed"] = outcome.passed();
  report["board"] = {{"name", id.name},
                     {"port", port},
                     {"link_version", id.version},
                     {"build", sim::board::BuildName(id.build)},
                     {"gpu_version", fmt::format("{}.{}", regs::Id{id.id}.major(), regs::Id{id.id}.minor())},
                     {"clock_hz", id.clock_hz},
                     {"line_rate", id.line_rate},
                     {"vram_bytes", id.vram_bytes}};
  report["built"] = {
      {"clients", cap0.clients()},      {"traffic_engines", cap2.traffic()}, {"rings", cap0.rings()},
      {"spaces", cap0.spaces()},        {"data_bits", cap0.bus_bytes() * 8}, {"va_bits", cap0.va_bits()},
      {"levels", cap2.levels()},        {"l1_entries", cap1.l1_entries()},   {"l2_entries", cap1.l2_entries()},
      {"l2_ways", cap1.l2_ways()},      {"walk_cache", cap1.walk_cache()},   {"walks", cap0.walks()},
      {"reads_in_flight", cap0.reads()}};
  report["tests"] = Json::array();
  for (const ProbeTest& test : outcome.tests) {
    report["tests"].push_back(
        {{"name", test.name}, {"passed", test.passed}, {"bytes", test.bytes}, {"text", test.text}});
  }
  report["error"] = outcome.error.empty() ? Json(nullptr) : Json(outcome.error);
  if (outcome.error.empty()) {
    const ProbeLink& link = outcome.link;
    report["link"] = {{"round_trip_ns", link.round_trip_ns},     {"longest_round_trip_ns", link.longest_ns},
                      {"read_bytes_per_second", link.read_rate}, {"write_bytes_per_second", link.write_rate},
                      {"line_bytes_per_second", link.line_rate}, {"damaged_up", link.damaged_up},
                      {"damaged_down", link.damaged_down}};
  }
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int ProbeBoard(const RunArguments& arguments, std::FILE* out) {
  std::unique_ptr<OutputFile> json;
  if (!arguments.json.empty()) json = std::make_unique<OutputFile>(arguments.json);
  const auto board = OpenBoard(arguments);
  const bool simulated = board->simulated();
  const uint64_t bound = simulated ? kSimulatedBoundNs : kBoundNs;
  Outcome outcome;
  try {
    outcome.tests = TestVram(*board, simulated ? kSimulatedSampleBytes : kSampleBytes, bound);
    outcome.link = MeasureLink(*board, simulated ? kSimulatedLinkBytes : kLinkBytes, bound);
  } catch (const sim::EngineError& error) {
    outcome.error = error.what();
  }
  const std::string port = arguments.board.port;
  if (json) {
    const std::string text = JsonOf(board->identity(), port, outcome);
    json->Write(text.data(), text.size());
    json->Commit();
  }
  fmt::print(out, "{}", TextOf(board->identity(), port, outcome));
  std::fflush(out);
  return outcome.passed() ? kExitGood : kExitFailed;
}

}  // namespace gmmu::app
