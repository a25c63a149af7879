// SPDX-License-Identifier: Apache-2.0
#include "gpu/client_ports.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "Vgmmu_gpu_axi.h"
#include "hw/traffic.h"

namespace gmmu::sim {
namespace {

constexpr unsigned kSlotBits = 6, kSpaceBits = 6, kAccessBits = 2, kBytesBits = 7, kWordBits = 3, kFaultBits = 8;

/// Sets bits [at, at + bits) of a port of any width; `bits` is at most 64.
template <typename Port>
void Set(Port& port, unsigned at, unsigned bits, uint64_t value) {
  if constexpr (std::is_integral_v<Port>) {
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : ((uint64_t{1} << bits) - 1) << at;
    port = static_cast<Port>((port & ~mask) | ((value << at) & mask));
  } else {
    for (unsigned done = 0; done < bits;) {
      const unsigned shift = (at + done) % 32, now = std::min(bits - done, 32 - shift);
      const uint32_t mask = (now == 32 ? ~0u : (1u << now) - 1) << shift;
      auto& word = port[(at + done) / 32];
      word = (word & ~mask) | (static_cast<uint32_t>(value >> done) << shift & mask);
      done += now;
    }
  }
}

/// Returns bits [at, at + bits) of a port of any width; `bits` is at most 32.
template <typename Port>
unsigned Get(const Port& port, unsigned at, unsigned bits) {
  const unsigned mask = (1u << bits) - 1;
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<unsigned>(uint64_t{port} >> at) & mask;
  } else {
    const unsigned shift = at % 32;
    uint64_t word = port[at / 32];
    if (shift + bits > 32) word |= uint64_t{port[at / 32 + 1]} << 32;
    return static_cast<unsigned>(word >> shift) & mask;
  }
}

/// Calls `act` with the number of each set bit.
template <typename Act>
void ForEach(uint64_t bits, const Act& act) {
  for (; bits != 0; bits &= bits - 1) act(static_cast<unsigned>(__builtin_ctzll(bits)));
}

}  // namespace

ClientPorts::ClientPorts() : ports_(GMMU_CLIENTS) {}

void ClientPorts::Serve(hw::ClientAccesses* accesses) {
  if (accesses != accesses_) ++life_;
  accesses_ = accesses;
  for (unsigned client = 0; client < ports_.size(); ++client) {
    if (accesses_ == nullptr) ports_[client].due = kNever;
    else if ((offered_ >> client & 1) == 0) Ask(client);
  }
}

uint64_t ClientPorts::due() const {
  uint64_t first = kNever;
  for (const Port& port : ports_) first = std::min(first, port.due);
  return first;
}

void ClientPorts::LoseAnswer(Vgmmu_gpu_axi& top, unsigned space, uint64_t va) {
  Port& port = ports_[0];
  port.request = {va, 0, 64, static_cast<uint8_t>(space), regs::Access::kRead};
  port.slot = 0;
  port.free &= ~uint64_t{1};
  losing_ = lost_ = true;
  OfferRequest(top, 0);
}

void ClientPorts::Drive(Vgmmu_gpu_axi& top, uint64_t cycle) {
  ForEach(std::exchange(next_, 0), [&](unsigned client) { Show(top, client); });
  if (accesses_ != nullptr) {
    for (unsigned client = 0; client < ports_.size(); ++client) {
      const Port& port = ports_[client];
      if (port.due <= cycle && (offered_ >> client & 1) == 0 && port.free != 0) Offer(top, client, cycle);
    }
  }
  if (idle()) {
    top.cl_req_valid_i = 0;
    top.cl_w_valid_i = 0;
    return;
  }
  using Valid = std::remove_reference_t<decltype(top.cl_req_valid_i)>;
  top.cl_req_valid_i = static_cast<Valid>(requests_);
  top.cl_w_valid_i = static_cast<Valid>(words_);
  top.cl_rsp_ready_i = static_cast<Valid>(~uint64_t{lost_ ? 1u : 0u} & (~uint64_t{0} >> (64 - ports_.size())));
}

