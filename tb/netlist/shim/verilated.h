// SPDX-License-Identifier: Apache-2.0
// Takes the place of Verilator's header, for sim/board_pins over a netlist.
#pragma once

class VerilatedContext {};
