// SPDX-License-Identifier: Apache-2.0
#include "twin/paging_engine.h"

#include <algorithm>

#include "probe/wait_checker.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Fault;

constexpr uint64_t kEntryBytes = 32;
constexpr uint64_t kEntryReserved = ~(uint64_t{0xFFFFFFFF} | uint64_t{1} << 32 | uint64_t{3} << 34 |
                                      uint64_t{0xFF} << 40 | uint64_t{1} << 48);
constexpr uint64_t kAddressEnd = uint64_t{1} << 48;

}  // namespace

PagingEngine::PagingEngine(unsigned rings, const EngineParts& parts, Raise raise)
    : parts_(parts),
      path_(parts.mmu, parts.aperture, parts.memory),
      raise_(std::move(raise)),
      rings_(rings),
      reads_(parts.time.parameters().engine_reads),
      writes_(2 * parts.time.parameters().engine_reads) {}

void PagingEngine::Reset() {
  ++generation_;
  for (Ring& ring : rings_) ring = Ring();
  state_ = State::kNone;
  failing_.reset();
  waiting_ = scheduled_ = enabled_ = false;
  current_ = 0;
}

void PagingEngine::Schedule(uint64_t ps) {
  scheduled_ = true;
  parts_.agenda.At(ps, [this, generation = generation_] {
    if (generation != generation_) return;
    scheduled_ = false;
    Act();
  });
}

bool PagingEngine::idle() const {
  if (state_ != State::kNone) return false;
  return !enabled_ || std::none_of(rings_.begin(), rings_.end(), [](const Ring& ring) { return ring.HasWork(); });
}

void PagingEngine::Wake() {
  AnswerPreemptions();
  if (scheduled_) return;
  if (state_ == State::kNone) {
    if (!idle() && parts_.memory.host_open()) Schedule(parts_.agenda.now());
    return;
  }
  const bool abandoned = rings_[current_].life != life_;
  if (waiting_ && (abandoned || parts_.memory.host_open())) {
    waiting_ = false;
    Schedule(parts_.agenda.now());
  }
}

void PagingEngine::Act() {
  if (state_ == State::kNone) return TakeEntry();
  if (rings_[current_].life != life_) return End();  // the ring was disabled
  if (parts_.memory.held() && state_ != State::kDone && state_ != State::kFailed) return Wait();
  switch (state_) {
    case State::kEntry:
    case State::kCommand: return NextCommand();
    case State::kJob: return Transfer();
    case State::kSettle: return Settle();
    case State::kStop: return Preempt();
    case State::kFence: return WriteFence();
    case State::kDone: return Complete();
    case State::kFailed: return Failed();
    case State::kNone: return;
  }
}

// ---- entries

Address PagingEngine::EntryAddress() const {
  const Ring& ring = rings_[current_];
  return {true, ring.base.target(), 0, ring.base.address() + kEntryBytes * ring.head};
}

void PagingEngine::TakeEntry() {
  if (!enabled_ || !parts_.memory.host_open()) return;
  unsigned next = current_;
  for (unsigned i = 1; i <= rings(); ++i) {  // round-robin, from the ring after the last one
    next = (current_ + i) % rings();
    if (rings_[next].HasWork()) break;
  }
  Ring& ring = rings_[next];
  if (!ring.HasWork()) return;
  current_ = next;
  life_ = ring.life;
  ring.busy = true;
  began_ps_ = writes_ps_ = reads_ps_ = parts_.agenda.now();
  fence_ = 0;
  word_ = 0;
  signalled_ = false;
  state_ = State::kEntry;
  buffer_ = Buffer();
  if (waits_ != nullptr) waits_->Done();

  Cost cost;
  const Address at = EntryAddress();
  if (ring.overrun() || at.at >= kAddressEnd)
    return Fail({Fault::kRingFetch, Access::kRead, 0, at, fetch_port()}, began_ps_);
  const Place place = path_.Resolve(fetch_port(), at, Access::kRead, 0, cost);
  if (place.kind == Place::Kind::kFault) return Fail({place.fault, Access::kRead, 0, at, fetch_port()}, began_ps_);
  uint64_t words[kEntryBytes / 8];
  if (!path_.Read(place, words, sizeof words, cost))
    return Fail({Fault::kRingFetch, Access::kRead, 0, at, fetch_port()}, cost.done);
  shape_.raw = words[1];
  fence_ = static_cast<uint32_t>(words[2]);
  buffer_ = Buffer({shape_.physical() != 0, shape_.target(), static_cast<unsigned>(shape_.space()), words[0]},
                   shape_.bytes());
  if (JudgeEntry(cost.done)) Schedule(cost.done + parts_.time.EntryPs());
}

