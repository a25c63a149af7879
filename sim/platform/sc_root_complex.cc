// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_root_complex.h"

#include <algorithm>
#include <cstring>

namespace gmmu::sim {

using sc_core::sc_time;

RootComplex::RootComplex(sc_core::sc_module_name name, const PcieParameters& parameters, ScAgenda& agenda,
                         ScAgenda::Source device)
    : sc_module(name), parameters_(parameters), pcie_link_(parameters), agenda_(agenda), device_(device) {
  from_device.register_nb_transport_fw(this, &RootComplex::FromDevice);
  to_device.register_nb_transport_bw(this, &RootComplex::DeviceAnswers);
  memory.register_nb_transport_bw(this, &RootComplex::MemoryAnswers);
}

// ---- the PCIe link

/// Sends the TLPs of the queue in order until one lacks credits or, for a read, a tag.
void RootComplex::Pump(std::deque<Tlp>& queue, PcieDirection& direction, bool up) {
  while (!queue.empty()) {
    Tlp& tlp = queue.front();
    const bool wants_tag = up && tlp.kind == TlpKind::kNonPosted;
    if (wants_tag && pcie_link_.tags.full()) return;
    if (!direction.CanSend(tlp.kind, tlp.payload)) return;
    if (wants_tag) tlp.tag = *pcie_link_.tags.Allocate();
    const PcieDirection::Sent sent = direction.Send(tlp.kind, tlp.payload, std::max(tlp.ready_ps, ScAgenda::Now()));
    const auto action = std::move(tlp.sent);
    if (wants_tag) sent_tag_ = tlp.tag;
    queue.pop_front();
    action(sent);
  }
}

// ---- device to host

tlm::tlm_sync_enum RootComplex::FromDevice(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  sc_assert(phase == tlm::BEGIN_REQ);
  auto* mine = static_cast<PooledTransaction*>(&t);
  agenda_.At(
      ScAgenda::Now() + delay.value(),
      [this, mine] {
        hw::BusCounts& counts = bus_counts_[mine->extension->requester];
        if (mine->extension->kind == AddressKind::kInterrupt) ++counts.messages;
        else if (mine->is_write()) ++counts.writes;
        else ++counts.reads;
        if (mine->is_write()) BeginWrite(mine);
        else BeginRead(mine);
      },
      device_);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

RootComplex::Burst* RootComplex::NewBurst(PooledTransaction* t, size_t pieces) {
  if (free_bursts_.empty()) {
    bursts_.push_back(std::make_unique<Burst>());
    free_bursts_.push_back(bursts_.back().get());
  }
  Burst* burst = free_bursts_.back();
  free_bursts_.pop_back();
  *burst = Burst{t, static_cast<unsigned>(pieces), false};
  return burst;
}

void RootComplex::BeginWrite(PooledTransaction* t) {
  const auto pieces = SplitWrite(parameters_, t->get_address(), t->get_data_length());
  for (size_t i = 0; i < pieces.size(); ++i) {
    const TlpPiece piece = pieces[i];
    const bool last = i + 1 == pieces.size();
    // Memory receives a copy of the data, because the device gets its response when the PCIe link
    // has accepted the data and may then reuse its buffer.
    PooledTransaction* out = pool_.Acquire(tlm::TLM_WRITE_COMMAND, piece.address, 0, piece.bytes);
    *out->extension = *t->extension;
    const size_t at = piece.address - t->get_address();
    std::memcpy(out->buffer.data(), t->get_data_ptr() + at, piece.bytes);
    if (t->get_byte_enable_ptr() != nullptr) {
      std::memcpy(out->enables.data(), t->get_byte_enable_ptr() + at, piece.bytes);
      out->set_byte_enable_ptr(out->enables.data());
      out->set_byte_enable_length(piece.bytes);
    }
    Tlp tlp;
    tlp.kind = TlpKind::kPosted;
    tlp.payload = piece.bytes;
    tlp.ready_ps = ScAgenda::Now();
    tlp.sent = [this, t, out, last, bytes = piece.bytes](const PcieDirection::Sent& sent) {
      if (last) agenda_.At(sent.sent_ps, [this, t] { AnswerDevice(t, true); });
      agenda_.At(sent.arrive_ps, [this, out, bytes] {
        ++posted_forwarded_;
        ToMemory(out, [this, bytes](PooledTransaction&) {
          ++posted_done_;
          pcie_link_.up.Release(TlpKind::kPosted, bytes);
          while (!held_.empty() && held_.front().first <= posted_done_) {
            CpuAccess* access = held_.front().second;
            held_.pop_front();
            Deliver(access);
          }
          PumpUp();
        });
      });
    };
    up_.push_back(std::move(tlp));
  }
  PumpUp();
}

void RootComplex::BeginRead(PooledTransaction* t) {
  const auto pieces = SplitRead(parameters_, t->get_address(), t->get_data_length());
  Burst* burst = NewBurst(t, pieces.size());
  for (const TlpPiece& piece : pieces) {
    Tlp tlp;
    tlp.kind = TlpKind::kNonPosted;
    tlp.ready_ps = ScAgenda::Now();
    tlp.sent = [this, burst, piece](const PcieDirection::Sent& sent) {
      agenda_.At(sent.arrive_ps, [this, burst, piece, tag = sent_tag_, wire = sent.start_ps] {
        PooledTransaction* in = pool_.Acquire(tlm::TLM_READ_COMMAND, piece.address, 0, piece.bytes);
        *in->extension = *burst->transaction->extension;
        in->extension->marks = {wire, ScAgenda::Now(), ScAgenda::Now(), 0, 0};
        in->set_data_ptr(burst->transaction->get_data_ptr() + (piece.address - burst->transaction->get_address()));
        ToMemory(in, [this, burst, piece, tag](PooledTransaction& done) {
          pcie_link_.up.Release(TlpKind::kNonPosted, 0);
          const bool ok = done.is_response_ok();
          BusMarks marks = done.extension->marks;
          marks.memory_ps = ScAgenda::Now();
          if (piece.address / hw::kPageSize == hold_.page && hold_.until_ps > ScAgenda::Now())
            agenda_.At(hold_.until_ps,
                       [this, burst, piece, tag, ok, marks] { Complete(burst, piece, tag, ok, marks); });
          else Complete(burst, piece, tag, ok, marks);
          PumpUp();
        });
      });
    };
    up_.push_back(std::move(tlp));
  }
  PumpUp();
}

void RootComplex::StrayAccess(uint16_t requester, hw::Stray kind, uint64_t address, uint32_t data) {
  const bool message = kind == hw::Stray::kMessage;
  PooledTransaction* t = pool_.Acquire(kind == hw::Stray::kRead ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                                       address, 0, message ? sizeof data : sizeof(uint64_t));
  *t->extension = BusExtension();
  t->extension->requester = requester;
  if (message) t->extension->kind = AddressKind::kInterrupt;
  const uint64_t word = data;
  std::memcpy(t->buffer.data(), &word, sizeof word);
  strays_.insert(t);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = sc_core::SC_ZERO_TIME;
  FromDevice(*t, phase, delay);
}

/// Sends the completions of one read request to the device.
void RootComplex::Complete(Burst* burst, TlpPiece piece, uint32_t tag, bool ok, const BusMarks& marks) {
  std::vector<TlpPiece> parts;
  if (ok) parts = SplitCompletion(parameters_, piece.address, piece.bytes);
  else parts.push_back({piece.address, 0});  // unsupported request: a completion without data
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    Tlp tlp;
    tlp.kind = TlpKind::kCompletion;
    tlp.payload = parts[i].bytes;
    tlp.ready_ps = ScAgenda::Now();
    tlp.sent = [this, burst, tag, ok, last, bytes = parts[i].bytes, marks](const PcieDirection::Sent& sent) {
      agenda_.At(sent.arrive_ps, [this, burst, tag, ok, last, bytes, marks] {
        pcie_link_.down.Release(TlpKind::kCompletion, bytes);
        if (last) {
          pcie_link_.tags.Free(tag);
          if (!ok) burst->error = true;
          if (--burst->pieces == 0) {
            burst->transaction->extension->marks = marks;
            burst->transaction->extension->marks.device_ps = ScAgenda::Now();
            AnswerDevice(burst->transaction, !burst->error);
            free_bursts_.push_back(burst);
          }
          PumpUp();
        }
        PumpDown();
      });
    };
    down_.push_back(std::move(tlp));
  }
  PumpDown();
}

void RootComplex::AnswerDevice(PooledTransaction* t, bool ok) {
  if (strays_.erase(t) != 0) return t->release();  // injected: the device gets no response
  t->set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = sc_core::SC_ZERO_TIME;
  from_device->nb_transport_bw(*t, phase, delay);
}

// ---- host memory

void RootComplex::ToMemory(PooledTransaction* t, std::function<void(PooledTransaction&)> done) {
  if (free_slots_.empty()) {
    free_slots_.push_back(waiting_.size());
    waiting_.emplace_back();
  }
  t->owner_tag = free_slots_.back();
  free_slots_.pop_back();
  waiting_[t->owner_tag] = std::move(done);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = sc_core::SC_ZERO_TIME;
  memory->nb_transport_fw(*t, phase, delay);
}

tlm::tlm_sync_enum RootComplex::MemoryAnswers(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_time&) {
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  auto& mine = static_cast<PooledTransaction&>(t);
  const auto done = std::move(waiting_[mine.owner_tag]);
  free_slots_.push_back(mine.owner_tag);
  done(mine);
  mine.release();
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

// ---- CPU to device

RootComplex::CpuAccess* RootComplex::NewAccess(tlm::tlm_command command, AddressKind kind, uint64_t address,
                                               const void* data, unsigned bytes) {
  if (free_accesses_.empty()) {
    accesses_.push_back(std::make_unique<CpuAccess>());
    free_accesses_.push_back(accesses_.back().get());
  }
  CpuAccess* access = free_accesses_.back();
  free_accesses_.pop_back();
  *access = CpuAccess();
  access->transaction = pool_.Acquire(command, address, 0, bytes);
  *access->transaction->extension = BusExtension();
  access->transaction->extension->kind = kind;
  if (command == tlm::TLM_WRITE_COMMAND) {
    access->payload = bytes;
    std::memcpy(access->transaction->buffer.data(), data, bytes);
  }
  return access;
}

void RootComplex::Post(uint64_t address, const void* from, unsigned bytes) {
  ++cpu_writes_;
  ++posted_waiting_;
  CpuAccess* access = NewAccess(tlm::TLM_WRITE_COMMAND, AddressKind::kLogical, address, from, bytes);
  agenda_.At(
      ScAgenda::Now(),
      [this, access] {
        Tlp tlp;
        tlp.kind = TlpKind::kPosted;
        tlp.payload = access->payload;
        tlp.ready_ps = ScAgenda::Now();
        tlp.sent = [this, access](const PcieDirection::Sent& sent) {
          agenda_.At(sent.sent_ps, [this] {
            --posted_waiting_;
            if (taken_) taken_();
          });
          agenda_.At(sent.arrive_ps, [this, access] { SendToDevice(access); });
        };
        down_.push_back(std::move(tlp));
        PumpDown();
      },
      ScAgenda::kCpu);
}

void RootComplex::Request(tlm::tlm_command command, AddressKind kind, uint64_t address, void* data, unsigned bytes,
                          Done done) {
  ++cpu_reads_;
  CpuAccess* access = NewAccess(command, kind, address, data, bytes);
  access->data = data;
  access->done = std::move(done);
  agenda_.At(
      ScAgenda::Now(),
      [this, access] {
        Tlp tlp;
        tlp.kind = TlpKind::kNonPosted;
        tlp.payload = access->payload;
        tlp.ready_ps = ScAgenda::Now();
        tlp.sent = [this, access](const PcieDirection::Sent& sent) {
          agenda_.At(sent.arrive_ps, [this, access] { SendToDevice(access); });
        };
        down_.push_back(std::move(tlp));
        PumpDown();
      },
      ScAgenda::kCpu);
}

void RootComplex::SendToDevice(CpuAccess* access) {
  at_device_[access->transaction] = access;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = sc_core::SC_ZERO_TIME;
  if (to_device->nb_transport_fw(*access->transaction, phase, delay) == tlm::TLM_ACCEPTED) return;
  if (phase == tlm::BEGIN_RESP) CpuAnswer(access, ScAgenda::Now() + delay.value());
}

tlm::tlm_sync_enum RootComplex::DeviceAnswers(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  CpuAnswer(at_device_.at(&t), ScAgenda::Now() + delay.value());
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

/// Called when the device has completed a CPU access. Frees the access's buffer slot in the device
/// and sends the response to the CPU.
void RootComplex::CpuAnswer(CpuAccess* access, uint64_t time_ps) {
  agenda_.At(
      time_ps,
      [this, access] {
        at_device_.erase(access->transaction);
        const bool posted = access->done == nullptr;
        pcie_link_.down.Release(posted ? TlpKind::kPosted : TlpKind::kNonPosted, access->payload);
        PumpDown();
        if (posted) {
          access->transaction->release();
          free_accesses_.push_back(access);
          return;
        }
        Tlp tlp;
        tlp.kind = TlpKind::kCompletion;
        const bool data = access->transaction->is_read() && access->transaction->is_response_ok();
        tlp.payload = data ? access->transaction->get_data_length() : 0;
        tlp.ready_ps = ScAgenda::Now();
        tlp.sent = [this, access, bytes = tlp.payload](const PcieDirection::Sent& sent) {
          agenda_.At(sent.arrive_ps, [this, access, bytes] {
            pcie_link_.up.Release(TlpKind::kCompletion, bytes);
            if (posted_done_ >= posted_forwarded_) {
              Deliver(access);
            } else {
              ++held_count_;
              held_.emplace_back(posted_forwarded_, access);
            }
            PumpUp();
          });
        };
        up_.push_back(std::move(tlp));
        PumpUp();
      },
      device_);
}

void RootComplex::Deliver(CpuAccess* access) {
  PooledTransaction* t = access->transaction;
  const bool ok = t->is_response_ok();
  if (t->is_read() && ok) std::memcpy(access->data, t->get_data_ptr(), t->get_data_length());
  const Done done = std::move(access->done);
  t->release();
  free_accesses_.push_back(access);
  done(ok);
}

// ---- counters

hw::BusCounts RootComplex::BusCountsOf(uint16_t requester) const {
  const auto found = bus_counts_.find(requester);
  return found == bus_counts_.end() ? hw::BusCounts() : found->second;
}

std::vector<hw::Counter> RootComplex::Counters() const {
  auto all = pcie_link_.up.Counters();
  const auto down = pcie_link_.down.Counters();
  all.insert(all.end(), down.begin(), down.end());
  all.push_back(
      {"root_complex", "cpu_requests", cpu_reads_, "requests", "Register, window and configuration reads of the CPU."});
  all.push_back({"root_complex", "cpu_writes", cpu_writes_, "requests", "Posted writes of the CPU."});
  all.push_back({"root_complex", "completions_held", held_count_, "completions",
                 "Answers to the CPU that waited for earlier writes of the device."});
  return all;
}

}  // namespace gmmu::sim
