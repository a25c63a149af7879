// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/fifo.h"
#include "gpu/transaction_pool.h"
#include "memory/vram.h"
#include "tb/bench/bare_gpu.h"
#include "tb/bench/row.h"

namespace gmmu::bench {

inline constexpr uint64_t kPeriodPs = 1000;
inline constexpr uint64_t kRegisters = 0xE0000000;  // BAR0
inline uint64_t NowPs() { return sc_core::sc_time_stamp().value(); }

/// Performs a transaction when it arrives, and responds `latency` cycles later, half a cycle before the edge.
class ArrayMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ArrayMemory> socket{"socket"};

  ArrayMemory(sc_core::sc_module_name name, sim::VramCore& core, const ArrayTiming& timing)
      : sc_module(name), core_(core), timing_(timing) {
    socket.register_nb_transport_fw(this, &ArrayMemory::Take);
    SC_HAS_PROCESS(ArrayMemory);
    SC_METHOD(Answer);
    sensitive << due_;
    dont_initialize();
  }
  uint64_t transactions() const { return transactions_; }

 private:
  struct Waiting {
    tlm::tlm_generic_payload* transaction;
    uint64_t due_ps;
  };

  tlm::tlm_sync_enum Take(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    sc_assert(phase == tlm::BEGIN_REQ);
    ++transactions_;
    t.set_response_status(Access(t) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    const unsigned latency = t.is_write() ? timing_.write_latency : timing_.latency;
    sim::Fifo<Waiting>& queue = t.is_write() ? writes_ : reads_;
    queue.push({&t, NowPs() + delay.value() + latency * kPeriodPs - kPeriodPs / 2});
    Arm();
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  bool Access(tlm::tlm_generic_payload& t) {
    uint8_t* data = t.get_data_ptr();
    const uint64_t address = t.get_address();
    const unsigned size = t.get_data_length();
    if (!t.is_write()) return core_.Read(address, data, size);
    const uint8_t* enables = t.get_byte_enable_ptr();
    if (enables == nullptr) return core_.Write(address, data, size);
    for (unsigned i = 0; i < size; ++i)
      if (enables[i] != 0 && !core_.Write(address + i, data + i, 1)) return false;
    return true;
  }

  void Arm() {
    uint64_t next = ~uint64_t{0};
    if (!reads_.empty()) next = reads_.front().due_ps;
    if (!writes_.empty() && writes_.front().due_ps < next) next = writes_.front().due_ps;
    if (next != ~uint64_t{0}) due_.notify(sc_core::sc_time::from_value(next - NowPs()));
  }

  void Answer() {
    for (sim::Fifo<Waiting>* queue : {&writes_, &reads_}) {
      while (!queue->empty() && queue->front().due_ps <= NowPs()) {
        tlm::tlm_generic_payload* t = queue->front().transaction;
        queue->pop();
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_bw(*t, phase, delay);
      }
    }
    Arm();
  }

  sim::VramCore& core_;
  const ArrayTiming timing_;
  sim::Fifo<Waiting> reads_{256}, writes_{256};
  sc_core::sc_event due_;
  uint64_t transactions_ = 0;
};

/// Enables BAR0 and bus mastering immediately, then writes the script's registers at their cycles.
class RegisterScript : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<RegisterScript> socket{"socket"};

  RegisterScript(sc_core::sc_module_name name, const std::vector<RegisterWrite>& script)
      : sc_module(name), script_(script) {
    socket.register_nb_transport_bw(this, &RegisterScript::Answered);
    SC_HAS_PROCESS(RegisterScript);
    SC_THREAD(Main);
  }

 private:
  void Main() {
    sc_core::wait(sc_core::sc_time::from_value(kPeriodPs / 2));
    Write(0x10, kRegisters, 4, sim::AddressKind::kConfig);
    Write(0x04, 6, 2, sim::AddressKind::kConfig);
    for (const RegisterWrite& write : script_) {
      const uint64_t at = (write.cycle + 1) * kPeriodPs - kPeriodPs / 2;
      sc_core::wait(sc_core::sc_time::from_value(at - NowPs()));
      Write(kRegisters + write.offset, write.value, 8, sim::AddressKind::kLogical);
    }
  }
  void Write(uint64_t address, uint64_t value, unsigned bytes, sim::AddressKind kind) {
    sim::PooledTransaction* t = pool_.Acquire(tlm::TLM_WRITE_COMMAND, address, 0, bytes);
    t->extension->kind = kind;
    std::memcpy(t->get_data_ptr(), &value, bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (socket->nb_transport_fw(*t, phase, delay) != tlm::TLM_ACCEPTED)
      throw RowError("bench: the GPU decodes no register");
  }
  tlm::tlm_sync_enum Answered(tlm::tlm_generic_payload& t, tlm::tlm_phase&, sc_core::sc_time&) {
    t.release();
    return tlm::TLM_COMPLETED;
  }

  const std::vector<RegisterWrite> script_;
  sim::TransactionPool pool_;
};

}  // namespace gmmu::bench
