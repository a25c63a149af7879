// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/call_levels.h"

#include <algorithm>

namespace gmmu::os {
namespace {

constexpr const char* kThree[] = {"DxgkDdiAddDevice",         "DxgkDdiStartDevice",   "DxgkDdiStopDevice",
                                  "DxgkDdiRemoveDevice",      "DxgkDdiSetPowerState", "DxgkDdiResetFromTimeout",
                                  "DxgkDdiRestartFromTimeout"};
/// The GPU scheduler's calls. No other calls have level one.
constexpr const char* kScheduler[] = {"DxgkDdiPatch",
                                      "DxgkDdiSubmitCommand",
                                      "DxgkDdiSubmitCommandVirtual",
                                      "DxgkDdiPreemptCommand",
                                      "DxgkDdiResetEngine",
                                      "DxgkDdiQueryEngineStatus",
                                      "DxgkDdiBuildPagingBuffer",
                                      "DxgkDdiQueryDependentEngineGroup"};

template <typename Names>
bool In(const Names& names, const std::string& entry) {
  return std::find(std::begin(names), std::end(names), entry) != std::end(names);
}

}  // namespace

CallLevel LevelOf(const std::string& entry) {
  if (In(kThree, entry)) return CallLevel::kThree;
  return In(kScheduler, entry) ? CallLevel::kOne : CallLevel::kZero;
}

bool ComesWithABusyGpu(const std::string& entry) {
  return entry == "DxgkDdiResetFromTimeout" || entry == "DxgkDdiRestartFromTimeout";
}

}  // namespace gmmu::os
