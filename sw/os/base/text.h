// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace gmmu::os {

/// Formats a number like "0x1f000".
inline std::string Hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

}  // namespace gmmu::os
