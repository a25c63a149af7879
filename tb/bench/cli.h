// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>

#include "tb/bench/row.h"

namespace gmmu::bench {

inline constexpr int kExitGood = 0;
inline constexpr int kExitFailed = 1;  ///< a row failed or, with --strict, missed its target
inline constexpr int kExitUsage = 2;   ///< nothing was measured

/// Runs `gmmu bench` for these rows: parses the arguments, measures, prints. The table goes to `out`, progress and
/// errors go to `err`. Never throws; returns the exit status.
int Main(const Measurements& rows, int argc, const char* const* argv, std::FILE* out, std::FILE* err);

}  // namespace gmmu::bench
