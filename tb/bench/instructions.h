// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tb/bench/row.h"

namespace gmmu::bench {

/// Host instructions that the whole machine executes for one cycle of the loaded copy: a figure that other programs on
/// the machine do not disturb. Two runs of different length are compared, so that one-time work does not count. The
/// processor's counter is used if the kernel permits it (perf_event_open), else Valgrind's; without either the row is
/// missing.
void MeasureInstructions(Row& row);

}  // namespace gmmu::bench
