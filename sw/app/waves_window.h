// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "events/window.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gmmu::app {

struct RunArguments;

/// Arguments of --waves-on and --waves-around.
struct WavesTrigger {
  std::string on;  ///< trigger, "fault" or "stall:N"; empty: --waves-from and --waves-to bound the window
  events::WindowOptions window = {0, ~uint64_t{0}, events::WindowOptions::Trigger::kNone, 0, 1'000};
};

/// Thrown if the trigger's event did not occur, so that there is no window to record.
struct NoTrigger : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Adds --waves-on and --waves-around.
void AddWavesTrigger(CLI::App* command, CLI::Option* waves, WavesTrigger& trigger);

/// Sets `waves_from` and `waves_to` of `arguments` to a window around the first trigger. An FST
/// file can only be written forwards, so the same run is first made in a child process, with events
/// but without waves and outputs. Runs are cycle-for-cycle reproducible. Throws NoTrigger if there
/// is no trigger, or if the child did not complete the run.
void FindWavesWindow(RunArguments& arguments, std::FILE* err);

}  // namespace gmmu::app
