// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tb/bench/row.h"

namespace gmmu::bench {

/// Adds the FPGA's rows from the JSON files of the default and of the board profile: {"config", "device", "fmax_mhz",
/// "place_seconds", "cells": {PATH: {"lut", "ff", "bram", "dsp"}}}, each block instance by its path, without the
/// instances below it. If a file is absent, its rows are missing instead of failed.
void AddFpgaRowsOf(Measurements& to, const std::string& path, const std::string& board);

}  // namespace gmmu::bench
