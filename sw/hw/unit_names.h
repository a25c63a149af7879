// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "hw/platform.h"

namespace gmmu::hw {

/// Returns the prefix that instruments put before the names of one GPU's counters, findings and
/// resources: "unit2." for GPU 2, or "" in a machine with one GPU.
inline std::string UnitPrefix(unsigned unit, unsigned units) {
  return units == 1 ? std::string() : "unit" + std::to_string(unit) + ".";
}

/// Length of the unit prefix in a block's name, or 0 if it has none.
inline size_t UnitPrefixLength(std::string_view block) {
  const size_t dot = block.find('.');
  return block.substr(0, 4) == "unit" && dot != std::string_view::npos ? dot + 1 : 0;
}

/// Returns the sum of the counters called `name` over all GPUs. Only blocks whose name, after the
/// unit prefix, begins with `block` count.
inline uint64_t SumOfUnits(const std::vector<Counter>& counters, std::string_view block, std::string_view name) {
  uint64_t sum = 0;
  for (const Counter& counter : counters) {
    const std::string_view own = std::string_view(counter.block).substr(UnitPrefixLength(counter.block));
    if (counter.name == name && own.substr(0, block.size()) == block) sum += counter.value;
  }
  return sum;
}

inline void AddUnitCounters(const std::string& prefix, std::vector<Counter> of_unit, std::vector<Counter>& all) {
  for (Counter& counter : of_unit) {
    counter.block = prefix + counter.block;
    all.push_back(std::move(counter));
  }
}

inline void AddUnitFindings(const std::string& prefix, const std::vector<Finding>& of_unit, std::vector<Finding>& all) {
  for (const Finding& finding : of_unit) all.push_back({prefix + finding.probe, finding.text});
}

inline void AddUnitResources(const std::string& prefix, const std::vector<InUse>& of_unit, std::vector<InUse>& all) {
  for (const InUse& held : of_unit) all.push_back({held.kind, prefix + held.name});
}

}  // namespace gmmu::hw
