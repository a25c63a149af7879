// SPDX-License-Identifier: Apache-2.0
#include "gpu/event_probe.h"

#include <algorithm>
#include <string>

#include "Vgmmu_gpu_axi___024root.h"
#include "gpu/event_tap.h"
#include "gpu/host_port.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr unsigned kRows = 64;
// Requester numbers on the memory ports (rtl/top/README.md).
constexpr unsigned kTables = 0, kFetch = 2, kRead = 3, kWrite = 4, kClients = 8;
// Lane numbers on the event port.
constexpr unsigned kWalkStart = 0, kWalkEnd = 1, kFaultLane = 6;
// Bit widths of a request and of a translation port's counts, and bit positions of the fields of a
// walk start (gmmu_pkg.sv, gmmu_mmu_pkg.sv).
constexpr unsigned kRequestBits = 80, kCountBits = 13;
constexpr unsigned kStartK64 = 64, kStartLevel = 65, kStartCause = 68;
constexpr unsigned kPorts = GMMU_CLIENTS + 3;

/// Returns bits [at, at + bits) of a port or signal of any width; `bits` is at most 64.
template <typename Signal>
uint64_t Bits(const Signal& signal, unsigned at, unsigned bits) {
  uint64_t value = 0;
  for (unsigned got = 0; got < bits;) {
    const unsigned shift = (at + got) % 32;
    uint64_t word = 0;
    if constexpr (std::is_integral_v<Signal>) word = static_cast<uint64_t>(signal) >> (at + got);
    else word = uint64_t{signal[std::min<size_t>((at + got) / 32, sizeof(Signal) / 4 - 1)]} >> shift;
    value |= (std::is_integral_v<Signal> ? word : word & 0xFFFF'FFFF) << got;
    got += std::is_integral_v<Signal> ? bits : 32 - shift;
  }
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

/// Returns word `index` of the event on a lane or port; each event has `words` words.
template <typename Port>
uint64_t Word(const Port& port, unsigned lane, unsigned index, unsigned words = 3) {
  return Bits(port, (lane * words + index) * 64, 64);
}

}  // namespace

EventProbe::EventProbe(hw::EventSink& sink, unsigned unit, uint64_t period_ps)
    : sink_(sink),
      unit_(unit),
      period_ps_(period_ps),
      walks_(sink, unit, kRows),
      lookups_(sink, unit, kPorts, walks_),
      accesses_(sink, unit, GMMU_CLIENTS),
      engine_(sink, unit) {
  std::fill(std::begin(offered_), std::end(offered_), kNever);
}

void EventProbe::Sample(const Vgmmu_gpu_axi& top, uint64_t cycle, const HostPort& host) {
  if (top.resetting_o) {
    if (!resetting_) Reset(cycle);
    resetting_ = true;
    return;
  }
  resetting_ = false;
  Walks(top, cycle);
  Bursts(top, cycle, host);
  Pins(top, cycle);
  Lookups(top, cycle);
  Engine(top, cycle);
  Points(top, cycle);
}

void EventProbe::Walks(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  const auto& root = *top.rootp;
  if (Bits(top.ev_valid_o, kWalkEnd, 1) != 0)
    walks_.End(cycle, static_cast<unsigned>(Word(top.ev_o, kWalkEnd, 0) >> 32));
  const auto& start = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_mmu__DOT__u_walks__DOT__start_i;
  const auto level = static_cast<unsigned>(Bits(start, kStartLevel, 3));
  const bool k64 = Bits(start, kStartK64, 1) != 0;
  if (Bits(top.ev_valid_o, kWalkStart, 1) != 0) {
    const auto row = static_cast<unsigned>(Word(top.ev_o, kWalkStart, 0) >> 32);
    const uint64_t who = Word(top.ev_o, kWalkStart, 2);
    const auto walk = walks_.Begin(cycle, row, static_cast<unsigned>(who >> 8 & 127), static_cast<unsigned>(who & 63),
                                   Word(top.ev_o, kWalkStart, 1));
    walks_.Start(row, level, k64);
    lookups_.Walks(walk);
  }
  if (root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_mmu__DOT__u_walks__DOT__restart_i)
    walks_.Start(root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_mmu__DOT__u_walks__DOT__restart_row_i, level, k64);
}

// ---- the memory ports

Burst& EventProbe::Offer(uint64_t& since, bool write, unsigned id, uint64_t cycle) {
  if (since == kNever) since = cycle;
  Burst& burst = bursts_[write ? 1 : 0][id];
  burst = Burst();
  burst.offered = since;
  burst.requester = id >> 8 & 127;
  burst.id = id & 255;
  return burst;
}

void EventProbe::Accepted(Burst& burst, bool write, bool host, uint64_t address, unsigned length, unsigned kind,
                          uint64_t cycle) {
  const uint64_t start = address / kBeatBytes * kBeatBytes;
  burst.write = write;
  burst.host = host;
  burst.peer = kind == static_cast<unsigned>(AddressKind::kPeer);
  burst.address = address;
  burst.bytes = static_cast<unsigned>(start + (length + 1) * uint64_t{kBeatBytes} - address);
  burst.accepted = cycle;
  if (unsigned* load = LoadOf(burst)) ++*load;
  if (burst.requester == kTables && !write) walks_.Accepted(burst.id, burst);
  if (kind == static_cast<unsigned>(AddressKind::kInterrupt) && write)
    sink_.Take(hw::PointEvent{unit_, hw::PointKind::kInterrupt, cycle, 0, 0, 0, address, 0});
}

/// Returns the counter in load_ for bursts of this kind, or null if the burst is not one of the
/// paging engine's.
unsigned* EventProbe::LoadOf(const Burst& burst) {
  if (burst.write) return burst.requester == kWrite ? &load_.writes : nullptr;
  if (burst.requester == kFetch) return &load_.fetches;
  if (burst.requester != kRead) return nullptr;
  return burst.host ? &load_.host_reads : &load_.vram_reads;
}

void EventProbe::Ended(bool write, unsigned id, bool error, uint64_t cycle) {
  const auto found = bursts_[write ? 1 : 0].find(id);
  if (found == bursts_[write ? 1 : 0].end() || found->second.accepted == 0) return;
  Burst& burst = found->second;
  burst.done = true;
  burst.answered = cycle;
  burst.error = error;
  if (unsigned* load = LoadOf(burst)) --*load;
  if (burst.requester == kTables && !write) walks_.Answered(burst.id, burst);
  if (burst.requester >= kClients && burst.requester < kClients + GMMU_CLIENTS)
    accesses_.Data(burst.requester - kClients, burst);
  bursts_[write ? 1 : 0].erase(found);
}

void EventProbe::Bursts(const Vgmmu_gpu_axi& top, uint64_t cycle, const HostPort& host) {
// Samples one port: offered bursts, accepted bursts and responses. The response to a host read
// carries the read's time stamps.
#define GMMU_PORT(port, is_host, ar_kind, aw_kind)                                                       \
  if (top.port##_rvalid && top.port##_rready) {                                                          \
    const auto found = bursts_[0].find(top.port##_rid);                                                  \
    if (found != bursts_[0].end() && !found->second.begun) {                                             \
      Burst& burst = found->second;                                                                      \
      burst.begun = true;                                                                                \
      burst.first = cycle;                                                                               \
      std::memcpy(&burst.word, LanesOf(top.port##_rdata) + burst.address % kBeatBytes / 8 * 8, 8);       \
      if (is_host && !burst.peer) {                                                                      \
        const BusMarks& marks = host.marks_of_shown();                                                   \
        burst.wire = marks.wire_ps / period_ps_;                                                         \
        burst.root = marks.root_ps / period_ps_;                                                         \
        burst.translated = marks.translated_ps / period_ps_;                                             \
        burst.memory = marks.memory_ps / period_ps_;                                                     \
        burst.device = marks.device_ps / period_ps_;                                                     \
      }                                                                                                  \
      if (burst.requester == kTables) walks_.Began(burst.id, burst);                                     \
    }                                                                                                    \
    if (top.port##_rlast) Ended(false, top.port##_rid, top.port##_rresp != 0, cycle);                    \
  }                                                                                                      \
  if (top.port##_bvalid && top.port##_bready) Ended(true, top.port##_bid, top.port##_bresp != 0, cycle); \
  if (top.port##_arvalid) {                                                                              \
    if (top.port##_arready) {                                                                            \
      Burst& burst = Offer(offered_[2 * is_host], false, top.port##_arid, cycle);                        \
      Accepted(burst, false, is_host, top.port##_araddr, top.port##_arlen, ar_kind, cycle);              \
      offered_[2 * is_host] = kNever;                                                                    \
    } else if (offered_[2 * is_host] == kNever) {                                                        \
      offered_[2 * is_host] = cycle;                                                                     \
    }                                                                                                    \
  }                                                                                                      \
  if (top.port##_awvalid) {                                                                              \
    if (top.port##_awready) {                                                                            \
      Burst& burst = Offer(offered_[2 * is_host + 1], true, top.port##_awid, cycle);                     \
      Accepted(burst, true, is_host, top.port##_awaddr, top.port##_awlen, aw_kind, cycle);               \
      offered_[2 * is_host + 1] = kNever;                                                                \
    } else if (offered_[2 * is_host + 1] == kNever) {                                                    \
      offered_[2 * is_host + 1] = cycle;                                                                 \
    }                                                                                                    \
  }
  GMMU_PORT(m_vram, 0, 0, 0)
  GMMU_PORT(m_host, 1, top.m_host_aruser & 3, top.m_host_awuser & 3)
#undef GMMU_PORT
}

// ---- lookups and accesses

void EventProbe::Lookups(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  const auto& root = *top.rootp;
  for (uint64_t taken = root.gmmu_gpu_axi__DOT__u_gpu__DOT__xq_valid & root.gmmu_gpu_axi__DOT__u_gpu__DOT__xq_ready;
       taken != 0; taken &= taken - 1) {
    const auto port = static_cast<unsigned>(__builtin_ctzll(taken));
    const unsigned at = port * kRequestBits;
    const auto& request = root.gmmu_gpu_axi__DOT__u_gpu__DOT__xq;
    const auto lookup = lookups_.Taken(cycle, port, static_cast<unsigned>(Bits(request, at + 72, 8)),
                                       static_cast<unsigned>(Bits(request, at + 66, 6)), Bits(request, at + 2, 64),
                                       static_cast<regs::Access>(Bits(request, at, 2)));
    if (port < GMMU_CLIENTS) accesses_.Begin(port, lookup);
  }
  for (unsigned port = 0; port < kPorts; ++port) {
    if (Bits(top.ev_xlate_valid_o, port, 1) == 0) continue;
    const uint64_t how = Word(top.ev_xlate_o, port, 2);
    lookups_.Answered(cycle, port, static_cast<unsigned>(Word(top.ev_xlate_id_o, port, 0, 1) >> 32 & 255),
                      static_cast<regs::Fault>(how >> 16 & 255), (Word(top.ev_xlate_o, port, 1) >> 56 & 1) != 0);
  }
  for (unsigned port = 0; port < kPorts; ++port) {
    const uint64_t ends = Bits(root.gmmu_gpu_axi__DOT__u_gpu__DOT__port_count, port * kCountBits + 8, 4);
    if (ends == 0) continue;
    lookups_.Counted(port, (ends & 8) != 0   ? LookupLog::Count::kHit
                           : (ends & 4) != 0 ? LookupLog::Count::kMiss
                           : (ends & 2) != 0 ? LookupLog::Count::kMerged
                                             : LookupLog::Count::kFault);
  }
  accesses_.Tell();
}

void EventProbe::Pins(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  constexpr unsigned kSlotBits = 6;
  for (uint64_t done = uint64_t{top.cl_rsp_valid_o} & top.cl_rsp_ready_i & top.cl_rsp_last_o; done != 0;
       done &= done - 1) {
    const auto client = static_cast<unsigned>(__builtin_ctzll(done));
    accesses_.Answered(cycle, client, static_cast<unsigned>(Bits(top.cl_rsp_id_o, client * kSlotBits, kSlotBits)),
                       static_cast<regs::Fault>(Bits(top.cl_rsp_fault_o, client * 8, 8)));
  }
  for (uint64_t taken = uint64_t{top.cl_req_valid_i} & top.cl_req_ready_o; taken != 0; taken &= taken - 1) {
    const auto client = static_cast<unsigned>(__builtin_ctzll(taken));
    accesses_.AtPins(cycle, client, static_cast<unsigned>(Bits(top.cl_req_id_i, client * kSlotBits, kSlotBits)));
  }
}

// ---- the paging engine, and point events

void EventProbe::Engine(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  const auto& root = *top.rootp;
  if (!engine_.busy() && !root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__start) return;
  EngineCycle now;
  now.start = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__start != 0;
  now.address = Bits(root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__start_buffer, 0, 64);
  now.bytes = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__start_bytes;
  now.fence = static_cast<uint32_t>(root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__record_value);
  const uint32_t state = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__u_command__DOT__state_q & 0x1FF'FFFF;
  now.state = state == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(state));
  now.offset = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__u_command__DOT__offset_q;
  now.header = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__u_command__DOT__header_q;
  now.length = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__u_command__DOT__length_q;
  now.words = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__u_command__DOT__words_left_q;
  now.job_ready = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__job_ready != 0;
  now.retired = root.gmmu_gpu_axi__DOT__u_gpu__DOT__u_engine__DOT__mover_retired != 0;
  EngineLoad load = load_;
  load.fetches += static_cast<unsigned>(lookups_.pending(GMMU_CLIENTS));
  load.translating = lookups_.pending(GMMU_CLIENTS + 1) + lookups_.pending(GMMU_CLIENTS + 2) != 0;
  engine_.Cycle(cycle, now, load);
}

void EventProbe::Points(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  if (top.ev_inv_done_o) {
    sink_.Take(hw::PointEvent{unit_, hw::PointKind::kInvalidation, cycle, 0, top.ev_inv_space_o, top.ev_inv_scope_o,
                              top.ev_inv_start_o, top.ev_inv_end_o});
  }
  if (Bits(top.ev_valid_o, kFaultLane, 1) == 0) return;
  // gmmu_events builds word 2 as {fence, physical, level, access, port, space, reason}.
  const uint64_t how = Word(top.ev_o, kFaultLane, 2);
  sink_.Take(hw::PointEvent{unit_, hw::PointKind::kFault, cycle, static_cast<unsigned>(how >> 16 & 127),
                            static_cast<unsigned>(how >> 8 & 63), static_cast<unsigned>(how & 255),
                            Word(top.ev_o, kFaultLane, 1), how >> 32});
}

void EventProbe::Reset(uint64_t cycle) {
  walks_.Reset(cycle);
  lookups_.Reset(cycle);
  accesses_.Reset();
  engine_.Reset(cycle);
  load_ = EngineLoad();
  for (auto& bursts : bursts_) bursts.clear();
  std::fill(std::begin(offered_), std::end(offered_), kNever);
}

const std::vector<hw::Finding>& EventProbe::findings() {
  findings_.clear();
  const std::pair<const char*, uint64_t> logs[] = {{"walks", walks_.broken()},
                                                   {"lookups", lookups_.broken()},
                                                   {"accesses", accesses_.broken()},
                                                   {"paging buffers and commands", engine_.broken()}};
  for (const auto& [what, count] : logs) {
    if (count != 0)
      findings_.push_back({"events", std::to_string(count) + " " + what + " whose causes do not add up to their time"});
  }
  return findings_;
}

}  // namespace gmmu::sim
