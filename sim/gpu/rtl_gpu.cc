// SPDX-License-Identifier: Apache-2.0
#include "gpu/rtl_gpu.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <verilated.h>
#ifdef GMMU_WAVES
#include <verilated_fst_c.h>
#else
class VerilatedFstC {};  // never instantiated
#endif

#include "gpu/event_probe.h"
#include "gpu/event_tap.h"

namespace gmmu::sim {
namespace {

using sc_core::SC_PS;
using sc_core::sc_time;

constexpr unsigned kResetCycles = 16;
constexpr unsigned kQuietCycles = 16;  ///< idle cycles before the module starts to skip cycles

uint64_t NowPs() { return sc_core::sc_time_stamp().value(); }  // the time resolution is 1 ps

}  // namespace

RtlGpu::RtlGpu(sc_core::sc_module_name name, const RtlGpuParameters& parameters)
    : sc_module(name),
      parameters_(parameters),
      context_(std::make_unique<VerilatedContext>()),
      config_(parameters.config),
      vram_(parameters.vram.bytes),
      vram_port_(vram_, parameters.vram, parameters.vram_reorder, parameters.seed),
      host_port_(parameters.host, pool_, *this),
      cpu_port_([this](const CpuPort::Access& access, bool ok) { FinishAccess(access, ok); },
                [this](const CpuPort::Access& access) { Configure(access); }),
      peer_port_([this](PooledTransaction* t, bool ok) { AnswerPeer(t, ok); }) {
  peers.register_nb_transport_bw(this, &RtlGpu::AnswerDma);
  inbound.register_nb_transport_fw(this, &RtlGpu::AccessFromPeer);
  dma.register_nb_transport_bw(this, &RtlGpu::AnswerDma);
  registers.register_nb_transport_fw(this, &RtlGpu::AccessFromCpu);
  vram_port_.FlipAfter(parameters.flip_after);
  context_->randReset(0);
#ifdef GMMU_WAVES
  if (!parameters_.waves.empty()) context_->traceEverOn(true);
#endif
  top_ = std::make_unique<Vgmmu_gpu_axi>(context_.get(), "gpu");
#ifdef GMMU_WAVES
  if (!parameters_.waves.empty()) {
    trace_ = std::make_unique<VerilatedFstC>();
    top_->trace(trace_.get(), 99);
    trace_->open(parameters_.waves.c_str());
    if (!trace_->isOpen()) throw std::runtime_error(parameters_.waves + ": the waves file cannot be written");
  }
#else
  if (!parameters_.waves.empty()) throw std::runtime_error("this build has no waves");
#endif
  if (parameters_.events != nullptr)
    events_ = std::make_unique<EventProbe>(*parameters_.events, parameters_.unit, parameters_.period_ps);
  Reset();
  SC_HAS_PROCESS(RtlGpu);
  SC_METHOD(Run);
}

RtlGpu::~RtlGpu() {
#ifdef GMMU_WAVES
  if (trace_) trace_->close();
#endif
  top_->final();
}

void RtlGpu::set_checker(TranslationChecker* checker) {
  checker_ = checker;
  if (checker == nullptr) {
    cpu_port_.set_write_hook(nullptr);
    return;
  }
  cpu_port_.set_write_hook(
      [checker](uint32_t offset, uint64_t data, unsigned strobe) { checker->RegisterWritten(offset, data, strobe); });
}

void RtlGpu::Reset() {
  top_->vram_bytes_i = parameters_.vram.bytes;
  top_->s_reg_bready = top_->s_reg_rready = top_->s_win_bready = top_->s_win_rready = 1;
  top_->cycle_i = 0;
  DriveStraps();
  for (unsigned i = 0; i < kResetCycles; ++i) {
    top_->areset = 1;
    top_->aclk = 0;
    top_->eval();
    axi_.Sample(*top_, 0);
    top_->aclk = 1;
    top_->eval();
  }
  top_->aclk = 0;
  top_->areset = 0;
}

void RtlGpu::DriveStraps() {
  top_->bus_master_i = config_.bus_master();
  const auto message = config_.message().Words();
  std::memcpy(&top_->message_i[0], message.data(), sizeof top_->message_i);
}

uint64_t RtlGpu::cycles() const { return NowPs() / parameters_.period_ps; }

/// Returns the time until which no other process can run, unless this module itself wakes one.
uint64_t RtlGpu::Limit(uint64_t now_ps) const {
  const uint64_t batch_end = now_ps + parameters_.batch * parameters_.period_ps;
  const uint64_t pending = sc_core::sc_time_to_pending_activity().value();
  return pending > batch_end - now_ps ? batch_end : now_ps + pending;
}

void RtlGpu::Run() {
  const uint64_t period = parameters_.period_ps;
  const uint64_t now = NowPs();
  if (now == 0 || asleep_) {  // synchronize with the next clock edge
    asleep_ = false;
    quiet_ = 0;
    cycle_ = now / period;
    next_trigger(sc_time::from_value((cycle_ + 1) * period - now));
    return;
  }
  uint64_t limit = Limit(now);
  edge_ps_ = now;
  do {
    sent_ = false;
    Cycle(edge_ps_);
    edge_ps_ += period;
    if (sent_) limit = Limit(now);
    if (parameters_.skip_idle && quiet_ >= kQuietCycles) {
      Sleep();
      return;
    }
  } while (edge_ps_ < limit);
  next_trigger(sc_time::from_value(edge_ps_ - now));
}

void RtlGpu::Cycle(uint64_t edge_ps) {
  Vgmmu_gpu_axi& top = *top_;
  top.cycle_i = cycle_;
  vram_port_.Drive(top, cycle_);
  host_port_.Drive(top, edge_ps);
  cpu_port_.Drive(top, edge_ps);
  peer_port_.Drive(top, edge_ps);
  client_ports_.Drive(top, cycle_);
  top.aclk = 0;
  top.eval();
#ifdef GMMU_WAVES
  const bool dump = trace_ && cycle_ >= parameters_.waves_from && cycle_ < parameters_.waves_to;
  if (dump) trace_->dump((cycle_ * 2 + 1) * parameters_.period_ps / 2);
#endif

  axi_.Sample(top, cycle_);
  if (events_) events_->Sample(top, cycle_, host_port_);
  vram_port_.Sample(top, cycle_);
  host_port_.Sample(top);
  cpu_port_.Sample(top);
  peer_port_.Sample(top);
  client_ports_.Sample(top, cycle_);
  if (checker_ != nullptr && HasEvents(top)) TapEvents(top, cycle_, *checker_);
  quiet_ = top.idle_o && client_ports_.idle() && vram_port_.idle() && host_port_.idle() && cpu_port_.idle() &&
                   peer_port_.idle()
               ? quiet_ + 1
               : 0;

  top.aclk = 1;
  top.eval();
#ifdef GMMU_WAVES
  if (dump) trace_->dump((cycle_ + 1) * parameters_.period_ps);
#endif
  ++cycle_;
  ++evaluated_;
}

/// Sleeps until Wake is called or a client's next access is due.
void RtlGpu::Sleep() {
  asleep_ = true;
  const uint64_t due = client_ports_.due();
  if (due == ClientPorts::kNever) return next_trigger(wake_);
  const uint64_t at = std::max(due, cycle_) * parameters_.period_ps;
  next_trigger(sc_time::from_value(at - NowPs()), wake_);
}

void RtlGpu::Wake() {
  if (asleep_) wake_.notify(sc_core::SC_ZERO_TIME);
}

void RtlGpu::Send(PooledTransaction* transaction) {
  sent_ = true;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = sc_time::from_value(edge_ps_ - NowPs());
  if (transaction->extension->kind != AddressKind::kPeer) {
    dma->nb_transport_fw(*transaction, phase, delay);
  } else if (peers.get_base_port().size() != 0) {
    peers->nb_transport_fw(*transaction, phase, delay);
  } else {
    transaction->set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    host_port_.Answer(transaction, edge_ps_);
  }
}

tlm::tlm_sync_enum RtlGpu::AnswerDma(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  sc_assert(phase == tlm::BEGIN_RESP);
  host_port_.Answer(static_cast<PooledTransaction*>(&t), NowPs() + delay.value());
  Wake();
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum RtlGpu::AccessFromPeer(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  sc_assert(phase == tlm::BEGIN_REQ);
  t.acquire();
  peer_port_.Push(static_cast<PooledTransaction*>(&t), NowPs() + delay.value());
  Wake();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void RtlGpu::AnswerPeer(PooledTransaction* t, bool ok) {
  sent_ = true;
  t->set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = sc_time::from_value(edge_ps_ - NowPs());
  inbound->nb_transport_bw(*t, phase, delay);
  t->release();
}

tlm::tlm_sync_enum RtlGpu::AccessFromCpu(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  sc_assert(phase == tlm::BEGIN_REQ);
  CpuPort::Access access;
  access.write = t.is_write();
  access.bytes = t.get_data_length();
  access.data = t.get_data_ptr();
  access.transaction = &t;
  const auto* extension = t.get_extension<BusExtension>();
  if (extension != nullptr && extension->kind == AddressKind::kConfig) {
    access.target = CpuPort::Target::kConfig;
    access.offset = static_cast<uint32_t>(t.get_address());
  } else {
    const auto inside = [&](unsigned bar) {
      return config_.bar_active(bar) && t.get_address() >= config_.bar_base(bar) &&
             t.get_address() - config_.bar_base(bar) + access.bytes <= config_.bar_bytes(bar);
    };
    const unsigned bar = inside(0) ? 0 : 2;
    if (!inside(bar)) {
      t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    access.target = bar == 0 ? CpuPort::Target::kRegisters : CpuPort::Target::kWindow;
    access.offset = static_cast<uint32_t>(t.get_address() - config_.bar_base(bar));
  }
  t.acquire();
  cpu_port_.Push(access, NowPs() + delay.value());
  Wake();
  return tlm::TLM_ACCEPTED;
}

void RtlGpu::Configure(const CpuPort::Access& access) {
  const auto offset = static_cast<uint16_t>(access.offset);
  if (access.write) {
    uint32_t value = 0;
    std::memcpy(&value, access.data, std::min(access.bytes, 4u));
    const bool powered = config_.powered();
    config_.Write(offset, access.bytes, value);
    if (powered && !config_.powered()) vram_.LosePower();
    DriveStraps();
  } else {
    const uint32_t value = config_.Read(offset, access.bytes);
    std::memcpy(access.data, &value, std::min(access.bytes, 4u));
  }
}

void RtlGpu::FinishAccess(const CpuPort::Access& access, bool ok) {
  if (access.transaction == nullptr) {  // an instrument's access
    if (--service_->left != 0) return;
    sent_ = true;
    const auto service = std::move(service_);
    service->done(service->values);
    return;
  }
  access.transaction->set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  Respond(*access.transaction);
}

void RtlGpu::Respond(tlm::tlm_generic_payload& t) {
  sent_ = true;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = sc_time::from_value(edge_ps_ - NowPs());
  registers->nb_transport_bw(t, phase, delay);
  t.release();
}

bool RtlGpu::ServiceRead(const std::vector<uint32_t>& offsets, std::function<void(const std::vector<uint64_t>&)> done) {
  if (service_ != nullptr) return false;
  service_ = std::make_unique<Service>();
  service_->values.resize(offsets.size());
  service_->left = offsets.size();
  service_->done = std::move(done);
  for (size_t i = 0; i < offsets.size(); ++i) {
    CpuPort::Access access;
    access.offset = offsets[i];
    access.data = reinterpret_cast<uint8_t*>(&service_->values[i]);
    cpu_port_.Push(access, NowPs());
  }
  Wake();
  return true;
}

void RtlGpu::DriveClients(hw::ClientAccesses* accesses) {
  client_ports_.Serve(accesses);
  Wake();
}

void RtlGpu::LoseAnswer(unsigned space, uint64_t va) {
  client_ports_.LoseAnswer(*top_, space, va);
  Wake();
}

std::vector<hw::InUse> RtlGpu::ResourcesInUse() const {
  std::vector<hw::InUse> held;
  if (!top_->idle_o) held.push_back({"rtl_slot", "the GPU has work under way (idle_o is 0)"});
  if (!vram_port_.idle()) held.push_back({"bus_slot", "a burst at the VRAM port"});
  if (!host_port_.idle()) held.push_back({"bus_slot", "a burst at the host port"});
  if (!peer_port_.idle()) held.push_back({"bus_slot", "a burst at the peer port"});
  return held;
}

std::vector<hw::Finding> RtlGpu::Findings() const {
  std::vector<hw::Finding> all = axi_.Findings();
  if (events_) all.insert(all.end(), events_->findings().begin(), events_->findings().end());
  return all;
}

std::vector<hw::Counter> RtlGpu::Counters() const {
  std::vector<hw::Counter> all = vram_port_.Counters();
  const auto host = host_port_.Counters();
  all.insert(all.end(), host.begin(), host.end());
  return all;
}

}  // namespace gmmu::sim
