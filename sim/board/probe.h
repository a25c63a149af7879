// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "board/board.h"

namespace gmmu::sim::board {

/// The outcome of one self-test.
struct ProbeTest {
  std::string name;
  bool passed = false;
  uint64_t bytes = 0;  ///< of VRAM that were written and read back
  std::string text;    ///< what was tested, or what was wrong
};

/// What a link does. Rates are payload bytes in a second of the board's time.
struct ProbeLink {
  uint64_t round_trip_ns = 0, longest_ns = 0;  ///< of a read of a board register: mean and longest
  double read_rate = 0, write_rate = 0;        ///< through the VRAM window
  double line_rate = 0;                        ///< what the line carries at most: a tenth of its bits
  uint64_t damaged_up = 0, damaged_down = 0;   ///< frames, since the session was opened
};

/// Tests the board's VRAM through its window: data lines, address lines, and a sample of `sample_bytes` spread over all
/// of VRAM with two patterns. It stops after `bound_ns` of the board's time and says how far it came. The contents of
/// VRAM are lost.
///
/// The GPU must be as after the hello. Throws EngineError when the board stops answering.
std::vector<ProbeTest> TestVram(Board& board, uint64_t sample_bytes, uint64_t bound_ns);
/// Measures the link with `bytes` each way, at most for `bound_ns` of the board's time each.
ProbeLink MeasureLink(Board& board, uint64_t bytes, uint64_t bound_ns);

}  // namespace gmmu::sim::board