/// Checks the entry, which arrived at `known_ps`. Returns false if the check fails and the ring
/// stops.
bool PagingEngine::JudgeEntry(uint64_t known_ps) {
  const Address& from = buffer_.from();
  const uint64_t bytes = shape_.bytes(), end = from.at + bytes;
  const bool wraps = end != 0 && end < from.at;
  const bool beyond = from.physical && (from.at >= kAddressEnd || end > kAddressEnd);
  Fault reason = Fault::kNone;
  if (from.at % 8 != 0 || bytes % 8 != 0 || (shape_.raw & kEntryReserved) != 0 || wraps || beyond)
    reason = Fault::kRingFetch;
  else if (from.physical && rings_[current_].ctrl.privileged() == 0) reason = Fault::kNotPrivileged;
  else if (!from.physical && from.space >= parts_.mmu.spaces()) reason = Fault::kSpaceDisabled;
  if (reason == Fault::kNone) return true;
  buffer_ = Buffer();
  Fail({reason, Access::kRead, 0, EntryAddress(), fetch_port()}, known_ps);
  return false;
}

void PagingEngine::WriteFence() {
  if (!parts_.memory.host_open()) return Wait();
  Ring& ring = rings_[current_];
  const uint64_t record[2] = {regs::FenceRecordCompletion().set_fence(fence_).set_entries(ring.entries + 1).raw,
                              parts_.time.CycleAt(parts_.agenda.now())};
  Cost cost;
  parts_.memory.WriteHost(ring.fence_address.address(), record, sizeof record, cost);
  state_ = State::kDone;
  Schedule(cost.done);
}

void PagingEngine::Complete() {
  Ring& ring = rings_[current_];
  ++ring.entries;
  ring.head = (ring.head + 1) & ring.mask();
  ring.last_fence = fence_;
  parts_.counters.Of<regs::CountersRingEntries>() += 1;
  if (shape_.irq() != 0) raise_(regs::IntStatus().set_fence(1).raw);
  End();
}

/// Reports preemption for all rings that requested it and have no entry in progress.
void PagingEngine::AnswerPreemptions() {
  for (Ring& ring : rings_) {
    if (ring.busy || !ring.OwesPreemption()) continue;
    ring.status.set_preempted(1);
    raise_(regs::IntStatus().set_preempted(1).raw);
  }
}

/// Preempts the entry before its next command, after all writes of the previous commands are done.
void PagingEngine::Preempt() {
  Ring& ring = rings_[current_];
  ring.status = regs::RingStatus().set_preempted(1).set_fence(fence_);
  ring.error_command = regs::RingErrorCommand().set_offset(8 * word_);
  End();
  raise_(regs::IntStatus().set_preempted(1).raw);
}

/// Ends the entry after it has completed, failed or been preempted.
void PagingEngine::End() {
  rings_[current_].busy = false;
  state_ = State::kNone;
  waiting_ = false;
  parts_.counters.Of<regs::CountersEngineCycles>() += parts_.time.CycleAt(parts_.agenda.now() - began_ps_);
  Wake();
}

/// Records a fault that is known at `known_ps`. It stops the ring as soon as nothing is in flight.
void PagingEngine::Fail(const Stop& stop, uint64_t known_ps) {
  failing_ = stop;
  failing_state_ = std::exchange(state_, State::kFailed);
  Schedule(std::max({parts_.agenda.now(), known_ps, writes_ps_, reads_ps_}));
}

void PagingEngine::Failed() {
  const Stop stop = *std::exchange(failing_, std::nullopt);
  state_ = failing_state_;
  Ring& ring = rings_[current_];
  FaultReport report;
  report.reason = stop.reason;
  report.space = stop.address.physical ? 0 : stop.address.space;
  report.port = stop.port;
  report.access = stop.access;
  report.level = stop.level;
  report.physical = stop.address.physical;
  report.address = stop.address.at;
  report.fence = fence_;
  parts_.faults.Report(report);
  ring.status = regs::RingStatus()
                    .set_error(1)
                    .set_reason(stop.reason)
                    .set_access(stop.access)
                    .set_level(stop.level)
                    .set_fence(fence_);
  const bool has_header = state_ == State::kJob || state_ == State::kSettle;
  ring.error_command =
      regs::RingErrorCommand().set_offset(8 * word_).set_header(has_header ? command_.header.raw & 0xFFFFFFFF : 0);
  ring.error_address = stop.address.at;
  End();
  raise_(regs::IntStatus().set_ring_error(1).raw);
}

}  // namespace gmmu::sim::twin
