// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gmmu::app {

/// Arguments of `gmmu replay-ddi`.
struct ReplayDdiArguments {
  std::string trace;                ///< file written by gmmu run --trace-ddi
  std::string driver, device;       ///< empty: those of the recorded run
  std::string kept;                 ///< file for the trace of this run; empty: not written
  std::optional<uint64_t> shuffle;  ///< seed of a random thread schedule; nullopt: the recorded schedule
  uint64_t seconds = 300;
};

CLI::App* AddReplayDdi(CLI::App& app, ReplayDdiArguments& arguments);

/// Repeats the calls of a recorded run with a driver and compares the results one by one. With
/// `shuffle`, the system's threads are scheduled in a different order, as the interface permits;
/// results may then differ, but the run must pass. Returns 1 if a result differs without `shuffle`,
/// or if the run fails. Throws trace::TraceError, workload::InputError and OutputError before the
/// run.
int ReplayDdi(const ReplayDdiArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
