// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "os/base/text.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

struct Step {
  os::RemapPolicy policy;
  os::DmaMode mode;
};

/// A sequence that contains every transition from one mode to another.
constexpr std::array<Step, 7> kSteps = {{{os::RemapPolicy::kNever, os::DmaMode::kPhysical},
                                         {os::RemapPolicy::kWhenPossible, os::DmaMode::kRemapped},
                                         {os::RemapPolicy::kNever, os::DmaMode::kPhysical},
                                         {os::RemapPolicy::kIdentity, os::DmaMode::kIdentity},
                                         {os::RemapPolicy::kWhenPossible, os::DmaMode::kRemapped},
                                         {os::RemapPolicy::kIdentity, os::DmaMode::kIdentity},
                                         {os::RemapPolicy::kNever, os::DmaMode::kPhysical}}};

void RunModeSwitch(Life& life, const ParameterValues& values) {
  NeedEveryDmaMode(life);
  for (size_t i = 0; i < values.at("steps"); ++i) {
    Step step = kSteps[i % kSteps.size()];
    if (step.mode == os::DmaMode::kPhysical && IsolatesAlways(life)) step.mode = os::DmaMode::kIdentity;
    life.restart(step.policy);
    const std::string name = os::NameOf(step.mode);
    life.Compare("mode of start " + std::to_string(i + 1),
                 life.graphics.mode() == step.mode
                     ? ""
                     : std::string(os::NameOf(life.graphics.mode())) + ", must be " + name);
    RunSeededMainJob(life, values.at("bytes"), name + ": ");
  }
}

}  // namespace

Procedure ModeSwitchProcedure() {
  return {"mode_switch",
          "Restarts the adapter repeatedly with the same driver, without translation, remapped and 1:1 in turn, and "
          "runs the main job after each start.",
          {{"bytes", 65536, 1, kMaxInputBytes, "Size in bytes of the buffer of each main job."},
           {"steps", kSteps.size(), 1, 1000, "Number of starts."}},
          RunModeSwitch};
}

}  // namespace gmmu::workload
