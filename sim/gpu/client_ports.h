// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "hw/client_accesses.h"

class Vgmmu_gpu_axi;

namespace gmmu::sim {

/// Drives the client ports cl_* from outside: issues the accesses that hw::ClientAccesses requests,
/// at most one per client and cycle, and always accepts responses. A write's data words
/// (AddressPattern with seed 0, hw/traffic.h) are sent before its request, one word per cycle;
/// later accesses of the client wait behind them. While there are no accesses, the ports cost no
/// host time.
class ClientPorts {
 public:
  static constexpr uint64_t kNever = hw::ClientAccesses::kNever;

  ClientPorts();
  /// Issues the accesses that `accesses` requests, from the next cycle on. If it is null, no more
  /// accesses are issued. Accesses in flight complete, and their responses are dropped.
  void Serve(hw::ClientAccesses* accesses);
  /// Injected fault (hw::Instruments): client 0 issues a read but never accepts the response.
  void LoseAnswer(Vgmmu_gpu_axi& top, unsigned space, uint64_t va);

  /// Call both in each cycle, before its clock edge: Drive sets the inputs; Sample records the
  /// handshakes when the signals are stable.
  void Drive(Vgmmu_gpu_axi& top, uint64_t cycle);
  void Sample(Vgmmu_gpu_axi& top, uint64_t cycle);

  /// Whether no access is being sent or in flight.
  bool idle() const { return offered_ == 0 && in_flight_ == 0 && !losing_; }
  /// Returns the cycle in which the next access is due. Call it only while idle.
  uint64_t due() const;

 private:
  static constexpr unsigned kSlots = 64;  // GMMU_CLIENT_SLOTS_LG2 is 6 in simulation
  struct Slot {
    uint64_t tag = 0, requested = 0;
    uint64_t life = 0;
  };
  struct Port {
    uint64_t due = kNever;
    uint64_t free = ~uint64_t{0};  // bit i: slot i is free
    std::array<Slot, kSlots> slots;
    unsigned slot = 0;                // slot of the access being sent
    unsigned word = 0, end_word = 0;  // for a write: next word to send, and one past the last word
    hw::ClientRequest request;
  };

  void Ask(unsigned client) { ports_[client].due = accesses_->Due(client); }
  void Offer(Vgmmu_gpu_axi& top, unsigned client, uint64_t cycle);
  void Show(Vgmmu_gpu_axi& top, unsigned client);
  void OfferWord(Vgmmu_gpu_axi& top, unsigned client);
  void OfferRequest(Vgmmu_gpu_axi& top, unsigned client);
  void TakeAnswers(const Vgmmu_gpu_axi& top, uint64_t cycle);

  std::vector<Port> ports_;
  hw::ClientAccesses* accesses_ = nullptr;
  uint64_t life_ = 0;  // incremented when `accesses_` changes, so that older responses are dropped
  // Client masks: an access is being sent; its request is on the pins; a data word is on the pins;
  // Show is due in the next cycle.
  uint64_t offered_ = 0, requests_ = 0, words_ = 0, next_ = 0;
  uint64_t in_flight_ = 0;  // number of slots in use
  bool losing_ = false, lost_ = false;
};

}  // namespace gmmu::sim
