// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/host_ram.h"
#include "hw/round_up.h"

namespace gmmu::os {

using hw::RoundUp;

inline constexpr uint64_t kPage = hw::kPageSize;

/// Returns the number of pages needed for `bytes`.
constexpr uint64_t PagesOf(uint64_t bytes) { return bytes / kPage + (bytes % kPage != 0); }

constexpr bool PowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace gmmu::os
