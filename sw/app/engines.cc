// SPDX-License-Identifier: Apache-2.0
#include "app/engines.h"

#include <algorithm>
#include <utility>

#include "board/board_engine.h"
#include "device/device_engine.h"
#ifdef GMMU_RTL_ENGINE
#include "platform/sc_engine.h"
#endif
#include "twin/fast_engine.h"

namespace gmmu::app {

const std::vector<EngineKind>& EngineKinds() {
  static const std::vector<EngineKind> kinds = {
#ifdef GMMU_RTL_ENGINE
      {"rtl", "exact", true, true, true, [](EngineInputs i) { return sim::CreateRtl(i.machine, i.options); }},
#endif
      {kFast, "estimated", true, true, false,
       [](EngineInputs i) { return sim::twin::CreateEngine(i.machine, i.options); }},
      {kBoardEngine, "wall clock", true, false, false,
       [](EngineInputs i) { return sim::board::CreateEngine(i.machine, std::move(*i.board), i.options); }},
      {kDevice, "estimated", false, false, false,
       [](EngineInputs i) { return sim::device::CreateEngine(i.machine, *i.device, i.serve, i.options); }}};
  return kinds;
}

const EngineKind* FindEngine(const std::string& name) {
  const auto& kinds = EngineKinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const EngineKind& kind) { return name == kind.name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace gmmu::app
