// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::hw {

/// Rounds `bytes` up to a multiple of `unit`. It overflows only if the result itself does not fit.
constexpr uint64_t RoundUp(uint64_t bytes, uint64_t unit) { return (bytes / unit + (bytes % unit != 0)) * unit; }

}  // namespace gmmu::hw
