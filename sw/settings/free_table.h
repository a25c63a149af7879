// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace gmmu::settings {

/// A value in a section whose names the user chooses: an integer, a string, bytes, or several
/// strings.
using FreeValue = std::variant<uint64_t, std::string, std::vector<uint8_t>, std::vector<std::string>>;
/// Values by table and name, from [section.TABLE] and NAME = VALUE.
using FreeTable = std::map<std::string, std::map<std::string, FreeValue>>;

}  // namespace gmmu::settings
