// SPDX-License-Identifier: Apache-2.0
// The part of PagingEngine that executes commands and moves their data.
#include <algorithm>
#include <array>
#include <cstring>

#include "probe/wait_checker.h"
#include "twin/paging_engine.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Fault;

constexpr uint64_t kBurst = 256;      // burst size; bursts end at multiples of it
constexpr uint64_t kSlotCycles = 16;  // from a landing slot's last beat to its next lookup

/// Returns how many bursts of the range that starts at `start` begin in [at, at + size).
uint64_t BurstsBegun(uint64_t start, uint64_t at, uint64_t size) {
  if (size == 0) return 0;
  const uint64_t multiples = (at + size - 1) / kBurst - (at - 1) / kBurst;
  const bool head = at == start && at % kBurst != 0;
  return (at == 0 ? (size - 1) / kBurst + 1 : multiples) + (head ? 1 : 0);
}

/// Returns the address of the first byte of the burst that contains `at`. The range starts at
/// `start`.
uint64_t BurstOf(uint64_t start, uint64_t at) { return std::max(start, at / kBurst * kBurst); }

constexpr uint64_t kJobCycles = 12;    // from the start of a command's job to its first burst
constexpr uint64_t kWaitedCycles = 3;  // delay of a waiting command after the last response

uint64_t ToPageEnd(uint64_t at) { return hw::kPageSize - at % hw::kPageSize; }

}  // namespace

/// Handles a failed read of the paging buffer: waits if the host port is closed, otherwise fails
/// the command. Always returns true.
bool PagingEngine::Trouble(const Buffer::Trouble& trouble, const Cost& cost) {
  if (trouble.closed) Wait();
  else Fail({trouble.reason, Access::kRead, trouble.level, trouble.address, fetch_port()}, cost.done);
  return true;
}

void PagingEngine::NextCommand() {
  Cost cost;
  state_ = State::kCommand;
  if (word_ == buffer_.words()) {  // the fence record follows the responses to all writes
    state_ = State::kFence;
    return Schedule(std::max(writes_ps_, parts_.agenda.now()));
  }
  if (rings_[current_].ctrl.preempt() != 0) {
    state_ = State::kStop;
    return Schedule(std::max(writes_ps_, parts_.agenda.now()));
  }
  if (const auto trouble = buffer_.Want(path_, fetch_port(), word_ + 1, cost)) {
    Trouble(*trouble, cost);
    return;
  }
  command_ = Command();
  command_.header.raw = *buffer_.at(word_);
  state_ = State::kJob;  // the header has been fetched
  moved_ = 0;
  const Address here = buffer_.from() + 8 * word_;
  const Fault bad = JudgeHeader(command_.header, buffer_.words() - word_);
  if (bad != Fault::kNone) return Fail({bad, Access::kRead, 0, here, fetch_port()}, cost.done);
  const bool nop = command_.header.opcode() == regs::Opcode::kNop;
  const uint64_t wanted = nop ? command_.header.words() : 1 + OperandWords(command_.header);
  if (const auto trouble = buffer_.Want(path_, fetch_port(), word_ + wanted, cost)) {
    if (trouble->closed) state_ = State::kCommand;
    Trouble(*trouble, cost);
    return;
  }
  CommandRights rights;
  rights.privileged = rings_[current_].ctrl.privileged() != 0;
  rights.space = buffer_.from().space;
  rights.spaces = parts_.mmu.spaces();
  rights.aperture_pages = parts_.aperture.pages();
  rights.aperture_base = parts_.aperture.base();
  command_ = JudgeCommand(buffer_.at(word_), rights);
  if (command_.fault != Fault::kNone) return Fail({command_.fault, Access::kRead, 0, here, fetch_port()}, cost.done);
  uint64_t begin = std::max(parts_.agenda.now(), cost.done) + parts_.time.CommandPs();
  if (command_.data == Command::Data::kCopy) begin = reads_.Free(begin);
  const bool waits = command_.header.wait_writes() != 0 || command_.after == Command::After::kFlushTlb ||
                     command_.after == Command::After::kSignal;
  if (waits) begin = std::max(begin, writes_ps_ + parts_.time.Cycles(kWaitedCycles));
  TellBegin(waits);
  Schedule(begin);
}

// ---- transfers

/// Moves the next piece of the transfer and schedules the event for the following one.
void PagingEngine::Transfer() {
  if (moved_ == command_.bytes || command_.data == Command::Data::kNone) {
    state_ = State::kSettle;
    const bool waits = command_.after != Command::After::kNothing;
    return waits ? Schedule(std::max(writes_ps_, parts_.agenda.now())) : Settle();
  }
  uint64_t size = 0;
  if (!TransferPiece(size)) return;
  moved_ += size;
  const uint64_t now = parts_.agenda.now();
  // The next command is decoded while the bursts of this one are in flight, so it starts now.
  if (moved_ == command_.bytes && command_.after == Command::After::kNothing) return Schedule(now);
  const bool copies = command_.data == Command::Data::kCopy;
  Schedule(copies ? reads_.Free(now) : std::max(now, feed_ps_ - std::min(feed_ps_, parts_.time.BusPs(2 * kBurst))));
}

