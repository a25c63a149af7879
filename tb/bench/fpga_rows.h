// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tb/bench/row.h"

namespace gmmu::bench {

/// Adds the FPGA rows from the JSON files of the default and of the board profile: {"config", "device", "fmax_mhz",
/// "place_seconds", "cells": {PATH: {"lut", "ff", "bram", "dsp"}}}, where each block instance is listed by path,
/// without its nested instances. If a file does not exist, its rows are reported as missing, not as
/// failed.
void AddFpgaRowsOf(Measurements& to, const std::string& path, const std::string& board);

}  // namespace gmmu::bench
