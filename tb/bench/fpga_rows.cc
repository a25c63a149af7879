// SPDX-License-Identifier: Apache-2.0
// Area and speed on the FPGA, as the last `make synth` wrote them.
#include "tb/bench/fpga_rows.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#ifndef GMMU_SYNTH_RESULT
#define GMMU_SYNTH_RESULT "build/synth.json"
#endif

namespace gmmu::bench {
namespace {

constexpr const char* kMachine = "FPGA, as the last make synth found it";

struct Part {
  const char* block;
  unsigned instances;  ///< so many of the block's instances count; 0: all
};

/// False when there is no result; `row` says so then. Throws for a file that cannot be read.
bool Load(const std::string& path, nlohmann::json& result, Row& row) {
  std::ifstream file(path);
  if (!file) {
    row.state = Row::State::kMissing;
    row.note = "run make synth";
    return false;
  }
  result = nlohmann::json::parse(file);
  row.machine = fmt::format("FPGA: {}, {}", result.at("device").get<std::string>(),
                            result.at("config").get<std::string>());
  return true;
}

/// The block itself and its variants, which have a number behind their name: gmmu_l1, gmmu_l1_2.
bool IsOf(const std::string& name, const std::string& block) {
  return name == block || (name.rfind(block + "_", 0) == 0 &&
                           name.find_first_not_of("0123456789", block.size() + 1) == std::string::npos);
}

/// LUTs of all instances, or of as many as `part` says of the variant that has the longest path, and of
/// those the last: the engine's lies in gmmu_l1_shared.
double Lut4(const nlohmann::json& blocks, const Part& part) {
  double all = 0, share = 0;
  std::pair<size_t, std::string> last;
  for (const auto& [name, block] : blocks.items()) {
    if (!IsOf(name, part.block)) continue;
    const double lut4 = block.at("lut4").get<double>();
    all += lut4;
    for (const auto& path : block.at("paths")) {
      const auto place = std::pair(path.get<std::string>().size(), path.get<std::string>());
      if (place < last) continue;
      last = place;
      share = lut4 * part.instances / block.at("instances").get<double>();
    }
  }
  if (all == 0) {
    throw std::runtime_error(fmt::format("no block {} in the result of make synth", part.block));
  }
  return part.instances == 0 ? all : share;
}

Row Area(const std::string& name) {
  Row row;
  row.name = "ECP5 LUT4, " + name;
  row.machine = kMachine;
  row.unit = "LUT4";
  row.better = Row::Better::kLess;
  return row;
}

void Add(Measurements& to, const std::string& path, const Row& row, std::vector<Part> parts) {
  to.push_back({row, [path, parts](Row& into) {
                  nlohmann::json result;
                  if (!Load(path, result, into)) return;
                  into.figure = 0;
                  for (const Part& part : parts) {
                    into.figure += Lut4(result.at("blocks"), part);
                  }
                }});
}

}  // namespace

void AddFpgaRowsOf(Measurements& to, const std::string& path) {
  Add(to, path, Area("copy engine with its translator").Less(3500).Goal(2500),
      {{"gmmu_dma_mover", 0}, {"gmmu_l1", 1}, {"gmmu_l1_shared", 0}});
  Add(to, path, Area("MMU with a 512-entry L2 TLB").Less(9500).Goal(8000),
      {{"gmmu_mmu", 0},
       {"gmmu_l1", 0},
       {"gmmu_l1_shared", 0},
       {"gmmu_lookup", 0},
       {"gmmu_walk_table", 0},
       {"gmmu_fill", 0},
       {"gmmu_control", 0}});
  Add(to, path, Area("command processor and rings"),
      {{"gmmu_engine", 0}, {"gmmu_dma_ring", 0}, {"gmmu_dma_fetch", 0}, {"gmmu_dma_command", 0}});
  Row speed;
  speed.name = "ECP5-85F after place and route";
  speed.unit = "MHz";
  speed.machine = kMachine;
  to.push_back({speed.More(105).Goal(125), [path](Row& into) {
                  nlohmann::json result;
                  if (Load(path, result, into)) into.figure = result.at("fmax_mhz").get<double>();
                }});
}

void AddFpgaRows(Measurements& to) { AddFpgaRowsOf(to, GMMU_SYNTH_RESULT); }

}  // namespace gmmu::bench
