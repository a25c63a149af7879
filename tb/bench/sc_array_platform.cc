// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/sc_array_platform.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/ring.h"
#include "gpu/rtl_gpu.h"
#include "gpu/transaction_pool.h"
#include "platform/sc_kernel.h"
#include "probe/translation_checker.h"
#include "tb/bench/row.h"

namespace gmmu::bench {
namespace {

using sc_core::sc_time;
using sim::PooledTransaction;

constexpr uint64_t kPeriod = 1000;  // ps
constexpr uint64_t kRegisters = 0xE0000000;

uint64_t NowPs() { return sc_core::sc_time_stamp().value(); }

/// Moves the bytes when a transaction arrives, answers it `latency` cycles later, half a cycle
/// before the edge.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket{"socket"};

  Memory(sc_core::sc_module_name name, sim::VramCore& core, const ArrayTiming& timing)
      : sc_module(name), core_(core), timing_(timing) {
    socket.register_nb_transport_fw(this, &Memory::Take);
    SC_HAS_PROCESS(Memory);
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

  tlm::tlm_sync_enum Take(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_time& delay) {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    sc_assert(phase == tlm::BEGIN_REQ);
    ++transactions_;
    t.set_response_status(Access(t) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    const unsigned latency = t.is_write() ? timing_.write_latency : timing_.latency;
    sim::Ring<Waiting>& queue = t.is_write() ? writes_ : reads_;
    queue.push({&t, NowPs() + delay.value() + latency * kPeriod - kPeriod / 2});
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
    if (next != ~uint64_t{0}) due_.notify(sc_time::from_value(next - NowPs()));
  }

  void Answer() {
    for (sim::Ring<Waiting>* queue : {&writes_, &reads_}) {
      while (!queue->empty() && queue->front().due_ps <= NowPs()) {
        tlm::tlm_generic_payload* t = queue->front().transaction;
        queue->pop();
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_time delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_bw(*t, phase, delay);
      }
    }
    Arm();
  }

  sim::VramCore& core_;
  const ArrayTiming timing_;
  sim::Ring<Waiting> reads_{256}, writes_{256};
  sc_core::sc_event due_;
  uint64_t transactions_ = 0;
};

/// Opens BAR0 and masters the bus at once, then writes the registers of the script at their cycles.
class Software : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Software> socket{"socket"};

  Software(sc_core::sc_module_name name, const std::vector<RegisterWrite>& script)
      : sc_module(name), script_(script) {
    socket.register_nb_transport_bw(this, &Software::Answered);
    SC_HAS_PROCESS(Software);
    SC_THREAD(Main);
  }

 private:
  void Main() {
    sc_core::wait(sc_time::from_value(kPeriod / 2));
    Write(0x10, kRegisters, 4, sim::AddressKind::kConfig);
    Write(0x04, 6, 2, sim::AddressKind::kConfig);
    for (const RegisterWrite& write : script_) {
      const uint64_t at = (write.cycle + 1) * kPeriod - kPeriod / 2;
      sc_core::wait(sc_time::from_value(at - NowPs()));
      Write(kRegisters + write.offset, write.value, 8, sim::AddressKind::kLogical);
    }
  }
  void Write(uint64_t address, uint64_t value, unsigned bytes, sim::AddressKind kind) {
    PooledTransaction* t = pool_.Acquire(tlm::TLM_WRITE_COMMAND, address, 0, bytes);
    t->extension->kind = kind;
    std::memcpy(t->get_data_ptr(), &value, bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = sc_core::SC_ZERO_TIME;
    if (socket->nb_transport_fw(*t, phase, delay) != tlm::TLM_ACCEPTED)
      throw RowError("bench: the GPU decodes no register");
  }
  tlm::tlm_sync_enum Answered(tlm::tlm_generic_payload& t, tlm::tlm_phase&, sc_time&) {
    t.release();
    return tlm::TLM_COMPLETED;
  }

  const std::vector<RegisterWrite> script_;
  sim::TransactionPool pool_;
};

sim::RtlGpuParameters GpuOf(const ArrayTiming& vram, const ArrayTiming& host) {
  if (vram.latency != vram.write_latency) throw RowError("bench: VRAM has one latency");
  sim::RtlGpuParameters p;
  p.period_ps = kPeriod;
  p.skip_idle = false;
  p.vram.bytes = BareGpu::kMemoryBytes;
  p.vram.latency_cycles = vram.latency;
  p.vram.outstanding = static_cast<unsigned>(vram.reads);
  p.host.tags = 1u << 30;
  p.host.write_buffer = static_cast<unsigned>(host.writes);
  return p;
}

}  // namespace

struct ArrayPlatform::Modules {
  Modules(const ArrayTiming& vram_timing, const ArrayTiming& host_timing,
          const std::vector<RegisterWrite>& script)
      : host(BareGpu::kMemoryBytes),
        gpu("gpu", GpuOf(vram_timing, host_timing)),
        memory("memory", host, host_timing),
        software("software", script),
        checker(GMMU_SPACES, gpu.vram(), [this](uint64_t address) -> std::optional<uint64_t> {
          uint64_t word = 0;
          if (!host.Read(address, &word, sizeof word)) return std::nullopt;
          return word;
        }) {
    gpu.dma.bind(memory.socket);
    software.socket.bind(gpu.registers);
    gpu.set_checker(&checker);
  }

  sim::Kernel kernel;  // first made, last gone
  sim::VramCore host;
  sim::RtlGpu gpu;
  Memory memory;
  Software software;
  sim::TranslationChecker checker;
};

ArrayPlatform::ArrayPlatform(const ArrayTiming& vram, const ArrayTiming& host,
                             const std::vector<RegisterWrite>& script)
    : modules_(std::make_unique<Modules>(vram, host, script)) {}

ArrayPlatform::~ArrayPlatform() = default;

void ArrayPlatform::Run(uint64_t cycles) { sc_core::sc_start(sc_time::from_value(cycles * kPeriod)); }

uint64_t ArrayPlatform::cycles_evaluated() const { return modules_->gpu.cycles_evaluated(); }
sim::VramCore& ArrayPlatform::vram() { return modules_->gpu.vram(); }
sim::VramCore& ArrayPlatform::host() { return modules_->host; }
uint64_t ArrayPlatform::transactions() const { return modules_->memory.transactions(); }

std::vector<std::string> ArrayPlatform::Findings() const {
  std::vector<std::string> all;
  for (const hw::Finding& finding : modules_->gpu.Findings())
    all.push_back(finding.probe + ": " + finding.text);
  for (const hw::Finding& finding : modules_->checker.findings())
    all.push_back(finding.probe + ": " + finding.text);
  return all;
}

uint64_t ArrayPlatform::translations() const {
  for (const hw::Counter& counter : modules_->checker.Counters())
    if (counter.name == "answers") return counter.value;
  return 0;
}

}  // namespace gmmu::bench
