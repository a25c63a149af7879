// SPDX-License-Identifier: Apache-2.0
#include "twin/client_ports.h"

#include <algorithm>

#include "hw/traffic.h"
#include "twin/tlb_timing.h"

namespace gmmu::sim::twin {
namespace {

constexpr unsigned kLine = 64, kWord = 8;
// Cycles from the memory's last beat to the port: a value between those for a TLB hit and for a
// walk.
constexpr unsigned kAnswerCycles = 11;
constexpr size_t kFront = 15;           // translated accesses per client that can wait for memory
constexpr uint64_t kReplayCycles = 10;  // from an invalidation to the replay of stalled accesses

unsigned WordsOf(const hw::ClientRequest& request) {
  const auto offset = static_cast<unsigned>(request.va % kWord);
  return (offset + request.bytes + kWord - 1) / kWord;
}

}  // namespace

ClientPorts::ClientPorts(unsigned clients, const ClientParts& parts) : parts_(parts), ports_(clients) {}

void ClientPorts::Serve(hw::ClientAccesses* accesses) {
  if (accesses != accesses_) ++life_;
  accesses_ = accesses;
  Flushed();
  for (unsigned client = 0; client < ports_.size(); ++client) Ask(client);
}

void ClientPorts::Reset() {
  ++generation_;
  in_flight_ = 0;
  enabled_ = false;
  closed_.clear();
  stalled_.clear();
  std::fill(ports_.begin(), ports_.end(), Port());
}

void ClientPorts::Wake() {
  if (!enabled_) return;
  const std::vector<InFlight> closed = std::exchange(closed_, {});
  for (const InFlight& access : closed) Translate(access);
  for (unsigned client = 0; client < ports_.size(); ++client) Ask(client);
}

void ClientPorts::Flushed() {
  for (const InFlight& access : std::exchange(stalled_, {}))
    At(parts_.agenda.now() + Cycles(kReplayCycles), [this, access] { Translate(access); });
}

void ClientPorts::Stall(const InFlight& access) {
  stalled_.push_back(access);
  ++parts_.path.mmu().timing().policy_counters().stalls;
  if (accesses_ != nullptr && access.life == life_) accesses_->Stalled(access.client, access.request, Now());
}

/// Returns the first cycle in which the client port can accept an access; 0 means immediately. At
/// most kFront translated accesses can wait for the memory port.
uint64_t ClientPorts::RoomCycle(Port& port) {
  while (!port.begins.empty() && port.begins.front() <= parts_.agenda.now()) port.begins.pop_front();
  if (port.begins.size() < kFront) return 0;
  return parts_.time.CycleAt(port.begins[port.begins.size() - kFront]) + 1;
}

void ClientPorts::Ask(unsigned client) {
  Port& port = ports_[client];
  if (accesses_ == nullptr || !enabled_ || port.in_flight >= parts_.time.parameters().client_slots) return;
  const uint64_t due = accesses_->Due(client);
  if (due == kNever) return;
  const uint64_t cycle = std::max({due, port.next_cycle, Now() + 1, RoomCycle(port)});
  if (cycle >= port.act_cycle) return;
  port.act_cycle = cycle;
  At(Cycles(cycle), [this, client, cycle] {
    if (ports_[client].act_cycle == cycle) Act(client);
  });
}

void ClientPorts::Act(unsigned client) {
  Port& port = ports_[client];
  port.act_cycle = kNever;
  if (accesses_ == nullptr || !enabled_ || port.in_flight >= parts_.time.parameters().client_slots) return;
  const uint64_t cycle = Now();
  if (accesses_->Due(client) > cycle || RoomCycle(port) > cycle) return Ask(client);
  InFlight access{client, accesses_->Take(client, cycle), cycle, life_};
  ++port.in_flight;
  ++in_flight_;
  const uint64_t words = access.request.access == regs::Access::kWrite ? WordsOf(access.request) : 0;
  port.next_cycle = cycle + words + 1;
  if (words == 0) Translate(access);
  else At(Cycles(cycle + words), [this, access] { Translate(access); });
  Ask(client);
}

void ClientPorts::Translate(const InFlight& access, bool again) {
  Cost cost;
  cost.at = parts_.agenda.now();
  cost.may_wait = true;
  const hw::ClientRequest& request = access.request;
  cost.group = request.group;
  const Address from{false, regs::Target::kSystem, request.space, request.va};
  const uint64_t epoch = parts_.path.mmu().epoch();
  const Place place = parts_.path.Resolve(access.client, from, request.access, again ? 0 : 1, cost);
  if (place.kind == Place::Kind::kClosed) {
    closed_.push_back(access);
    return;
  }
  if (cost.ticket == 0) return Translated(access, {place, epoch}, cost.done);
  parts_.path.mmu().timing().WhenReady(cost.ticket, [this, access, found = Found{place, epoch},
                                                     generation = generation_](uint64_t ps) {
    if (generation == generation_) Translated(access, found, ps);
  });
}

void ClientPorts::Translated(const InFlight& access, const Found& found, uint64_t ps) {
  const Place& place = found.place;
  ps = std::max(ps, parts_.agenda.now());
  if (place.kind == Place::Kind::kFault) {
    const bool stalls = place.fault == regs::Fault::kEntryInvalid && parts_.path.mmu().timing().hierarchy().stall;
    if (!stalls) return End(access, place.fault, place.level, ps);
    return At(ps, [this, access] { Stall(access); });
  }
  At(ps, [this, access, found] {
    if (found.epoch != parts_.path.mmu().epoch())
      Translate(access, true);  // replay, because the translation may be stale
    else if (parts_.path.Closed(found.place)) closed_.push_back(access);
    else Move(access, found.place);
  });
}

void ClientPorts::Move(const InFlight& access, const Place& place) {
  const hw::ClientRequest& request = access.request;
  uint8_t line[kLine];
  Cost cost;
  cost.at = parts_.agenda.now();
  if (request.access == regs::Access::kWrite) {
    for (unsigned i = 0; i < request.bytes; ++i) {
      const uint64_t at = request.va + i;
      line[i] = static_cast<uint8_t>(hw::AddressPattern(0, at / kWord * kWord) >> 8 * (at % kWord));
    }
    if (!parts_.path.Write(place, line, request.bytes, cost)) return End(access, regs::Fault::kBusWrite, 0, cost.done);
    parts_.counters.Of<regs::CountersClientWriteBytes>() += request.bytes;
  } else {
    if (!parts_.path.Read(place, line, request.bytes, cost)) return End(access, regs::Fault::kBusRead, 0, cost.done);
    parts_.counters.Of<regs::CountersClientReadBytes>() += request.bytes;
  }
  std::deque<uint64_t>& begins = ports_[access.client].begins;
  const uint64_t begun = std::max(parts_.time.begun_ps(), begins.empty() ? 0 : begins.back());
  if (begun > parts_.agenda.now()) begins.push_back(begun);
  End(access, regs::Fault::kNone, 0, std::max(cost.done, parts_.agenda.now()));
}

/// Ends the access. The beats of its response occupy the port.
void ClientPorts::End(const InFlight& access, regs::Fault fault, unsigned level, uint64_t ps) {
  if (fault != regs::Fault::kNone) {
    FaultReport report;
    report.reason = fault;
    report.space = access.request.space;
    report.port = access.client;
    report.access = access.request.access;
    report.level = level;
    report.address = access.request.va;
    parts_.faults.Report(report);
  }
  const bool data = fault == regs::Fault::kNone && access.request.access != regs::Access::kWrite;
  const uint64_t given = ports_[access.client].answers.Take(ps, Cycles(data ? WordsOf(access.request) : 1));
  At(given + Cycles(kAnswerCycles), [this, access, fault] { Answer(access, fault); });
}

void ClientPorts::Answer(const InFlight& access, regs::Fault fault) {
  --ports_[access.client].in_flight;
  --in_flight_;
  if (accesses_ == nullptr || access.life != life_) return;
  accesses_->Answered(access.client, {access.request.tag, fault, access.requested, Now()});
  for (unsigned client = 0; client < ports_.size(); ++client)
    if (client == access.client || ports_[client].act_cycle == kNever) Ask(client);
}

}  // namespace gmmu::sim::twin
