// SPDX-License-Identifier: Apache-2.0
#include "twin/client.h"

#include <algorithm>

#include "hw/crc32c.h"

namespace gmmu::sim::twin {
namespace {

using regs::Access;
using regs::Pattern;

constexpr unsigned kLinesAnAct = 64;
constexpr uint64_t kMostMismatches = 0xFFFFFFFF;
constexpr uint64_t kLineBits = 63;

}  // namespace

Client::Client(unsigned port, const ClientParts& parts, std::function<void()> ended)
    : port_(port), parts_(parts), ended_(std::move(ended)) {}

void Client::Reset() {
  ++generation_;
  ctrl_.raw = base_.raw = lines_.raw = order_.raw = seed_.raw = status_.raw = result_.raw = 0;
  fault_address_ = 0;
  enabled_ = busy_ = waiting_ = scheduled_ = false;
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
  last_ps_ = parts_.agenda.now();
  if (order_.count() != 0) va_ = sequence_->Next();
  Schedule(parts_.agenda.now() + parts_.time.CommandPs());
}

void Client::Schedule(uint64_t ps) {
  scheduled_ = true;
  parts_.agenda.At(ps, [this, generation = generation_] {
    if (generation != generation_) return;
    scheduled_ = false;
    Act();
  });
}

void Client::Wake() {
  if (!busy_ || scheduled_ || !waiting_ || !enabled_) return;
  waiting_ = false;
  Schedule(parts_.agenda.now());
}

void Client::Act() {
  if (!enabled_) {
    waiting_ = true;
    return;
  }
  const bool chase = ctrl_.pattern() == Pattern::kChase;
  const uint64_t now = parts_.agenda.now();
  uint64_t next = now, latency = 0;
  for (unsigned i = 0; i < kLinesAnAct; ++i) {
    if (done_ == passes() * order_.count()) return End(std::max(last_ps_, next + latency));
    Cost cost;
    if (!AccessLine(cost)) {
      last_ps_ = std::max(last_ps_, cost.done);
      if (!busy_) return;
      if (!waiting_) End(std::max(last_ps_, now));
      return;
    }
    if (chase) latency += cost.done - now;
    else next = std::max(next, cost.next), last_ps_ = std::max(last_ps_, cost.done);
  }
  Schedule(next + latency);
}

bool Client::AccessLine(Cost& cost) {
  const Address at{false, regs::Target::kSystem, static_cast<unsigned>(ctrl_.space()), va_};
  const Place place = parts_.path.Resolve(port_, at, access_, 1, cost);
  if (place.kind == Place::Kind::kClosed) {
    waiting_ = true;
    return false;
  }
  if (place.kind == Place::Kind::kFault) {
    Fault(place.fault, place.level);
    return false;
  }
  if (!(access_ == Access::kWrite ? WriteLine(place, cost) : ReadLine(place, cost))) return false;
  ++done_;
  if (++passed_ == order_.count() && done_ < passes() * order_.count()) {
    access_ = Access::kRead;  // the pass that reads back
    sequence_.emplace(Lines());
    passed_ = 0;
  }
  if (ctrl_.pattern() != Pattern::kChase) va_ = sequence_->Next();
  return true;
}

bool Client::WriteLine(const Place& place, Cost& cost) {
  Line words;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = ctrl_.verify() != 0 ? hw::AddressPattern(seed_.value(), va_ + 8 * i)
                                   : seed_.value() + passed_ * words.size() + i;
  }
  if (!parts_.path.Write(place, words.data(), sizeof words, cost)) {
    Fault(regs::Fault::kBusWrite, 0);
    return false;
  }
  parts_.counters.Of<regs::CountersClientWriteBytes>() += sizeof words;
  return true;
}

bool Client::ReadLine(const Place& place, Cost& cost) {
  Line words;
  const uint64_t depth = ctrl_.depth() != 0 ? ctrl_.depth() : ~uint64_t{0};
  const uint64_t slots = parts_.time.parameters().client_slots;
  if (!parts_.path.Read(place, words.data(), sizeof words, std::min(depth, slots) * sizeof words, cost)) {
    Fault(regs::Fault::kBusRead, 0);
    return false;
  }
  crc_ = hw::Crc32c(crc_, words.data(), sizeof words);
  const bool chase = ctrl_.pattern() == Pattern::kChase;
  if (ctrl_.verify() != 0 && !chase) {
    for (size_t i = 0; i < words.size(); ++i)
      mismatches_ += words[i] != hw::AddressPattern(seed_.value(), va_ + 8 * i) ? 1 : 0;
  }
  if (chase) va_ = words[0] & ~kLineBits;
  parts_.counters.Of<regs::CountersClientReadBytes>() += sizeof words;
  return true;
}

void Client::Fault(regs::Fault reason, unsigned level) {
  FaultReport report;
  report.reason = reason;
  report.space = static_cast<unsigned>(ctrl_.space());
  report.port = port_;
  report.access = access_;
  report.level = level;
  report.address = va_;
  parts_.faults.Report(report);
  status_.set_fault(1).set_reason(reason).set_level(level);
  fault_address_ = va_;
}

void Client::End(uint64_t ps) {
  scheduled_ = true;
  parts_.agenda.At(ps, [this, generation = generation_] {
    if (generation != generation_) return;
    scheduled_ = false;
    busy_ = false;
    status_.set_count(done_);
    result_.set_crc(crc_).set_mismatches(std::min(mismatches_, kMostMismatches));
    ended_();
  });
}

}  // namespace gmmu::sim::twin
