// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/host_ram.h"

namespace gmmu::os {

inline constexpr uint64_t kPage = hw::kPageSize;

/// Rounds `bytes` up to a multiple of `unit`. Overflows only if the result itself does not fit.
constexpr uint64_t RoundUp(uint64_t bytes, uint64_t unit) { return (bytes / unit + (bytes % unit != 0)) * unit; }
/// Returns the number of pages that hold `bytes`.
constexpr uint64_t PagesOf(uint64_t bytes) { return bytes / kPage + (bytes % kPage != 0); }

constexpr bool PowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace gmmu::os
