// SPDX-License-Identifier: Apache-2.0
#include "replay/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "replay/replay.h"

namespace gmmu::replay {
namespace {

constexpr uint64_t kLine = 64;

regs::Access AccessOf(trace::Kind kind) {
  switch (kind) {
    case trace::Kind::kRead: return regs::Access::kRead;
    case trace::Kind::kWrite: return regs::Access::kWrite;
    case trace::Kind::kExecute: return regs::Access::kExecute;
  }
  return regs::Access::kRead;
}

uint64_t Lines(uint64_t at, uint64_t end) { return (end - 1) / kLine - at / kLine + 1; }

}  // namespace

Traffic::Traffic(trace::Source& source, std::function<uint64_t(uint64_t)> moved, const Shape& shape)
    : source_(source),
      moved_(std::move(moved)),
      shape_(shape),
      warps_(size_t{shape.compute_units} * shape.warps),
      units_(shape.compute_units),
      tally_(shape.compute_units) {}

void Traffic::Begin(uint64_t accesses, uint64_t cycle) {
  tally_ = Tally(shape_.compute_units);
  epoch_ = {};
  left_ = accesses;
  begin_ = cycle;
  first_arrival_.reset();
  exhausted_ = false;
  for (Unit& unit : units_) unit.starved.clear();
  for (Warp& warp : warps_) warp.starved = false;
  for (unsigned warp = 0; warp < warps_.size(); ++warp) {
    warps_[warp].last_issue = warps_[warp].last_answer = cycle;
    MakeReady(warp);
  }
}

bool Traffic::done() const {
  if (error_) std::rethrow_exception(error_);
  return exhausted_ && read_ahead_ == 0 && in_flight_ == 0;
}

EpochTally Traffic::TakeEpoch() { return std::exchange(epoch_, {}); }

uint64_t Traffic::next_due() const {
  uint64_t first = kNever;
  for (const Unit& unit : units_) {
    if (unit.at != unit.end || !unit.again.empty()) return 0;
    if (!unit.ready.empty()) first = std::min(first, unit.ready.top().cycle);
  }
  return first;
}

/// Reads the source until the warp has an access. Returns false if the source has no more accesses
/// for the warp, or if the look-ahead is full of accesses for other warps.
bool Traffic::Fill(unsigned warp) {
  while (warps_[warp].next.empty()) {
    if (exhausted_ || read_ahead_ >= kLookAhead) return false;
    std::optional<trace::Access> access;
    try {
      if (left_ != 0) access = source_.Next();
    } catch (...) {  // must not propagate into the machine
      error_ = std::current_exception();
    }
    if (!access) {
      exhausted_ = true;
      return false;
    }
    --left_;
    if (!first_arrival_) first_arrival_ = access->cycles;
    const uint64_t owner = (shape_.deal ? dealt_++ : access->stream) % warps_.size();
    warps_[owner].next.push_back(*access);
    ++read_ahead_;
  }
  return true;
}

void Traffic::MakeReady(unsigned number) {
  Warp& warp = warps_[number];
  if (warp.ready || warp.starved || (!shape_.open && warp.in_flight >= shape_.window)) return;
  Unit& unit = UnitOf(number);
  if (!Fill(number)) {
    if (exhausted_) return;
    warp.starved = true;
    unit.starved.push_back(number);
    return;
  }
  const trace::Access& next = warp.next.front();
  const uint64_t wait = shape_.open ? next.cycles - std::min(next.cycles, *first_arrival_)
                                    : next.cycles + std::min(shape_.gap, kNever - next.cycles);
  const uint64_t from = shape_.open ? begin_ : warp.last_answer;
  if (from > shape_.last_cycle || wait > shape_.last_cycle - from) {
    error_ = std::make_exception_ptr(ReplayError(fmt::format(
        "{}: an access at {:#x} is due {} cycles behind cycle {}, and the machine's time ends at cycle {}\n"
        "Give {}.",
        shape_.workload, next.address, wait, from, shape_.last_cycle,
        shape_.gap != 0 ? "a smaller --gap" : "a workload that waits less, or a part of it (--skip N, --accesses N)")));
    return;
  }
  unit.ready.push({shape_.open ? from + wait : std::max(warp.last_issue, from + wait), order_++, number});
  warp.ready = true;
}

uint64_t Traffic::Due(unsigned client) {
  if (client >= units_.size()) return kNever;
  Unit& unit = units_[client];
  if (unit.at != unit.end || !unit.again.empty()) return 0;
  if (!unit.starved.empty()) {
    for (const unsigned warp : std::exchange(unit.starved, {})) {
      warps_[warp].starved = false;
      MakeReady(warp);
    }
  }
  return unit.ready.empty() ? kNever : unit.ready.top().cycle;
}

/// Merges the warp's next accesses to the same lines into this one. Stops at an access that is
/// preceded by compute time.
void Traffic::Coalesce(unsigned number, Unit& unit, Pending& pending) {
  const uint64_t low = unit.at / kLine * kLine, high = (unit.end + kLine - 1) / kLine * kLine;
  while (Fill(number)) {
    const trace::Access& next = warps_[number].next.front();
    const uint64_t end = next.address + next.bytes;
    if (next.kind != pending.kind || next.cycles != 0 || next.address < low || end > high) return;
    unit.at = std::min(unit.at, next.address);
    unit.end = std::max(unit.end, end);
    warps_[number].next.pop_front();
    --read_ahead_;
    ++pending.accesses;
  }
}

/// Issues the access that became ready first.
void Traffic::Issue(Unit& unit, uint64_t cycle) {
  const Ready first = unit.ready.top();
  unit.ready.pop();
  Warp& warp = warps_[first.warp];
  warp.ready = false;
  warp.last_issue = cycle;
  const trace::Access access = warp.next.front();
  warp.next.pop_front();
  --read_ahead_;
  Pending pending{first.warp, first.cycle, 1, 0, access.kind};
  unit.at = access.address;
  unit.end = access.address + access.bytes;
  if (shape_.coalesce) Coalesce(first.warp, unit, pending);
  pending.requests = Lines(unit.at, unit.end);
  unit.pending = Keep(pending_, free_, pending);
  ++warp.in_flight;
  ++in_flight_;
  MakeReady(first.warp);
}

template <typename T>
size_t Traffic::Keep(std::vector<T>& all, std::vector<size_t>& free, const T& one) {
  if (free.empty()) {
    all.push_back(one);
    return all.size() - 1;
  }
  const size_t at = free.back();
  free.pop_back();
  all[at] = one;
  return at;
}

hw::ClientRequest Traffic::Take(unsigned client, uint64_t cycle) {
  Unit& unit = units_[client];
  if (!unit.again.empty()) {
    const size_t request = unit.again.front();
    unit.again.pop_front();
    return requests_[request].sent;
  }
  if (unit.at == unit.end) Issue(unit, cycle);
  tally_.first_cycle = std::min(tally_.first_cycle, cycle);
  const uint64_t bytes = std::min(unit.end - unit.at, kLine - unit.at % kLine);
  const Pending& pending = pending_[unit.pending];
  hw::ClientRequest request{moved_(unit.at), 0, static_cast<uint8_t>(bytes), shape_.space, AccessOf(pending.kind),
                            pending.warp + 1};
  request.tag = Keep(requests_, free_requests_, {request, unit.pending, client, false});
  requests_[request.tag].sent.tag = request.tag;
  unit.at += bytes;
  tally_.bytes += bytes;
  return request;
}

void Traffic::Wait(size_t request, uint64_t cycle) {
  if (requests_[request].waits) return;
  requests_[request].waits = true;
  far_faults_.push_back({requests_[request].sent.va, cycle});
  waiting_.push_back(request);
}

void Traffic::Stalled(unsigned /*client*/, const hw::ClientRequest& request, uint64_t cycle) {
  if (shape_.demand) Wait(request.tag, cycle);
}

void Traffic::Retry(const std::function<bool(uint64_t)>& mapped, uint64_t cycle, events::Histogram& waited) {
  for (const uint64_t wait : std::exchange(early_waits_, {})) waited.Add(wait);
  size_t kept = 0;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    Request& request = requests_[waiting_[i]];
    if (!mapped(request.sent.va)) {
      waiting_[kept] = waiting_[i];
      far_faults_[kept++] = far_faults_[i];
      continue;
    }
    waited.Add(cycle - std::min(cycle, far_faults_[i].cycle));
    // A request whose `retry` is false is still in its port, which translates it again without
    // being asked.
    if (request.retry) units_[request.client].again.push_back(waiting_[i]);
    request.waits = request.retry = false;
  }
  waiting_.resize(kept);
  far_faults_.resize(kept);
}

