// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gmmu::app {

/// Arguments of `gmmu check-driver`.
struct CheckDriverArguments {
  std::string driver, engine;
  std::string device;  ///< device model, or "none"; empty: the scenario's
  std::string only;    ///< runs only scenarios whose names match this pattern (* matches any text); empty: all
  std::string json, junit;
  std::vector<std::string> set;  ///< configuration changes, applied after those of each scenario
  uint64_t seed = 0;
  uint64_t seconds = 300;  ///< time limit of one scenario
};

CLI::App* AddCheckDriver(CLI::App& app, CheckDriverArguments& arguments);

/// Runs the driver in every scenario, each in its own process, and prints one page. Returns 0 if at least one scenario
/// passed and none failed, else 1. Throws workload::InputError or OutputError before the first run.
int CheckDriver(const CheckDriverArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
