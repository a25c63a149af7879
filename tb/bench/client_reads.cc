// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/client_reads.h"

#include <utility>

#include "hw/gmmu_regs.h"
#include "tb/rtl/top/bits.h"

namespace gmmu::bench {

using top::Bits;
using top::SetBits;

namespace {
constexpr unsigned kIdBits = 6, kBytes = 8;
}  // namespace

ClientReads::ClientReads(uint64_t start, unsigned space, std::vector<uint64_t> addresses)
    : start_(start), space_(space), addresses_(std::move(addresses)) {
  for (unsigned c = 0; c < kClients; ++c) clients_[c].next = c;
}

void ClientReads::Drive(Vgmmu_gpu_axi& top, uint64_t cycle) {
  SetBits(top.cl_req_valid_i, 0, kClients, 0);
  SetBits(top.cl_rsp_ready_i, 0, kClients, ~uint64_t{0});
  if (cycle < start_) return;
  for (unsigned c = 0; c < kClients; ++c) {
    Client& client = clients_[c];
    for (unsigned i = 0; i < kIds && client.busy[client.id]; ++i) client.id = (client.id + 1) % kIds;
    if (client.busy[client.id] || client.next >= addresses_.size()) continue;
    SetBits(top.cl_req_valid_i, c, 1, 1);
    SetBits(top.cl_req_id_i, kIdBits * c, kIdBits, client.id);
    SetBits(top.cl_req_space_i, 6 * c, 6, space_);
    SetBits(top.cl_req_access_i, 2 * c, 2, static_cast<uint64_t>(regs::Access::kRead));
    SetBits(top.cl_req_bytes_i, 7 * c, 7, kBytes);
    SetBits(top.cl_req_va_i, 64 * c, 64, addresses_[client.next]);
  }
}

void ClientReads::Sample(const Vgmmu_gpu_axi& top, uint64_t cycle) {
  for (unsigned c = 0; c < kClients; ++c) {
    Client& client = clients_[c];
    if (Bits(top.cl_req_valid_i, c, 1) && Bits(top.cl_req_ready_o, c, 1)) {
      if (first_ == 0) first_ = cycle;
      client.busy[client.id] = true;
      client.next += kClients;
    }
    if (!Bits(top.cl_rsp_valid_o, c, 1)) continue;
    if (Bits(top.cl_rsp_fault_o, 8 * c, 8)) ++faults_;
    client.busy[Bits(top.cl_rsp_id_o, kIdBits * c, kIdBits)] = false;
    ++answered_;
    last_ = cycle;
  }
}

}  // namespace gmmu::bench
