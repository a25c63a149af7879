// SPDX-License-Identifier: Apache-2.0
// The board's clock, and CPU accesses to the board.
#include "board/gpu_on_board.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "board/sizes.h"
#include "host/agenda.h"
#include "host/config.h"
#include "host/engine.h"
#include "host/machine_parts.h"
#include "host/plain_host.h"
#include "hw/gmmu_regs.h"

namespace gmmu::sim::board {
namespace {

constexpr size_t kWord = 8;
constexpr size_t kReadBytes = kMostWords * kWord;
constexpr size_t kWriteBytes = kReadBytes - kWord;  // a message with this much data fits into a frame
constexpr uint64_t kLookNs = 10'000'000'000;  // an unbounded wait checks at this interval whether the GPU still works

}  // namespace

GpuOnBoard::GpuOnBoard(PlainHost& host, std::unique_ptr<Board> board)
    : host_(host), config_(host.config), board_(std::move(board)), space_(ConfigSpaceOf(host.config.pcie)) {
  board_->set_bound_ns(config_.gpu.mmio_bound_ns);
  board_->set_server(this);
}

GpuOnBoard::~GpuOnBoard() { board_->set_server(nullptr); }

uint64_t GpuOnBoard::sizes_in_use() const { return TurnedDown(config_, board_->identity()).raw; }

// ---- time

/// Runs the host-side events that are due.
void GpuOnBoard::CatchUp() {
  const uint64_t now = NowNs();
  host_.agenda.RunUntil(now * 1000);
  while (!held_.empty() && held_.front().until_ns <= now) {
    const Held& held = held_.front();
    board_->Complete(held.read.id, held.read.beats, held.ok, held.data);
    held_.pop_front();
  }
}

void GpuOnBoard::Pass(uint64_t) { board_->Work(0); }

/// Services the link until a message arrives, a host-side event is due, or `machine_ns` have passed.
void GpuOnBoard::Work(uint64_t machine_ns) {
  const uint64_t now = NowNs();
  const auto until = [now](uint64_t ns) { return ns > now ? ns - now : 0; };
  if (!host_.agenda.empty()) machine_ns = std::min(machine_ns, until(host_.agenda.next() / 1000 + 1));
  if (!held_.empty()) machine_ns = std::min(machine_ns, until(held_.front().until_ns));
  board_->Work(board_->clock().ToWallNs(machine_ns));
  CatchUp();
}

bool GpuOnBoard::Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) {
  const uint64_t bound_ns = bound_ps == kForever ? kForever : bound_ps / 1000;
  const uint64_t start = NowNs();
  uint64_t looked = start, accesses = host_accesses_;
  for (;;) {
    const uint64_t passed = NowNs() - start;
    CatchUp();
    if (!ready()) Work(passed < bound_ns ? bound_ns - passed : 0);
    if (ready()) return true;
    if (NowNs() - start >= bound_ns) return false;
    if (bound_ns != kForever || NowNs() - looked < kLookNs) continue;
    looked = NowNs();
    const bool idle = (board_->AskWord(ReadBoard(kStatus), "the board's status") & kStatusIdle) != 0;
    if (idle && accesses == host_accesses_ && !ready() && held_.empty() && host_.agenda.empty()) {
      throw EngineError(fmt::format(
          "the machine stands still at {} ns: the GPU is idle, and nothing can end the wait for {}", NowNs(), what));
    }
    accesses = host_accesses_;
  }
}

// ---- CPU accesses

uint64_t GpuOnBoard::ReadGpu(uint32_t offset, const std::string& what) {
  const uint64_t word = board_->AskWord(ReadRegister(offset), what);
  // The configuration can specify less VRAM than the board has. Register vram_size then reads as
  // the configured size.
  return offset == regs::VramSize::kOffset ? std::min(word, config_.gpu.vram_bytes()) : word;
}

void GpuOnBoard::Read(const BarAccess& access, void* to) {
  ++requests_;
  const auto offset = static_cast<uint32_t>(access.offset & ~(kWord - 1));
  const std::string what = access.Text(false);
  const uint64_t word = access.bar == 0 ? ReadGpu(offset, what) : board_->AskWord(ReadWindow(offset, 1), what);
  const uint64_t value = word >> 8 * (access.offset % kWord);
  std::memcpy(to, &value, access.size);
}

