// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/row.h"

namespace gmmu::bench {

std::string Row::Config() const { return machine + (machine.empty() || config.empty() ? "" : ", ") + config; }

std::optional<double> Row::Ratio() const {
  if (state != State::kMeasured || !limit || *limit == 0 || figure == 0) return std::nullopt;
  return better == Better::kMore ? figure / *limit : *limit / figure;
}

std::optional<bool> Row::Met() const {
  if (state != State::kMeasured || !target) return std::nullopt;
  if (target_of == TargetOf::kRatio) {
    const auto ratio = Ratio();
    return ratio && *ratio >= *target;
  }
  return better == Better::kMore ? figure >= *target : figure <= *target;
}

Measurements AllRows() {
  Measurements all;
  AddMmuRows(all);
  AddGpuRows(all);
  AddCopyRows(all);
  AddRingRows(all);
  AddLinkRows(all);
  AddBoardRows(all);
  AddSpeedRows(all);
  AddGrowthRows(all);
  AddFpgaRows(all);
  return all;
}

}  // namespace gmmu::bench
