// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/transaction_pool.h"
#include "gpu_link/wires.h"
#include "platform/sc_agenda.h"

namespace gmmu::sim {

/// The link between the GPUs of a machine. It carries accesses of kind kPeer to the VRAM of the
/// addressed GPU, and the responses back (sim/gpu_link/README.md).
///
///   from(unit)  AT target for the unit's accesses: {adapter[47:42], offset[41:0]}. A write gets
///               its response when the peer has responded. An access that addresses no other
///               GPU gets an error response.
///   to(unit)    AT initiator for accesses to the unit's VRAM.
///
/// A request may wait at the GPU that serves it. A response is always accepted when its last byte
/// arrives. Therefore no access waits for an access in the other direction.
class GpuLink : public sc_core::sc_module {
 public:
  using FromSocket = tlm_utils::simple_target_socket_tagged<GpuLink>;
  using ToSocket = tlm_utils::simple_initiator_socket_tagged<GpuLink>;

  GpuLink(sc_core::sc_module_name name, const GpuLinkParameters& parameters, ScAgenda& agenda);

  FromSocket& from(unsigned unit) { return *from_[unit]; }
  ToSocket& to(unsigned unit) { return *to_[unit]; }
  std::vector<hw::Counter> Counters(unsigned unit) const { return wires_.Counters(unit); }
  /// Returns the number of accesses in flight.
  size_t in_flight() const { return waiting_.size() - free_slots_.size(); }

 private:
  struct Access {
    unsigned own = 0, peer = 0;
    PooledTransaction* transaction = nullptr;  ///< owned by the requester
  };

  tlm::tlm_sync_enum FromGpu(int unit, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum ToAnswers(int unit, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void Begin(const Access& access);
  void Serve(const Access& access, uint64_t offset);
  void Return(const Access& access, bool ok);
  void Answer(const Access& access, bool ok);

  GpuLinkWires wires_;
  ScAgenda& agenda_;
  TransactionPool pool_;
  std::vector<std::unique_ptr<FromSocket>> from_;
  std::vector<std::unique_ptr<ToSocket>> to_;
  std::vector<Access> waiting_;  ///< by owner_tag
  std::vector<size_t> free_slots_;
};

}  // namespace gmmu::sim
