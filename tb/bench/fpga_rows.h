// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tb/bench/row.h"

namespace gmmu::bench {

/// The FPGA's rows from the JSON file at `path`: {"config", "device", "fmax_mhz", "blocks": {NAME:
/// {"instances", "lut4"}}}. Without the file they are missing, not failed.
void AddFpgaRowsOf(Measurements& to, const std::string& path);

}  // namespace gmmu::bench