/// Checks the result of resolving `place`. Returns true if the command must wait for a closed port,
/// or if it fails with a fault that is known at `known_ps`.
bool PagingEngine::Stopped(const Place& place, Access access, const Address& range, uint64_t done, unsigned port,
                           uint64_t known_ps) {
  if (place.kind == Place::Kind::kClosed) {
    Wait();
    return true;
  }
  if (place.kind != Place::Kind::kFault) return false;
  Address failing = range;
  failing.at = BurstOf(range.at, range.at + done);
  Fail({place.fault, access, place.level, failing, port}, known_ps);
  return true;
}

/// Returns how many of the `got` bytes for `to` belong to whole bursts, because a failing copy
/// writes only whole bursts.
uint64_t PagingEngine::WholeBursts(const Address& to, uint64_t got) {
  const uint64_t end = (to.at + got) / kBurst * kBurst;
  return end > to.at ? end - to.at : 0;
}

/// Returns the time at which the command's first burst may be issued.
uint64_t PagingEngine::JobPs() const {
  return parts_.agenda.now() + (moved_ == 0 ? parts_.time.Cycles(kJobCycles) : 0);
}

/// Returns the time at which `bytes`, which arrived at `ready_ps`, reach the writer. The writer
/// accepts all bytes in order.
uint64_t PagingEngine::FeedPs(uint64_t ready_ps, uint64_t bytes) {
  feed_ps_ = std::max(feed_ps_, ready_ps) + parts_.time.BusPs(bytes);
  return feed_ps_;
}

/// Reads the source bytes, which lie in one or two pages, and returns the number of bytes read. If
/// this number is below `size`, `failed` contains the reason.
uint64_t PagingEngine::ReadSource(uint64_t size, uint8_t* to, Unread& failed) {
  uint64_t got = 0;
  while (got < size) {
    const Address from = command_.source + (moved_ + got);
    const uint64_t part = std::min(size - got, ToPageEnd(from.at));
    Cost look;
    look.at = std::max(reads_.Free(JobPs()), source_known_ps_);
    Place place = path_.Resolve(read_port(), from, Access::kRead, BurstsBegun(command_.source.at, from.at, part), look);
    source_known_ps_ = look.at;
    const bool good = place.kind != Place::Kind::kFault && place.kind != Place::Kind::kClosed;
    uint64_t read = 0, known_ps = look.done;
    for (Place burst = place; good && read < part;) {
      const uint64_t bytes = std::min(part - read, kBurst - (from.at + read) % kBurst);
      Cost one;
      one.at = reads_.Free(look.at);
      const bool ok = path_.Read(burst, to + got + read, bytes, one);
      reads_ps_ = std::max(reads_ps_, one.done);
      if (!ok) {
        known_ps = one.done + ReadsBehindPs(place, moved_ + got + read + bytes);
        break;
      }
      fed_.push_back({got + read + bytes, FeedPs(std::max(one.at, one.done), bytes)});
      reads_.Take(fed_.back().ps + parts_.time.Cycles(kSlotCycles));
      burst.address += bytes;
      read += bytes;
    }
    if (good && read < part) {
      place.kind = Place::Kind::kFault;
      place.fault = Fault::kBusRead;
    }
    if (place.kind == Place::Kind::kFault || place.kind == Place::Kind::kClosed) {
      failed = {place, known_ps};
      return got;
    }
    CountRead(place, from.at, part, moved_ + got != 0);
    TellAccess(place, part, false);
    got += part;
  }
  return got;
}

/// Returns the bus time of the reads that are issued after a failing one: the command's bursts from
/// byte `from` on, limited by the number of landing slots.
uint64_t PagingEngine::ReadsBehindPs(const Place& place, uint64_t from) const {
  const uint64_t bursts = std::min<uint64_t>((command_.bytes - from + kBurst - 1) / kBurst, reads_.count() - 1);
  return bursts * (place.kind == Place::Kind::kHost ? parts_.time.PciePs(kBurst) : parts_.time.BusPs(kBurst));
}

/// Writes `size` bytes, burst by burst. A burst is issued when its data has reached the writer and
/// its address is known (`at_ps`). Returns false if the bus responded with an error.
bool PagingEngine::WritePiece(const Place& target, const uint8_t* from, uint64_t size, uint64_t at_ps) {
  const uint64_t start = command_.destination.at + moved_;
  size_t next = 0;
  for (uint64_t done = 0; done < size;) {
    const uint64_t bytes = std::min(size - done, kBurst - (start + done) % kBurst);
    uint64_t ready = 0;
    if (command_.data == Command::Data::kCopy) {
      while (next + 1 < fed_.size() && fed_[next].end < done + bytes) ++next;
      ready = fed_[next].ps;
    } else {
      ready = FeedPs(writes_.Free(fed_.empty() ? JobPs() : fed_.front().ps), bytes);
    }
    Cost one;
    one.at = writes_.Free(std::max(at_ps, ready));
    Place burst = target;
    burst.address += done;
    const bool ok = path_.Write(burst, from + done, bytes, one);
    one.Ends(one.at);
    writes_.Take(one.done);
    writes_ps_ = std::max(writes_ps_, one.done);
    if (!ok) return false;
    done += bytes;
  }
  return true;
}