void Traffic::Answered(unsigned client, const hw::ClientAnswer& answer) {
  Request& request = requests_[answer.tag];
  if (shape_.demand && answer.fault == regs::Fault::kEntryInvalid) {
    request.retry = true;
    return Wait(answer.tag, answer.answered);
  }
  if (request.waits) {  // the port retried it before Retry, so its wait is over
    const auto at = std::find(waiting_.begin(), waiting_.end(), answer.tag) - waiting_.begin();
    early_waits_.push_back(answer.answered - std::min(answer.answered, far_faults_[static_cast<size_t>(at)].cycle));
    waiting_.erase(waiting_.begin() + at);
    far_faults_.erase(far_faults_.begin() + at);
  }
  if (shape_.demand) shape_.touched(request.sent.va, request.sent.access == regs::Access::kWrite);
  free_requests_.push_back(answer.tag);
  ++tally_.requests;
  tally_.faults += answer.fault != regs::Fault::kNone ? 1 : 0;
  tally_.port_latency.Add(answer.answered - answer.requested);
  tally_.last_cycle = std::max(tally_.last_cycle, answer.answered);
  Pending& pending = pending_[request.pending];
  if (--pending.requests == 0) {
    free_.push_back(request.pending);
    Finish(client, pending, answer.answered);
  }
}

void Traffic::Finish(unsigned client, const Pending& pending, uint64_t cycle) {
  const uint64_t latency = cycle - pending.due;
  tally_.accesses += pending.accesses;
  tally_.merged += pending.accesses - 1;
  tally_.latency.Add(latency, pending.accesses);
  tally_.by_kind[static_cast<size_t>(pending.kind)].Add(latency, pending.accesses);
  tally_.by_client[client].Add(latency, pending.accesses);
  epoch_.accesses += pending.accesses;
  epoch_.latency.Add(latency, pending.accesses);
  --in_flight_;
  Warp& warp = warps_[pending.warp];
  --warp.in_flight;
  warp.last_answer = cycle;
  MakeReady(pending.warp);
}

}  // namespace gmmu::replay
