// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "app/recording.h"
#include "replay/options.h"

namespace CLI {
class App;
}

namespace gmmu::app {

/// Arguments of `gmmu replay`.
struct ReplayArguments {
  replay::Options options;
  std::string engine;  ///< empty: the first of Engines()
  std::string config, json;
  EventArguments events;
  std::vector<std::string> set;  ///< configuration changes, each KEY=VALUE
};

/// Adds the command with its options, which fill `arguments`.
CLI::App* AddReplay(CLI::App& app, ReplayArguments& arguments);

/// Implements `gmmu replay`. Throws trace::TraceError, replay::ReplayError, OutputError and settings::Error before
/// anything is simulated.
int Replay(const ReplayArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
