// SPDX-License-Identifier: Apache-2.0
#include "app/numbers.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace gmmu::app {

std::optional<uint64_t> ParseNumber(const std::string& text) {
  const bool hex = text.rfind("0x", 0) == 0 || text.rfind("0X", 0) == 0;
  const char* begin = text.c_str() + (hex ? 2 : 0);
  const char* end = text.c_str() + text.size();
  uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || stopped != end || begin == end) return std::nullopt;
  return value;
}

CLI::Option* AddNumber(CLI::App* command, const std::string& name, uint64_t& value, const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name,
          [&value, name](const std::string& text) {
            const auto number = ParseNumber(text);
            if (!number) {
              throw CLI::ValidationError(name,
                                         "\"" + text + "\" is not a number; give 0 to 18446744073709551615, or 0x...");
            }
            value = *number;
          },
          help)
      ->type_name("N");
}

}  // namespace gmmu::app
