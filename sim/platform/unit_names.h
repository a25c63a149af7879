// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// How what is told of one GPU begins: nothing in a machine of one, else "unit2." for GPU 2.
inline std::string UnitPrefix(unsigned unit, unsigned units) {
  return units == 1 ? std::string() : "unit" + std::to_string(unit) + ".";
}

inline void AddUnitCounters(const std::string& prefix, std::vector<hw::Counter> of_unit,
                            std::vector<hw::Counter>& all) {
  for (hw::Counter& counter : of_unit) {
    counter.block = prefix + counter.block;
    all.push_back(std::move(counter));
  }
}

inline void AddUnitFindings(const std::string& prefix, const std::vector<hw::Finding>& of_unit,
                            std::vector<hw::Finding>& all) {
  for (const hw::Finding& finding : of_unit) all.push_back({prefix + finding.probe, finding.text});
}

inline void AddUnitResources(const std::string& prefix, const std::vector<hw::InUse>& of_unit,
                             std::vector<hw::InUse>& all) {
  for (const hw::InUse& held : of_unit) all.push_back({held.kind, prefix + held.name});
}

}  // namespace gmmu::sim
