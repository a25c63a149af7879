// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gmmu::app {

/// An option that takes a decimal or 0x hexadecimal number without a sign.
CLI::Option* AddNumber(CLI::App* command, const std::string& name, uint64_t& value, const std::string& help);

}  // namespace gmmu::app
