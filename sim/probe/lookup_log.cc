// SPDX-License-Identifier: Apache-2.0
#include "probe/lookup_log.h"

#include <algorithm>
#include <utility>

namespace gmmu::sim {

using hw::Cause;
using hw::Ending;

namespace {

constexpr size_t kMostUnclaimed = 256;  // limit on the walks kept per port for a later match

bool SamePage(uint64_t a, uint64_t b) { return (a ^ b) >> 12 == 0; }

}  // namespace

LookupLog::LookupLog(hw::EventSink& sink, unsigned unit, unsigned ports, const WalkLog& walks)
    : sink_(sink), unit_(unit), walks_(walks), ports_(ports) {}

std::shared_ptr<LoggedLookup> LookupLog::Taken(uint64_t cycle, unsigned port, unsigned tag, unsigned space, uint64_t va,
                                               regs::Access access) {
  auto lookup = std::make_shared<LoggedLookup>();
  lookup->event.unit = unit_;
  lookup->event.number = ++lookups_;
  lookup->event.begin = cycle;
  lookup->event.port = port;
  lookup->event.space = space;
  lookup->event.tag = tag;
  lookup->event.va = va;
  lookup->event.access = access;
  ports_[port].pending.push_back(lookup);
  sink_.Depth(unit_, hw::Gauge::kLookups, cycle, ++waiting_);
  return lookup;
}

void LookupLog::Walks(const std::shared_ptr<LoggedWalk>& walk) {
  auto& walks = ports_[walk->event.port].walks;
  walks.push_back(walk);
  if (walks.size() > kMostUnclaimed) walks.pop_front();
}

/// Returns the walk that the lookup started or joined, or null if there was none.
std::shared_ptr<LoggedWalk> LookupLog::WalkOf(const hw::LookupEvent& event, Count count) {
  if (count == Count::kHit) return nullptr;
  if (count == Count::kMerged) {
    const auto walk = walks_.Find(event.space, event.va, true, event.begin, event.end);
    return walk ? walk : walks_.Find(event.space, event.va, false, event.begin, event.end);
  }
  auto& walks = ports_[event.port].walks;
  const auto found = std::find_if(walks.begin(), walks.end(), [&](const auto& walk) {
    const hw::WalkEvent& w = walk->event;
    return w.space == event.space && SamePage(w.va, event.va) && w.begin >= event.begin && w.begin <= event.end;
  });
  if (found == walks.end()) return nullptr;
  const auto walk = *found;
  walks.erase(found);
  return walk;
}

void LookupLog::Answered(uint64_t cycle, unsigned port, unsigned tag, regs::Fault fault, bool zero) {
  Port& p = ports_[port];
  const auto found = std::find_if(p.pending.begin(), p.pending.end(),
                                  [&](const auto& lookup) { return lookup->event.tag == tag; });
  if (found == p.pending.end()) return;
  const auto lookup = *found;
  p.pending.erase(found);
  sink_.Depth(unit_, hw::Gauge::kLookups, cycle, --waiting_);
  lookup->event.end = cycle;
  lookup->event.fault = fault;
  lookup->zero = zero;
  lookup->answered = true;
  p.answered.push_back(lookup);
  if (p.counts.empty()) return;
  const Count count = p.counts.front();
  p.counts.pop_front();
  p.answered.pop_front();
  Tell(*lookup, count);
}

void LookupLog::Counted(unsigned port, Count count) {
  Port& p = ports_[port];
  if (p.answered.empty()) return p.counts.push_back(count);
  const auto lookup = p.answered.front();
  p.answered.pop_front();
  Tell(*lookup, count);
}

void LookupLog::Tell(LoggedLookup& lookup, Count count) {
  hw::LookupEvent& e = lookup.event;
  const auto walk = WalkOf(e, count);
  e.ending = count == Count::kHit      ? Ending::kL1
             : count == Count::kFault  ? Ending::kFault
             : count == Count::kMerged ? Ending::kMerged
             : walk                    ? Ending::kWalk
                                       : Ending::kL2;
  Steps steps(e.begin);
  if (count == Count::kHit || !walk) {
    steps.Until(count == Count::kHit      ? Cause::kL1
                : count == Count::kFault  ? Cause::kFault
                : count == Count::kMerged ? Cause::kLookup
                                          : Cause::kL2,
                e.end);
    e.steps = steps.Take();
  } else {
    e.walk = walk->event.number;
    if (walk->event.begin > e.begin) steps.Until(Cause::kLookup, walk->event.begin);
    e.steps = steps.Take();
    const auto rest = Clip(walk->StepsUntil(e.end, Cause::kAnswer), e.begin, e.end);
    e.steps.insert(e.steps.end(), rest.begin(), rest.end());
  }
  if (!CheckSteps(e)) ++broken_;
  lookup.told = true;
  sink_.Take(e);
}

void LookupLog::Reset(uint64_t cycle) {
  std::fill(ports_.begin(), ports_.end(), Port());
  sink_.Depth(unit_, hw::Gauge::kLookups, cycle, waiting_ = 0);
}

AccessLog::AccessLog(hw::EventSink& sink, unsigned unit, unsigned clients)
    : sink_(sink), unit_(unit), clients_(clients) {}

void AccessLog::AtPins(uint64_t cycle, unsigned client, unsigned slot) {
  Slot& s = clients_[client][slot];
  if (s.lookup && Ended(s, true)) open_.push_back({client, slot, std::move(s)});
  s = Slot();
  s.at_pins = true;
  s.pins = cycle;
}

void AccessLog::Begin(unsigned client, const std::shared_ptr<LoggedLookup>& lookup) {
  Slot& s = clients_[client][lookup->event.tag];
  if (s.lookup) {  // left by a traffic engine access that needed no burst
    if (Ended(s, true)) open_.push_back({client, lookup->event.tag, std::move(s)});
    s = Slot();
  }
  s.lookup = lookup;
}

void AccessLog::Data(unsigned client, const Burst& burst) {
  Slot& s = clients_[client][burst.id];
  if (!s.lookup) return;
  s.burst = burst;
  s.has_burst = true;
  if (s.at_pins) return;
  ready_.emplace_back(client, burst.id);
}

void AccessLog::Answered(uint64_t cycle, unsigned client, unsigned slot, regs::Fault fault) {
  Slot& s = clients_[client][slot];
  if (!s.at_pins) return;
  s.ended = true;
  s.end = cycle;
  s.fault = fault;
  ready_.emplace_back(client, slot);
}

bool AccessLog::Ended(Slot& slot, bool over) {
  if (slot.ended) return true;
  if (slot.at_pins || !slot.lookup->answered) return false;
  slot.fault = slot.lookup->event.fault;
  if (slot.has_burst) slot.end = slot.burst.answered;
  else if (over || slot.fault != regs::Fault::kNone || slot.lookup->zero) slot.end = slot.lookup->event.end;
  else return false;
  return slot.ended = true;
}

void AccessLog::Tell() {
  for (const auto& [client, number] : ready_) {
    Slot& s = clients_[client][number];
    if (!s.lookup || !Ended(s, false)) continue;
    open_.push_back({client, number, std::move(s)});
    s = Slot();
  }
  ready_.clear();
  const auto told = std::remove_if(open_.begin(), open_.end(), [&](const Open& open) {
    if (!open.slot.lookup->told) return false;
    TellOne(open.client, open.number, open.slot);
    return true;
  });
  open_.erase(told, open_.end());
}

void AccessLog::TellOne(unsigned client, unsigned number, const Slot& slot) {
  const hw::LookupEvent& lookup = slot.lookup->event;
  hw::AccessEvent event;
  event.unit = unit_;
  event.number = ++accesses_;
  event.begin = slot.at_pins ? slot.pins : lookup.begin;
  event.end = slot.end;
  event.client = client;
  event.slot = number;
  event.lookup = lookup.number;
  event.va = lookup.va;
  event.access = lookup.access;
  event.fault = slot.fault;
  Steps before(event.begin);
  before.Until(Cause::kClient, lookup.begin);
  event.steps = before.Take();
  event.steps.insert(event.steps.end(), lookup.steps.begin(), lookup.steps.end());
  Steps after(lookup.end);
  if (slot.has_burst) {
    after.Until(Cause::kRoute, slot.burst.offered);
    after.Burst(slot.burst, slot.end);
  }
  after.Until(Cause::kClient, slot.end);
  const auto rest = after.Take();
  event.steps.insert(event.steps.end(), rest.begin(), rest.end());
  if (!CheckSteps(event)) ++broken_;
  sink_.Take(event);
}

void AccessLog::Reset() {
  for (auto& slots : clients_) slots.fill(Slot());
  open_.clear();
  ready_.clear();
}

}  // namespace gmmu::sim
