// SPDX-License-Identifier: Apache-2.0
#include "twin/client.h"

#include <algorithm>
#include <utility>

#include "hw/crc32c.h"
#include "twin/turns.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Pattern;

constexpr uint64_t kAheadCycles = 64;  // how far ahead of time one event performs accesses
constexpr uint64_t kLineCycles = 2;    // between the starts of two lines
constexpr uint64_t kAgainCycles = 25;  // to restart a walk, in addition to its memory read
constexpr uint64_t kAnswerCycles = 6;  // from the end of an access to the reuse of its slot
constexpr uint64_t kStartCycles = 20;  // from the write that starts a run to the first line
constexpr uint64_t kEndCycles = 14;    // from the check of the last response to the end of the run
constexpr uint64_t kMostMismatches = 0xFFFFFFFF;
constexpr uint64_t kLineBits = 63;

}  // namespace

Client::Client(unsigned port, const ClientParts& parts, std::function<void()> ended)
    : port_(port), parts_(parts), ended_(std::move(ended)) {}

void Client::Reset() {
  ++generation_;
  ctrl_.raw = base_.raw = lines_.raw = order_.raw = seed_.raw = status_.raw = result_.raw = 0;
  fault_address_ = 0;
  ++acts_;
  enabled_ = busy_ = waiting_ = scheduled_ = queued_ = turn_ = ending_ = false;
  lines_under_way_.clear();
}

// ---- registers

uint64_t Client::Read(uint32_t offset) const {
  switch (offset) {
    case regs::ClientCtrl::kOffset: return ctrl_.raw;
    case regs::ClientBase::kOffset: return base_.raw;
    case regs::ClientLines::kOffset: return lines_.raw;
    case regs::ClientOrder::kOffset: return order_.raw;
    case regs::ClientSeed::kOffset: return seed_.raw;
    case regs::ClientStatus::kOffset: return regs::ClientStatus(status_).set_busy(busy_ ? 1 : 0).raw;
    case regs::ClientResult::kOffset: return result_.raw;
    case regs::ClientFaultAddress::kOffset: return fault_address_;
    default: return 0;
  }
}

void Client::Write(uint32_t offset, uint64_t value) {
  if (busy_) return;
  switch (offset) {
    case regs::ClientCtrl::kOffset: {
      const regs::ClientCtrl wanted{value};
      ctrl_ = regs::ClientCtrl()
                  .set_verify(wanted.verify())
                  .set_access(wanted.access())
                  .set_pattern(wanted.pattern())
                  .set_space(wanted.space())
                  .set_depth(wanted.depth())
                  .set_footprint_lg2(wanted.footprint_lg2());
      if (wanted.start() != 0) Start();
      return;
    }
    case regs::ClientBase::kOffset: base_.raw = value; return;
    case regs::ClientLines::kOffset: lines_.raw = value; return;
    case regs::ClientOrder::kOffset: order_.raw = value; return;
    case regs::ClientSeed::kOffset: seed_.raw = value; return;
    default: return;
  }
}

// ---- the run

hw::TrafficLines Client::Lines() const {
  hw::TrafficLines lines;
  lines.pattern = ctrl_.pattern();
  lines.footprint_lg2 = std::min(32u, static_cast<unsigned>(ctrl_.footprint_lg2()));
  lines.base = base_.va() & ~kLineBits;
  lines.first = static_cast<uint32_t>(lines_.first());
  lines.stride = static_cast<uint32_t>(lines_.stride());
  lines.count = static_cast<uint32_t>(order_.count());
  lines.step = static_cast<uint32_t>(order_.step());
  lines.seed = seed_.value();
  return lines;
}

void Client::Start() {
  busy_ = true;
  status_.raw = result_.raw = 0;
  fault_address_ = 0;
  const bool chase = ctrl_.pattern() == Pattern::kChase;
  access_ = chase ? Access::kRead : ctrl_.access();
  verified_write_ = access_ == Access::kWrite && ctrl_.verify() != 0;
  sequence_.emplace(Lines());
  done_ = passed_ = mismatches_ = 0;
  crc_ = 0;
  last_ps_ = looked_ps_ = parts_.agenda.now();
  const unsigned built = parts_.time.parameters().client_slots;
  const auto depth = static_cast<unsigned>(ctrl_.depth());
  slots_ = Window(chase ? 1 : depth == 0 ? built : std::min(depth, built));
  issue_ps_ = 0;
  issued_ = 0;
  turn_ = false;
  lines_under_way_.clear();
  if (order_.count() != 0) va_ = sequence_->Next();
  Schedule(parts_.agenda.now() + parts_.time.Cycles(kStartCycles));
}

