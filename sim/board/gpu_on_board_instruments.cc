// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "board/gpu_on_board.h"
#include "host/config.h"
#include "host/gpu_counters.h"
#include "host/machine_parts.h"

namespace gmmu::sim::board {

std::vector<hw::Counter> GpuOnBoard::Counters() {
  const std::vector<GpuCounter> names = GpuCounters(static_cast<unsigned>(config_.gpu.clients));
  std::vector<Bytes> reads;
  for (const GpuCounter& counter : names) reads.push_back(ReadRegister(counter.offset));
  reads.push_back(ReadBoard(kErrors));
  const std::vector<CpuAnswer> answers = board_->Ask(reads, "the GPU's counters");
  std::vector<hw::Counter> all;
  for (size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i].block, names[i].name, answers[i].words.at(0), names[i].unit, names[i].description});
  all.push_back({"host_port", "writes_lost", writes_lost_, "bursts", "Fence records lost on purpose."});
  AddCpuCounters(requests_, writes_, all);
  const auto link = [&](const char* name, uint64_t value, const char* unit, const char* text) {
    all.push_back({"board_link", name, value, unit, text});
  };
  const LinkCounts& counts = board_->counts();
  const uint64_t errors = answers.back().words.at(0);
  link("line_rate", static_cast<uint64_t>(board_->line_rate()), "bit/s", "Rate of the line, each direction.");
  link("frames_down", counts.frames_sent, "frames", "Frames to the board.");
  link("frames_up", counts.frames_taken, "frames", "Good frames from the board.");
  link("again_down", counts.sent_again, "frames", "Frames to the board that were sent again.");
  link("again_up", errors >> 32 & 0xFFFF, "frames",
       "Frames from the board that were sent again, as it counts since power-on.");
  link("damaged_up", counts.damaged, "frames", "Frames from the board that came damaged.");
  link("damaged_down", errors & 0xFFFF, "frames",
       "Frames to the board that came damaged, as it counts since power-on.");
  link("not_following", counts.not_following, "frames", "Good frames from the board that were not the wanted one.");
  link("bytes_down", counts.bytes_down, "bytes", "Bytes on the line to the board.");
  link("bytes_up", counts.bytes_up, "bytes", "Bytes on the line from the board.");
  link("payload_down", counts.payload_down, "bytes", "Bytes of messages to the board.");
  link("payload_up", counts.payload_up, "bytes", "Bytes of messages from the board.");
  link("access_errors", errors >> 48, "accesses",
       "Register and window accesses answered with an error, as the board counts since power-on.");
  return all;
}

uint64_t GpuOnBoard::Cycles() { return board_->AskWord(ReadBoard(kCycles), "the board's cycles"); }

std::vector<hw::InUse> GpuOnBoard::ResourcesInUse() {
  std::vector<hw::InUse> all;
  if (config_.inject.lose_tag) all.push_back(LostTag());
  if ((board_->AskWord(ReadBoard(kStatus), "the board's status") & kStatusIdle) == 0)
    all.push_back({"rtl_slot", "the GPU has work under way (idle is 0)"});
  if (!held_.empty()) all.push_back({"pcie_tag", fmt::format("{} reads of the GPU", held_.size())});
  return all;
}

void GpuOnBoard::HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) {
  if (unit != 0) throw std::out_of_range("a board has one GPU");
  held_page_ = address / hw::kPageSize;
  held_until_ns_ = until_ns;
}

}  // namespace gmmu::sim::board
