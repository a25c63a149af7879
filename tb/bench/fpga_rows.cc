// SPDX-License-Identifier: Apache-2.0
// Reports area and speed on the FPGA from the results of the latest `make synth`.
#include "tb/bench/fpga_rows.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef GMMU_SYNTH_RESULT
#define GMMU_SYNTH_RESULT "build/synth.json"
#endif
#ifndef GMMU_SYNTH_BOARD
#define GMMU_SYNTH_BOARD "build/synth-board.json"
#endif

namespace gmmu::bench {
namespace {

constexpr const char* kMachine = "FPGA, as the last make synth found it";

/// Returns false and sets the note of `row` if the file does not exist. Throws if the file cannot be read.
bool Load(const std::string& path, nlohmann::json& result, Row& row) {
  std::ifstream file(path);
  if (!file) {
    row.state = Row::State::kMissing;
    row.note = path.find("board") == std::string::npos ? "run make synth" : "run tools/synth.py --profile board";
    return false;
  }
  result = nlohmann::json::parse(file);
  row.machine = fmt::format("FPGA: {}, {}", result.at("device").get<std::string>(),
                            result.at("config").get<std::string>());
  return true;
}

/// Returns the LUT sites of the block instances at and below `paths`; the empty path stands for the whole design.
double LutSites(const nlohmann::json& cells, const std::vector<std::string>& paths) {
  double all = 0;
  for (const std::string& path : paths) {
    double own = 0;
    for (const auto& [name, cell] : cells.items()) {
      if (path.empty() || name == path || name.rfind(path + ".", 0) == 0) own += cell.at("lut").get<double>();
    }
    if (own == 0) throw std::runtime_error(fmt::format("nothing at {} in the result of make synth", path));
    all += own;
  }
  return all;
}

Row Area(const std::string& name) {
  Row row;
  row.name = "ECP5 LUT sites, " + name;
  row.machine = kMachine;
  row.unit = "LUT";
  row.better = Row::Better::kLess;
  return row;
}

void Add(Measurements& to, const std::string& result_path, const Row& row, const std::vector<std::string>& paths) {
  to.push_back({row, [result_path, paths](Row& into) {
                  nlohmann::json result;
                  if (Load(result_path, result, into)) into.figure = LutSites(result.at("cells"), paths);
                }});
}

}  // namespace

void AddFpgaRowsOf(Measurements& to, const std::string& path, const std::string& board) {
  Add(to, path, Area("whole configuration").Less(32000).Goal(25000), {""});
  Add(to, board, Area("board profile").Less(22000).Goal(16000), {""});
  Add(to, path, Area("copy engine with its translator").Less(3500).Goal(2500),
      {"u_gpu.u_engine.u_mover", "u_gpu.u_mmu.u_engine_l1"});
  Add(to, path, Area("MMU with a 512-entry L2 TLB").Less(9500).Goal(8000), {"u_gpu.u_mmu"});
  Add(to, path, Area("command processor and rings"),
      {"u_gpu.u_engine.u_ring", "u_gpu.u_engine.u_fetch", "u_gpu.u_engine.u_command"});
  const auto add = [&to, &path](const Row& row, const char* key) {
    to.push_back({row, [path, key](Row& into) {
                    nlohmann::json result;
                    if (Load(path, result, into)) into.figure = result.at(key).get<double>();
                  }});
  };
  Row speed;
  speed.name = "ECP5-85F after place and route";
  speed.unit = "MHz";
  speed.machine = kMachine;
  add(speed.More(105).Goal(125), "fmax_mhz");
  Row time;
  time.name = "place and route";
  time.unit = "s";
  time.better = Row::Better::kLess;
  time.machine = kMachine;
  add(time.Less(600), "place_seconds");
}

void AddFpgaRows(Measurements& to) { AddFpgaRowsOf(to, GMMU_SYNTH_RESULT, GMMU_SYNTH_BOARD); }

}  // namespace gmmu::bench
