// SPDX-License-Identifier: Apache-2.0
// PagingEngine's part that executes commands and their transfers.
#include <algorithm>
#include <array>
#include <cstring>

#include "twin/paging_engine.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Fault;

constexpr uint64_t kBurst = 256;  // ranges are cut at its multiples

/// Counts the bursts of the range from `start` on that begin in [at, at + size).
uint64_t BurstsBegun(uint64_t start, uint64_t at, uint64_t size) {
  if (size == 0) return 0;
  const uint64_t multiples = (at + size - 1) / kBurst - (at - 1) / kBurst;
  const bool head = at == start && at % kBurst != 0;
  return (at == 0 ? (size - 1) / kBurst + 1 : multiples) + (head ? 1 : 0);
}

/// Returns the address of the first byte of the burst that holds `at`.
uint64_t BurstOf(uint64_t start, uint64_t at) { return std::max(start, at / kBurst * kBurst); }

uint64_t ToPageEnd(uint64_t at) { return hw::kPageSize - at % hw::kPageSize; }

}  // namespace

/// Acts on what stopped the reading of the buffer: waits for the host port, or fails. It always returns true.
bool PagingEngine::Trouble(const Buffer::Trouble& trouble) {
  if (trouble.closed) Wait();
  else Fail({trouble.reason, Access::kRead, trouble.level, trouble.address, fetch_port()});
  return true;
}

void PagingEngine::NextCommand() {
  Cost cost;
  state_ = State::kCommand;
  if (word_ == buffer_.words()) {  // everything has its B, then the fence record
    state_ = State::kFence;
    return Schedule(std::max(writes_ps_, parts_.agenda.now()));
  }
  if (rings_[current_].ctrl.preempt() != 0) {
    state_ = State::kStop;
    return Schedule(std::max(writes_ps_, parts_.agenda.now()));
  }
  if (const auto trouble = buffer_.Want(path_, fetch_port(), word_ + 1, cost)) {
    Trouble(*trouble);
    return;
  }
  command_ = Command();
  command_.header.raw = *buffer_.at(word_);
  state_ = State::kJob;  // the header is there from here on
  moved_ = 0;
  const Address here = buffer_.from() + 8 * word_;
  const Fault bad = JudgeHeader(command_.header, buffer_.words() - word_);
  if (bad != Fault::kNone) return Fail({bad, Access::kRead, 0, here, fetch_port()});
  const bool nop = command_.header.opcode() == regs::Opcode::kNop;
  const uint64_t wanted = nop ? command_.header.words() : 1 + OperandWords(command_.header);
  if (const auto trouble = buffer_.Want(path_, fetch_port(), word_ + wanted, cost)) {
    if (trouble->closed) state_ = State::kCommand;
    Trouble(*trouble);
    return;
  }
  CommandRights rights;
  rights.privileged = rings_[current_].ctrl.privileged() != 0;
  rights.space = buffer_.from().space;
  rights.spaces = parts_.mmu.spaces();
  rights.aperture_pages = parts_.aperture.pages();
  rights.aperture_base = parts_.aperture.base();
  command_ = JudgeCommand(buffer_.at(word_), rights);
  if (command_.fault != Fault::kNone) return Fail({command_.fault, Access::kRead, 0, here, fetch_port()});
  uint64_t begin = std::max(parts_.agenda.now() + parts_.time.CommandPs(), cost.done);
  if (command_.header.wait_writes() != 0 || command_.after == Command::After::kFlushTlb ||
      command_.after == Command::After::kSignal)
    begin = std::max(begin, writes_ps_);
  Schedule(begin);
}

// ---- transfers

/// Moves one piece of the transfer after another until one has to wait; each piece takes its time.
void PagingEngine::Transfer() {
  if (moved_ == command_.bytes || command_.data == Command::Data::kNone) {
    state_ = State::kSettle;
    const bool waits = command_.after != Command::After::kNothing;
    return waits ? Schedule(std::max(writes_ps_, parts_.agenda.now())) : Settle();
  }
  Cost cost;
  uint64_t size = 0;
  if (!TransferPiece(cost, size)) return;
  moved_ += size;
  writes_ps_ = std::max(writes_ps_, cost.done);
  Schedule(cost.next);
}

/// Moves one piece. False: a port is closed, or the command has failed.
bool PagingEngine::Stopped(const Place& place, Access access, const Address& range, uint64_t done, unsigned port) {
  if (place.kind == Place::Kind::kClosed) {
    Wait();
    return true;
  }
  if (place.kind != Place::Kind::kFault) return false;
  Address failing = range;
  failing.at = BurstOf(range.at, range.at + done);
  Fail({place.fault, access, place.level, failing, port});
  return true;
}

/// Returns how many of the `got` bytes for `to` fill whole bursts; a failing copy does not write the others.
uint64_t PagingEngine::WholeBursts(const Address& to, uint64_t got) {
  const uint64_t end = (to.at + got) / kBurst * kBurst;
  return end > to.at ? end - to.at : 0;
}

