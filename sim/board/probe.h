// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "board/board.h"

namespace gmmu::sim::board {

/// The result of one self-test.
struct ProbeTest {
  std::string name;
  bool passed = false;
  uint64_t bytes = 0;  ///< bytes of VRAM that were written and read back
  std::string text;    ///< what was tested or, after a failure, the error
};

/// The measured performance of a link. Rates are payload bytes per second of the board's time.
struct ProbeLink {
  uint64_t round_trip_ns = 0, longest_ns = 0;  ///< mean and longest time of a register read
  double read_rate = 0, write_rate = 0;        ///< through the VRAM window
  double line_rate = 0;                        ///< byte rate of the line: a tenth of its bit rate
  uint64_t damaged_up = 0, damaged_down = 0;   ///< damaged frames since the session was opened
};

/// Tests the board's VRAM through its window: data lines, address lines, and a sample of
/// `sample_bytes` spread over all of VRAM, with two patterns. Stops after `bound_ns` of the board's
/// time and reports how much was tested. The test destroys the contents of VRAM.
///
/// The GPU must not have been used since the session was opened. Throws EngineError if the board
/// stops responding.
std::vector<ProbeTest> TestVram(Board& board, uint64_t sample_bytes, uint64_t bound_ns);
/// Measures the link by transferring `bytes` in each direction, for at most `bound_ns` of board time per direction.
ProbeLink MeasureLink(Board& board, uint64_t bytes, uint64_t bound_ns);

}  // namespace gmmu::sim::board
