// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_gpu_link.h"

#include <string>

namespace gmmu::sim {
namespace {

constexpr unsigned kOffsetBits = 42;
constexpr uint64_t kAdapterMask = 63;

}  // namespace

GpuLink::GpuLink(sc_core::sc_module_name name, const GpuLinkParameters& parameters, ScAgenda& agenda)
    : sc_module(name), wires_(parameters), agenda_(agenda) {
  for (unsigned unit = 0; unit < parameters.units; ++unit) {
    const std::string number = std::to_string(unit);
    from_.push_back(std::make_unique<FromSocket>(("from" + number).c_str()));
    to_.push_back(std::make_unique<ToSocket>(("to" + number).c_str()));
    from(unit).register_nb_transport_fw(this, &GpuLink::FromGpu, static_cast<int>(unit));
    to(unit).register_nb_transport_bw(this, &GpuLink::ToAnswers, static_cast<int>(unit));
  }
}

tlm::tlm_sync_enum GpuLink::FromGpu(int unit, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  sc_assert(phase == tlm::BEGIN_REQ);
  Access access;
  access.own = static_cast<unsigned>(unit);
  access.peer = static_cast<unsigned>(t.get_address() >> kOffsetBits & kAdapterMask);
  access.transaction = static_cast<PooledTransaction*>(&t);
  agenda_.At(ScAgenda::Now() + delay.value(), [this, access] { Begin(access); }, ScAgenda::GpuSource(access.own));
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void GpuLink::Begin(const Access& access) {
  if (access.peer == access.own || access.peer >= to_.size()) {
    Answer(access, false);
    return;
  }
  const PooledTransaction& t = *access.transaction;
  const uint64_t offset = t.get_address() & ((uint64_t{1} << kOffsetBits) - 1);
  const uint64_t bytes = t.is_write() ? t.get_data_length() : 0;
  agenda_.At(wires_.Send(access.own, access.peer, bytes, ScAgenda::Now()),
             [this, access, offset] { Serve(access, offset); });
}

/// The peer accesses the requester's buffer directly; the requester does not change the buffer
/// before the response.
void GpuLink::Serve(const Access& access, uint64_t offset) {
  PooledTransaction& t = *access.transaction;
  PooledTransaction* in = pool_.Acquire(t.get_command(), offset, 0, t.get_data_length());
  *in->extension = *t.extension;
  in->set_data_ptr(t.get_data_ptr());
  in->set_byte_enable_ptr(t.get_byte_enable_ptr());
  in->set_byte_enable_length(t.get_byte_enable_length());
  if (free_slots_.empty()) {
    free_slots_.push_back(waiting_.size());
    waiting_.emplace_back();
  }
  in->owner_tag = free_slots_.back();
  free_slots_.pop_back();
  waiting_[in->owner_tag] = access;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  to(access.peer)->nb_transport_fw(*in, phase, delay);
}

tlm::tlm_sync_enum GpuLink::ToAnswers(int unit, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  auto& mine = static_cast<PooledTransaction&>(t);
  const Access access = waiting_[mine.owner_tag];
  free_slots_.push_back(mine.owner_tag);
  const bool ok = mine.is_response_ok();
  mine.release();
  agenda_.At(
      ScAgenda::Now() + delay.value(), [this, access, ok] { Return(access, ok); },
      ScAgenda::GpuSource(static_cast<unsigned>(unit)));
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void GpuLink::Return(const Access& access, bool ok) {
  const PooledTransaction& t = *access.transaction;
  const uint64_t bytes = t.is_read() && ok ? t.get_data_length() : 0;
  agenda_.At(wires_.Send(access.peer, access.own, bytes, ScAgenda::Now()), [this, access, ok] { Answer(access, ok); });
}

void GpuLink::Answer(const Access& access, bool ok) {
  access.transaction->set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  from(access.own)->nb_transport_bw(*access.transaction, phase, delay);
}

}  // namespace gmmu::sim
