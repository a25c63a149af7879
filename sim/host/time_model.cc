// SPDX-License-Identifier: Apache-2.0
#include "host/time_model.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kPostPs = 5'000;       // time for which a posted write occupies the CPU core
constexpr unsigned kStoreBuffer = 16;     // posted CPU writes that can wait for the link
constexpr unsigned kWriteBuffer = 16;     // GPU write bursts that can wait for the link
constexpr uint64_t kCommandCycles = 9;    // from reading a command's header to starting its job
constexpr uint64_t kEntryCycles = 16;     // checking a ring entry, updating head and fence
constexpr uint64_t kRegisterCycles = 7;   // register port, register file and response
constexpr uint64_t kConfigCycles = 2;     // configuration space of the PCI function
constexpr uint64_t kSweepCycles = 25;     // an invalidation without its sweep
constexpr uint64_t kPortCycles = 4;       // round trip through slices and arbiters from a requester to the VRAM port
constexpr uint64_t kTablePortCycles = 1;  // round trip between a walker and its own VRAM port
constexpr size_t kQueuedBursts = 4;       // bursts that may be queued ahead of a walk's read
constexpr uint64_t kHostCycles = 6;       // round trip to the host port, including the wait for a clock edge
constexpr unsigned kCredit = 16;          // bytes per data credit

}  // namespace

TimeModel::TimeModel(const TimeParameters& parameters)
    : p_(parameters),
      period_(p_.period_ps),
      bus_(p_.bus_bytes),
      vram_beats_(p_.vram_beats),
      vram_reads_(p_.vram_outstanding),
      vram_writes_(p_.vram_outstanding),
      tags_(p_.tags),
      requests_(p_.non_posted_headers),
      completions_(std::min(p_.completion_headers, p_.completion_data * kCredit / p_.max_payload)),
      write_buffer_(kWriteBuffer),
      posted_(std::min(p_.posted_headers, p_.posted_data * kCredit / p_.max_payload)),
      stores_(kStoreBuffer) {}

uint64_t TimeModel::Beats(uint64_t bytes) const {
  return vram_beats_.Quotient(BeatsOf(0, bytes) * p_.vram_beat_cycles * p_.period_ps);
}

uint64_t TimeModel::VramRead(uint64_t at, uint64_t bytes, bool alone) {
  const uint64_t latency = Cycles(p_.vram_latency), beats = Beats(bytes);
  const uint64_t turn = vram_reads_.Take(at);
  if (!alone) {
    begun_ps_ = turn;
    const uint64_t end = vram_read_.Take(turn + latency, beats);
    vram_reads_.End(end);
    vram_ends_.Note(end);
    return end + Cycles(kPortCycles);
  }
  // A walk's read waits for the bursts in flight and for the few in the port's queue, but not for
  // requesters that are not in the queue yet.
  const uint64_t begin = turn > at ? std::min(turn, vram_ends_.Next(at, kQueuedBursts)) : at;
  const uint64_t end = std::min(vram_read_.Take(begin + latency, beats),
                                begin + latency + p_.vram_outstanding * Beats(64) + beats);
  vram_reads_.End(turn + (end - begin));
  vram_ends_.Note(end);
  return end + Cycles(kTablePortCycles);
}

uint64_t TimeModel::VramWrite(uint64_t at, uint64_t bytes) {
  const uint64_t begin = begun_ps_ = vram_writes_.Take(at);
  // The port accepts one beat per cycle. B responses come at the memory's rate: one per beat time
  // of the memory.
  const uint64_t end = vram_write_.Take(begin, std::max(BusPs(bytes), Beats(p_.bus_bytes))) + Cycles(p_.vram_latency);
  vram_writes_.End(end);
  return end + Cycles(kPortCycles);
}

uint64_t TimeModel::Tags(uint64_t at, uint64_t requests) {
  arrived_ps_ = 0;
  uint64_t begin = at + Cycles(kHostCycles);
  for (uint64_t i = 0; i < std::min<uint64_t>(requests, p_.tags); ++i) begin = tags_.Take(begin, i);
  begun_ps_ = begin;
  return begin;
}

void TimeModel::TagsEnd(uint64_t requests) {
  for (uint64_t i = 0; i < std::min<uint64_t>(requests, p_.tags); ++i) tags_.End(arrived_ps_);
}

uint64_t TimeModel::Request(uint64_t at) {
  const uint64_t begin = requests_.Take(at);
  return up_.SendNow(begin, PciePs(0)) + p_.pcie_latency_ps;
}

uint64_t TimeModel::Completion(uint64_t at, uint64_t bytes, bool alone) {
  requests_.End(at);
  const uint64_t packets = std::max<uint64_t>(1, (bytes + p_.max_payload - 1) / p_.max_payload);
  const uint64_t begin = completions_.Take(at);
  const uint64_t ps = PciePs(bytes + (packets - 1) * p_.tlp_overhead);
  const uint64_t end = (alone ? down_.SendNow(begin, ps) : down_.Send(begin, ps)) + p_.pcie_latency_ps;
  completions_.End(end);
  arrived_ps_ = std::max(arrived_ps_, end);
  return end + BusPs(bytes) + Cycles(kHostCycles);
}

uint64_t TimeModel::Posted(uint64_t at, uint64_t bytes) {
  begun_ps_ = write_buffer_.Take(at + Cycles(kHostCycles));
  const uint64_t begin = posted_.Take(begun_ps_);
  const uint64_t sent = up_.Send(begin, PciePs(bytes));
  write_buffer_.End(sent);
  return sent + Cycles(kHostCycles);
}

uint64_t TimeModel::Down(uint64_t now, uint64_t bytes) {
  return down_.SendNow(now, PciePs(bytes)) + p_.pcie_latency_ps;
}
uint64_t TimeModel::Up(uint64_t now, uint64_t bytes) { return up_.SendNow(now, PciePs(bytes)) + p_.pcie_latency_ps; }

uint64_t TimeModel::Post(uint64_t now, uint64_t bytes) {
  const uint64_t arrives = Down(now, bytes);
  stores_.Take(arrives - p_.pcie_latency_ps);
  return arrives;
}

uint64_t TimeModel::PostPs() const { return kPostPs; }
uint64_t TimeModel::CommandPs() const { return Cycles(kCommandCycles); }
uint64_t TimeModel::EntryPs() const { return Cycles(kEntryCycles); }
uint64_t TimeModel::InvalidationPs() const { return Cycles(kSweepCycles + sweep_steps_); }
uint64_t TimeModel::RegisterPs() const { return Cycles(kRegisterCycles); }
uint64_t TimeModel::ConfigPs() const { return Cycles(kConfigCycles); }

}  // namespace gmmu::sim