void ClientPorts::Offer(Vgmmu_gpu_axi& top, unsigned client, uint64_t cycle) {
  Port& port = ports_[client];
  port.request = accesses_->Take(client, cycle);
  port.due = kNever;
  port.slot = static_cast<unsigned>(__builtin_ctzll(port.free));
  port.free &= port.free - 1;
  port.slots[port.slot] = {port.request.tag, cycle, life_};
  offered_ |= uint64_t{1} << client;
  port.word = port.end_word = 0;
  if (port.request.access == regs::Access::kWrite) {
    const unsigned offset = port.request.va % 64;
    port.word = offset / 8;
    port.end_word = (offset + port.request.bytes - 1) / 8 + 1;
  }
  Show(top, client);
}

void ClientPorts::Show(Vgmmu_gpu_axi& top, unsigned client) {
  if (ports_[client].word != ports_[client].end_word) OfferWord(top, client);
  else OfferRequest(top, client);
}

void ClientPorts::OfferWord(Vgmmu_gpu_axi& top, unsigned client) {
  const Port& port = ports_[client];
  words_ |= uint64_t{1} << client;
  Set(top.cl_w_id_i, client * kSlotBits, kSlotBits, port.slot);
  Set(top.cl_w_word_i, client * kWordBits, kWordBits, port.word);
  Set(top.cl_w_data_i, client * 64, 64, hw::AddressPattern(0, port.request.va / 64 * 64 + port.word * 8));
}

void ClientPorts::OfferRequest(Vgmmu_gpu_axi& top, unsigned client) {
  const Port& port = ports_[client];
  requests_ |= uint64_t{1} << client;
  Set(top.cl_req_id_i, client * kSlotBits, kSlotBits, port.slot);
  Set(top.cl_req_space_i, client * kSpaceBits, kSpaceBits, port.request.space);
  Set(top.cl_req_va_i, client * 64, 64, port.request.va);
  Set(top.cl_req_access_i, client * kAccessBits, kAccessBits, static_cast<unsigned>(port.request.access));
  Set(top.cl_req_bytes_i, client * kBytesBits, kBytesBits, port.request.bytes);
}

void ClientPorts::Sample(Vgmmu_gpu_axi& top, uint64_t cycle) {
  if (idle()) return;
  // Inputs must not change before the clock edge, so the next Drive applies this change.
  ForEach(words_ & top.cl_w_ready_o, [&](unsigned client) {
    words_ &= ~(uint64_t{1} << client);
    ++ports_[client].word;
    next_ |= uint64_t{1} << client;
  });
  ForEach(uint64_t{top.cl_req_valid_i} & top.cl_req_ready_o, [&](unsigned client) {
    requests_ &= ~(uint64_t{1} << client);
    offered_ &= ~(uint64_t{1} << client);
    if (losing_ && client == 0) {
      losing_ = false;
      return;
    }
    ++in_flight_;
    if (accesses_ != nullptr) Ask(client);
  });
  if (top.cl_rsp_valid_o != 0) TakeAnswers(top, cycle);
}

void ClientPorts::TakeAnswers(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  bool answered = false;
  ForEach(uint64_t{top.cl_rsp_valid_o} & top.cl_rsp_ready_i & top.cl_rsp_last_o, [&](unsigned client) {
    Port& port = ports_[client];
    const unsigned number = Get(top.cl_rsp_id_o, client * kSlotBits, kSlotBits);
    const Slot& slot = port.slots[number];
    port.free |= uint64_t{1} << number;
    --in_flight_;
    if (accesses_ == nullptr || slot.life != life_) return;
    const auto fault = static_cast<regs::Fault>(Get(top.cl_rsp_fault_o, client * kFaultBits, kFaultBits));
    accesses_->Answered(client, {slot.tag, fault, slot.requested, cycle});
    answered = true;
    if ((offered_ >> client & 1) == 0) Ask(client);
  });
  if (!answered) return;
  for (unsigned client = 0; client < ports_.size(); ++client)
    if (ports_[client].due == kNever && (offered_ >> client & 1) == 0) Ask(client);
}

}  // namespace gmmu::sim