/// Schedules an event at `ps`, unless an earlier event is already scheduled.
void Client::Schedule(uint64_t ps) {
  ps = std::max(ps, parts_.agenda.now());
  if (scheduled_ && scheduled_ps_ <= ps) return;
  scheduled_ = true;
  scheduled_ps_ = ps;
  parts_.agenda.At(ps, [this, act = ++acts_] {
    if (act != acts_) return;
    scheduled_ = false;
    Act();
  });
}

void Client::Wake() {
  if (!busy_ || !waiting_ || !enabled_) return;
  waiting_ = false;
  Schedule(parts_.agenda.now());
}

void Client::Act() {
  if (ending_) return;
  if (!enabled_) {
    waiting_ = true;
    return;
  }
  const uint64_t now = parts_.agenda.now(), ahead = now + parts_.time.Cycles(kAheadCycles);
  for (;;) {
    if (!MoveLines(ahead)) return;
    if (passed_ == order_.count()) {
      if (done_ == passes() * order_.count()) return End(std::max(last_ps_ + parts_.time.Cycles(kEndCycles), now));
      access_ = Access::kRead;  // start the pass that reads the data back
      sequence_.emplace(Lines());
      va_ = sequence_->Next();
      issued_ = passed_ = 0;
      issue_ps_ = last_ps_;  // passes do not overlap
    }
    const bool behind = !lines_under_way_.empty();
    const bool last = issued_ == order_.count() || lines_under_way_.size() == slots_.count() ||
                      (behind && lines_under_way_.back().place.kind == Place::Kind::kFault);
    Cost cost;
    cost.at = last ? ahead + 1 : slots_.Free(std::max(issue_ps_, now), lines_under_way_.size());
    if (cost.at > ahead) {
      if (behind && !queued_) Schedule(std::max(lines_under_way_.front().cost.at, now + 1));
      if (!last) Schedule(cost.at);
      return;
    }
    issue_ps_ = cost.at + parts_.time.Cycles(kLineCycles);
    if (!AskLine(cost)) return;
  }
}

/// Requests the translation of the next line. Returns false if the port is closed.
bool Client::AskLine(Cost cost) {
  LineUnderWay line;
  line.va = va_;
  line.cost = cost;
  if (!Translate(line)) return false;
  lines_under_way_.push_back(line);
  ++issued_;
  if (ctrl_.pattern() != Pattern::kChase) va_ = sequence_->Next();
  return true;
}

bool Client::Translate(LineUnderWay& line, bool again) {
  const Address at{false, regs::Target::kSystem, static_cast<unsigned>(ctrl_.space()), line.va};
  line.epoch = parts_.path.mmu().epoch();
  line.place = parts_.path.Resolve(port_, at, access_, again ? 0 : 1, line.cost);  // a replay is not counted
  waiting_ = line.place.kind == Place::Kind::kClosed;
  return !waiting_;
}

/// Performs, in order, the accesses of lines whose translation is known by `ahead`. Returns false
/// if the run must wait or has ended.
bool Client::MoveLines(uint64_t ahead) {
  while (!lines_under_way_.empty() && lines_under_way_.front().cost.at <= ahead) {
    LineUnderWay& line = lines_under_way_.front();
    // Replay a translation that may be stale, or that was requested while the port was closed.
    if (line.epoch != parts_.path.mmu().epoch() || line.place.kind == Place::Kind::kClosed) {
      line.cost.at = std::max(line.cost.at, parts_.agenda.now());
      if (!Translate(line, true)) return false;
      continue;
    }
    if (parts_.path.Closed(line.place)) {
      waiting_ = true;
      return false;
    }
    const bool in_turn = line.place.kind == Place::Kind::kVram && access_ != Access::kWrite;
    if (in_turn && !std::exchange(turn_, false) && (queued_ || parts_.turns.Busy(line.cost.at))) {
      if (!queued_) WaitForTurn();
      return true;
    }
    Cost& cost = line.cost;
    const bool moved = line.place.kind != Place::Kind::kFault && MoveLine(line);
    if (!moved) {
      if (line.place.kind == Place::Kind::kFault) Fault(line.va, line.place.fault, line.place.level);
      last_ps_ = std::max(last_ps_, cost.done);
      End(std::max(last_ps_, parts_.agenda.now()) + BehindFault(line));
      return false;
    }
    Answered(cost);
    lines_under_way_.pop_front();
  }
  return true;
}