void GpuOnBoard::Write(const BarAccess& access, const void* from) {
  ++writes_;
  uint64_t value = 0;
  std::memcpy(&value, from, access.size);
  const auto lane = static_cast<unsigned>(access.offset % kWord);
  const auto word = static_cast<uint32_t>(access.offset - lane);
  const auto strobes = static_cast<uint8_t>(((1u << access.size) - 1) << lane);
  const uint64_t shifted = value << 8 * lane;
  board_->Post(access.bar == 0 ? WriteRegister(word, strobes, shifted) : WriteWindow(word, strobes, &shifted, 1),
               access.Text(true));
}

std::vector<Bytes> GpuOnBoard::BlockReads(const BarAccess& access) {
  std::vector<Bytes> reads;
  for (size_t at = 0; at < access.size;) {
    const size_t piece = access.bar == 0 ? kWord : std::min(access.size - at, kReadBytes);
    const auto offset = static_cast<uint32_t>(access.offset + at);
    reads.push_back(access.bar == 0 ? ReadRegister(offset) : ReadWindow(offset, static_cast<unsigned>(piece / kWord)));
    at += piece;
  }
  return reads;
}

void GpuOnBoard::ReadBlock(const BarAccess& access, void* to) {
  auto* bytes = static_cast<uint8_t*>(to);
  const std::vector<Bytes> reads = BlockReads(access);
  requests_ += reads.size();
  for (const CpuAnswer& answer : board_->Ask(reads, access.Text(false))) {
    for (const uint64_t word : answer.words) {
      const uint64_t seen = answer.ok ? word : ~uint64_t{0};
      std::memcpy(bytes, &seen, kWord);
      bytes += kWord;
    }
  }
}

void GpuOnBoard::WriteBlock(const BarAccess& access, const void* from) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  const std::string what = access.Text(true);
  for (size_t at = 0; at < access.size;) {
    uint64_t words[kMostWords];
    const size_t piece = access.bar == 0 ? kWord : std::min(access.size - at, kWriteBytes);
    const auto offset = static_cast<uint32_t>(access.offset + at);
    std::memcpy(words, bytes + at, piece);
    ++writes_;
    board_->Post(access.bar == 0 ? WriteRegister(offset, 0xFF, words[0])
                                 : WriteWindow(offset, 0xFF, words, static_cast<unsigned>(piece / kWord)),
                 what);
    at += piece;
  }
}

// ---- configuration space, modelled on the host's side

uint32_t GpuOnBoard::ReadConfig(unsigned, uint16_t offset, unsigned size) {
  board_->Work(0);
  ++requests_;
  return space_.Read(offset, size);
}

void GpuOnBoard::WriteConfig(unsigned, uint16_t offset, unsigned size, uint32_t value) {
  ++requests_;
  const bool powered = space_.powered();
  space_.Write(offset, size, value);
  DriveStraps();
  if (powered && !space_.powered()) LosePower();
}

/// Sends the PCI function's bus master bit and interrupt message to the board, behind all earlier
/// requests, and waits until both have taken effect. On return, all messages that the GPU sent
/// before that have arrived.
void GpuOnBoard::DriveStraps() {
  const uint64_t control = space_.bus_master() ? kControlBusMaster : 0;
  const auto message = space_.message().Words();
  if (control == control_ && message == message_) return;
  const std::string what = "the GPU's PCI function";
  for (size_t i = 0; i < message.size(); ++i) {
    if (message[i] != message_[i]) board_->Post(WriteBoard(static_cast<BoardRegister>(kMessage + i), message[i]), what);
  }
  if (control != control_) board_->Post(WriteBoard(kControl, control), what);
  control_ = control;
  message_ = message;
  static_cast<void>(board_->AskWord(ReadBoard(kControl), what));
}

/// Simulates a power loss of VRAM. The board's memory keeps its contents, but a new scrambling key
/// changes the values read.
void GpuOnBoard::LosePower() {
  constexpr uint64_t kKeys = 0xFFFF, kStep = 0x9E37;  // odd: no key repeats until all were used
  vram_key_ = (vram_key_ + kStep) & kKeys;
  // The read returns only when all earlier writes are in the SDRAM chip, so they still use the old
  // key.
  static_cast<void>(board_->AskWord(ReadWindow(0, 1), "VRAM before its power goes"));
  board_->Post(WriteBoard(kVramKey, vram_key_), "the GPU's power");
}

}  // namespace gmmu::sim::board
