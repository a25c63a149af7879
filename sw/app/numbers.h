// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gmmu::app {

/// Parses a whole text as a decimal or 0x hexadecimal number without a sign.
std::optional<uint64_t> ParseNumber(const std::string& text);

/// An option that takes such a number.
CLI::Option* AddNumber(CLI::App* command, const std::string& name, uint64_t& value, const std::string& help);

}  // namespace gmmu::app
