// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tb/bench/row.h"

namespace gmmu::bench {

/// Measures the host instructions that the whole machine executes per cycle of the loaded copy, a figure that other
/// programs on the host do not affect. It compares two runs of different length, so one-time work does not count. It
/// uses the processor's counter if the kernel permits that (perf_event_open), otherwise Valgrind's; without either, the
/// row is missing.
void MeasureInstructions(Row& row);

}  // namespace gmmu::bench
