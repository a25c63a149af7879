// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tb/bench/row.h"

namespace gmmu::bench {

/// Measures the host instructions that the whole machine executes per cycle of the loaded copy. Other programs on the
/// host do not affect this figure. Two runs of different length are compared, so that one-time work does not count. The
/// processor's counter is used if the kernel permits it (perf_event_open), otherwise Valgrind; without either, the row
/// is missing.
void MeasureInstructions(Row& row);

}  // namespace gmmu::bench
