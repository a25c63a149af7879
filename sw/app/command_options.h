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

/// An option that takes a decimal or 0x hexadecimal number without a sign.
CLI::Option* AddNumber(CLI::App* command, const std::string& name, uint64_t& value, const std::string& help);

/// --set KEY=VALUE, which may be given again: changes of the configuration.
void AddChanges(CLI::App* command, std::vector<std::string>& set);

}  // namespace gmmu::app