void Client::WaitForTurn() {
  queued_ = true;
  parts_.turns.Wait([this, generation = generation_] {
    if (generation != generation_) return;
    queued_ = false;
    turn_ = true;
    Act();
  });
}

/// Returns the time for the other lines that were requested before the fault was known. A fault is
/// reported only to the lookup that started the walk, so the other lines of the faulting page
/// repeat the walk one after the other.
uint64_t Client::BehindFault(const LineUnderWay& faulted) const {
  if (faulted.place.kind != Place::Kind::kFault || ctrl_.pattern() != Pattern::kOrder) return 0;
  const uint64_t line = parts_.time.Cycles(kLineCycles);
  const uint64_t until = std::max(faulted.cost.at, issue_ps_) - issue_ps_;
  const uint64_t lines = std::min({until / line, slots_.count() - 1, order_.count() - passed_ - 1,
                                   (hw::kPageSize - faulted.va % hw::kPageSize) / kLine - 1});
  return lines * parts_.time.Cycles(parts_.time.parameters().vram_latency + kAgainCycles);
}

/// Records the times of an access after it has been performed.
void Client::Answered(const Cost& cost) {
  const uint64_t words = parts_.time.Cycles(kLine / 8), end = std::max(cost.at, cost.done);
  // A write's data is sent before its address, so the next line waits for these beats.
  if (access_ == Access::kWrite) issue_ps_ = std::max(issue_ps_, cost.at + words);
  looked_ps_ = std::max(looked_ps_ + words, end + parts_.time.Cycles(kAnswerCycles));
  slots_.Take(looked_ps_);
  last_ps_ = std::max(last_ps_, looked_ps_);
}

bool Client::MoveLine(LineUnderWay& line) {
  if (!(access_ == Access::kWrite ? WriteLine(line) : ReadLine(line))) return false;
  ++done_;
  ++passed_;
  return true;
}

bool Client::WriteLine(LineUnderWay& line) {
  Line words;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = ctrl_.verify() != 0 ? hw::AddressPattern(seed_.value(), line.va + 8 * i)
                                   : seed_.value() + passed_ * words.size() + i;
  }
  if (!parts_.path.Write(line.place, words.data(), sizeof words, line.cost)) {
    Fault(line.va, regs::Fault::kBusWrite, 0);
    return false;
  }
  parts_.counters.Of<regs::CountersClientWriteBytes>() += sizeof words;
  return true;
}

bool Client::ReadLine(LineUnderWay& line) {
  Line words;
  if (!parts_.path.Read(line.place, words.data(), sizeof words, line.cost)) {
    Fault(line.va, regs::Fault::kBusRead, 0);
    return false;
  }
  crc_ = hw::Crc32c(crc_, words.data(), sizeof words);
  const bool chase = ctrl_.pattern() == Pattern::kChase;
  if (ctrl_.verify() != 0 && !chase) {
    for (size_t i = 0; i < words.size(); ++i)
      mismatches_ += words[i] != hw::AddressPattern(seed_.value(), line.va + 8 * i) ? 1 : 0;
  }
  if (chase) va_ = words[0] & ~kLineBits;
  parts_.counters.Of<regs::CountersClientReadBytes>() += sizeof words;
  return true;
}

void Client::Fault(uint64_t va, regs::Fault reason, unsigned level) {
  FaultReport report;
  report.reason = reason;
  report.space = static_cast<unsigned>(ctrl_.space());
  report.port = port_;
  report.access = access_;
  report.level = level;
  report.address = va;
  parts_.faults.Report(report);
  status_.set_fault(1).set_reason(reason).set_level(level);
  fault_address_ = va;
}

void Client::End(uint64_t ps) {
  ending_ = true;
  parts_.agenda.At(ps, [this, generation = generation_] {
    if (generation != generation_) return;
    busy_ = ending_ = false;
    status_.set_count(done_);
    result_.set_crc(crc_).set_mismatches(std::min(mismatches_, kMostMismatches));
    ended_();
  });
}

}  // namespace gmmu::sim::twin