/// Moves one piece of the transfer and sets `size` to its size. Returns false if a port is closed
/// or the command has failed.
bool PagingEngine::TransferPiece(uint64_t& size) {
  const Address to = command_.destination + moved_;
  std::array<uint8_t, hw::kPageSize> bytes;
  size = std::min(command_.bytes - moved_, ToPageEnd(to.at));
  Unread failed;
  uint64_t got = size;
  fed_.clear();
  if (command_.data == Command::Data::kCopy) {
    got = ReadSource(size, bytes.data(), failed);
    if (got == 0) return !Stopped(failed.place, Access::kRead, command_.source, moved_, read_port(), failed.known_ps);
  } else if (command_.data == Command::Data::kInline) {
    const uint64_t first = word_ + command_.inline_word + moved_ / 8;
    Cost words;
    if (const auto trouble = buffer_.Want(path_, fetch_port(), first + size / 8, words))
      return !Trouble(*trouble, words);
    fed_.push_back({size, std::max(words.done, JobPs())});
    Produce(size, bytes.data());
  } else {
    Produce(size, bytes.data());
  }
  Cost look;
  look.at = std::max(parts_.agenda.now(), destination_known_ps_);
  Place target = path_.Resolve(write_port(), to, Access::kWrite, BurstsBegun(command_.destination.at, to.at, size),
                               look);
  destination_known_ps_ = look.at;
  if (Stopped(target, Access::kWrite, command_.destination, moved_, write_port(), look.done)) return false;
  const uint64_t written = got == size ? size : WholeBursts(to, got);
  if (written != 0 && !WritePiece(target, bytes.data(), written, look.at)) {
    target.kind = Place::Kind::kFault;
    target.fault = Fault::kBusWrite;
    return !Stopped(target, Access::kWrite, command_.destination, moved_, write_port(), writes_ps_);
  }
  CountWrite(target, written);
  TellAccess(target, written, true);
  if (got == size) return true;
  return !Stopped(failed.place, Access::kRead, command_.source, moved_ + got, read_port(), failed.known_ps);
}

/// CountRead and CountWrite count the bytes of transfers. Fence values and accesses to zero pages
/// do not count.
void PagingEngine::CountRead(const Place& place, uint64_t at, uint64_t size, bool inside) {
  if (place.kind == Place::Kind::kZero) return;
  Counters& counters = parts_.counters;
  counters.Of<regs::CountersCopyReadBytes>() += size;
  // A source beat that a page boundary of the destination splits is read only once, but both parts
  // have counted it.
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

void PagingEngine::TellBegin(bool waits) {
  if (waits_ != nullptr) waits_->Begin({regs::NameOf(command_.header.opcode()), 8 * word_, fence_}, waits);
}

void PagingEngine::TellAccess(const Place& place, uint64_t size, bool write) {
  if (waits_ == nullptr || size == 0) return;
  using Memory = WaitChecker::Memory;
  Memory memory = Memory::kHost;
  switch (place.kind) {
    case Place::Kind::kVram: memory = Memory::kVram; break;
    case Place::Kind::kPeer: memory = WaitChecker::Peer(place.adapter); break;
    case Place::Kind::kHost: break;
    default: return;
  }
  if (write) waits_->Write(memory, place.address, size);
  else waits_->Read(memory, place.address, size);
}

/// Generates the next `size` bytes of a command without a source.
void PagingEngine::Produce(uint64_t size, uint8_t* to) const {
  const Command& c = command_;
  if (c.data == Command::Data::kInline) {
    std::memcpy(to, buffer_.at(word_ + c.inline_word + moved_ / 8), size);
    return;
  }
  uint64_t word = c.value;
  if (c.data == Command::Data::kFill) word = (word & 0xFFFFFFFF) | word << 32;
  for (uint64_t done = 0; done < size;) {
    const uint64_t at = moved_ + done, bytes = std::min(size - done, 8 - at % 8);
    const uint64_t value = (c.data == Command::Data::kSeries ? word + at / 8 * c.step : word) >> (8 * (at % 8));
    std::memcpy(to + done, &value, bytes);
    done += bytes;
  }
}

// ---- steps after a command's writes

void PagingEngine::Settle() {
  const uint64_t now = parts_.agenda.now();
  uint64_t next = now;
  switch (command_.after) {
    case Command::After::kNothing: break;
    case Command::After::kFlushAperture: parts_.aperture.Flush(); break;
    case Command::After::kFlushUnmapped:
      parts_.aperture.Flush();
      // An empty range drops no entry, but waits for accesses that are already translated.
      parts_.mmu.Invalidate(regs::Scope::kRange, 0, 0, 0);
      next = parts_.mmu.InvalidatedAt();
      break;
    case Command::After::kFlushTlb:
      parts_.mmu.Invalidate(command_.header.scope(), static_cast<unsigned>(command_.header.dst_space()), command_.start,
                            command_.end);
      next = parts_.mmu.InvalidatedAt();
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
