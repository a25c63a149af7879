// SPDX-License-Identifier: Apache-2.0
// Measures the serial link of a board: copies between VRAM and host memory through 4 KiB pages.
#include <fmt/format.h>

#include "tb/bench/row.h"
#include "tb/sim/board_pins/board_host.h"

namespace gmmu::bench {
namespace {

constexpr uint64_t kBytes = 64 << 10;

class LinkCopy : public sim::BoardHost {
 public:
  /// Returns the number of cycles from the doorbell until the fence reaches the host.
  uint64_t Measure(bool in) {
    const uint64_t vram = 0x400000, host = 0x500000;
    BringUp(in ? host : vram, in ? vram : host, kBytes);
    for (uint32_t page = 0; page < kBytes >> 12; ++page) {
      Vram(0x801000 + 8 * page, 0x100041 + (uint64_t{page} << 12));
      Vram(0x801800 + 8 * page, 0x100000005 + (uint64_t{page} << 12));
    }
    for (uint64_t at = 0; in && at < kBytes; at += 8) Memory(0x100000000 + at, at * 0x9E3779B97F4A7C15);
    BoardRegister(0);  // the round trip ensures that all earlier writes have arrived
    const uint64_t begin = board_.cycles();
    WriteRegister(0x1010, 1);
    Until([&] { return !writes_.empty() && writes_.back().address == 0x30000; }, "the fence", 40 * kBytes * 2);
    return board_.cycles() - begin;
  }
};

void Measure(bool in, Row& row) {
  LinkCopy copy;
  row.figure = static_cast<double>(kBytes) * 10 * sim::BoardPins::kCyclesPerBit / static_cast<double>(copy.Measure(in));
}

}  // namespace

void AddBoardRows(Measurements& to) {
  for (const bool in : {true, false}) {
    Row row;
    row.name = fmt::format("board's serial line, page {}", in ? "in" : "out");
    row.unit = "of its bytes";
    row.limit = 1;
    row.limit_text = "a byte of data in each byte of the line";
    row.machine = fmt::format("ULX3S at its pins, {} cycles a bit", sim::BoardPins::kCyclesPerBit);
    row.config = fmt::format("{} KiB through 4 KiB pages, doorbell to fence", kBytes >> 10);
    row.OfLimit(0.85);
    to.push_back({row, [in](Row& into) { Measure(in, into); }});
  }
}

}  // namespace gmmu::bench
