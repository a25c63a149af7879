// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gmmu::trace {

/// Parses all of the text as a number in base 10 or 16, without sign or prefix. Returns nullopt if
/// it is not a number or does not fit in 64 bits.
inline std::optional<uint64_t> ParseDigits(std::string_view text, int base) {
  uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Parses hexadecimal digits, with or without a leading 0x.
inline std::optional<uint64_t> ParseHex(std::string_view text) {
  if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") text.remove_prefix(2);
  return ParseDigits(text, 16);
}

/// Parses a decimal number, or a hexadecimal one with the prefix 0x.
inline std::optional<uint64_t> ParseNumber(std::string_view text) {
  const bool hex = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  return hex ? ParseDigits(text.substr(2), 16) : ParseDigits(text, 10);
}

}  // namespace gmmu::trace