/// Reads the piece's bytes, which lie in one page or two, and returns how many it read. If they are fewer than `size`,
/// `failed` says why.
uint64_t PagingEngine::ReadSource(uint64_t size, uint8_t* to, Cost& cost, Place& failed) {
  const uint64_t window = parts_.time.parameters().engine_reads * kBurst;
  uint64_t got = 0;
  while (got < size) {
    const Address from = command_.source + (moved_ + got);
    const uint64_t part = std::min(size - got, ToPageEnd(from.at));
    Place place = path_.Resolve(read_port(), from, Access::kRead, BurstsBegun(command_.source.at, from.at, part), cost);
    const bool good = place.kind != Place::Kind::kFault && place.kind != Place::Kind::kClosed;
    if (good && !path_.Read(place, to + got, part, window, cost)) {
      place.kind = Place::Kind::kFault;
      place.fault = Fault::kBusRead;
    }
    if (place.kind == Place::Kind::kFault || place.kind == Place::Kind::kClosed) {
      failed = place;
      return got;
    }
    CountRead(place, from.at, part, moved_ + got != 0);
    got += part;
  }
  return got;
}

bool PagingEngine::TransferPiece(Cost& cost, uint64_t& size) {
  const Address to = command_.destination + moved_;
  std::array<uint8_t, hw::kPageSize> bytes;
  size = std::min(command_.bytes - moved_, ToPageEnd(to.at));
  Place failed;
  uint64_t got = size;
  if (command_.data == Command::Data::kCopy) {
    got = ReadSource(size, bytes.data(), cost, failed);
    if (got == 0) return !Stopped(failed, Access::kRead, command_.source, moved_, read_port());
  } else if (command_.data == Command::Data::kInline) {
    const uint64_t first = word_ + command_.inline_word + moved_ / 8;
    if (const auto trouble = buffer_.Want(path_, fetch_port(), first + size / 8, cost)) return !Trouble(*trouble);
    Produce(size, bytes.data());
  } else {
    Produce(size, bytes.data());
  }
  Place target = path_.Resolve(write_port(), to, Access::kWrite, BurstsBegun(command_.destination.at, to.at, size),
                               cost);
  if (Stopped(target, Access::kWrite, command_.destination, moved_, write_port())) return false;
  const uint64_t written = got == size ? size : WholeBursts(to, got);
  if (written != 0 && !path_.Write(target, bytes.data(), written, cost)) {
    target.kind = Place::Kind::kFault;
    target.fault = Fault::kBusWrite;
    return !Stopped(target, Access::kWrite, command_.destination, moved_, write_port());
  }
  CountWrite(target, written);
  if (got == size) return true;
  return !Stopped(failed, Access::kRead, command_.source, moved_ + got, read_port());
}

/// Count what a transfer reads and writes; a fence's value and what a zero page gives or takes do not count.
void PagingEngine::CountRead(const Place& place, uint64_t at, uint64_t size, bool inside) {
  if (place.kind == Place::Kind::kZero) return;
  Counters& counters = parts_.counters;
  counters.Of<regs::CountersCopyReadBytes>() += size;
  // A beat that a page of the destination cuts in two is read once.
  const uint64_t beat = parts_.time.parameters().bus_bytes;
  if (inside && at % kBurst != 0 && at % beat != 0) {
    (place.kind == Place::Kind::kVram ? counters.Of<regs::CountersVramReadBytes>()
                                      : counters.Of<regs::CountersHostReadBytes>()) -= beat;
  }
}

void PagingEngine::CountWrite(const Place& place, uint64_t size) {
  if (command_.data != Command::Data::kValue && place.kind != Place::Kind::kZero)
    parts_.counters.Of<regs::CountersCopyWriteBytes>() += size;
}

/// Makes the next `size` bytes of a command that generates its data.
void PagingEngine::Produce(uint64_t size, uint8_t* to) const {
  const Command& c = command_;
  if (c.data == Command::Data::kInline) {
    std::memcpy(to, buffer_.at(word_ + c.inline_word + moved_ / 8), size);
    return;
  }
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t at = moved_ + i;
    uint64_t word = c.value;
    unsigned byte = at % 8;
    if (c.data == Command::Data::kFill) byte = at % 4;
    else if (c.data == Command::Data::kSeries) word += at / 8 * c.step;
    to[i] = static_cast<uint8_t>(word >> (8 * byte));
  }
}

// ---- what follows the writes

void PagingEngine::Settle() {
  const uint64_t now = parts_.agenda.now();
  uint64_t next = now;
  switch (command_.after) {
    case Command::After::kNothing: break;
    case Command::After::kFlushAperture: parts_.aperture.Flush(); break;
    case Command::After::kFlushUnmapped:
      parts_.aperture.Flush();
      parts_.mmu.Invalidate(regs::Scope::kRange, 0, 0, 0);  // drops nothing, waits for older users
      next = now + parts_.time.InvalidationPs();
      break;
    case Command::After::kFlushTlb:
      parts_.mmu.Invalidate(command_.header.scope(), static_cast<unsigned>(command_.header.dst_space()), command_.start,
                            command_.end);
      next = now + parts_.time.InvalidationPs();
      break;
    case Command::After::kSignal:
      if (command_.header.irq() != 0) raise_(regs::IntStatus().set_fence(1).raw);
      break;
  }
  parts_.counters.Of<regs::CountersCommands>() += 1;
  word_ += command_.header.words();
  state_ = State::kCommand;
  Schedule(next);
}

}  // namespace gmmu::sim::twin
