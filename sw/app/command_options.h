// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gmmu::app {

/// Adds an option whose value is an unsigned decimal or 0x hexadecimal number.
CLI::Option* AddNumber(CLI::App* command, const std::string& name, uint64_t& value, const std::string& help);

/// Adds --set KEY=VALUE, a repeatable option that changes the configuration.
void AddChanges(CLI::App* command, std::vector<std::string>& set);

}  // namespace gmmu::app
