// SPDX-License-Identifier: Apache-2.0
// Replaces Verilator's header when sim/board_pins runs on a netlist.
#pragma once

class VerilatedContext {};
