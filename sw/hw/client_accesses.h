// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::hw {

/// An access at a client port of a GPU. It has at most 64 bytes, all in one aligned 64-byte line.
struct ClientRequest {
  uint64_t va = 0;   ///< GPU virtual address
  uint64_t tag = 0;  ///< returned with the response
  uint8_t bytes = 64;
  uint8_t space = 0;  ///< hardware address space
  regs::Access access = regs::Access::kRead;
  uint32_t group = 0;  ///< accesses of a group wait for each other, as in a warp; walk scheduling may use it
};

/// The response to an access. It carries no data: a write stores a pattern that depends on the
/// address, and read data is dropped.
struct ClientAnswer {
  uint64_t tag = 0;
  regs::Fault fault = regs::Fault::kNone;
  uint64_t requested = 0;  ///< GPU cycle in which the request (a write: its first word) was first offered to the port
  uint64_t answered = 0;   ///< GPU cycle in which the last beat of the response was accepted
};

/// The accesses of a GPU's clients. The machine requests them as its time advances
/// (Instruments::DriveClients).
///
/// A client's accesses are sent to the client's port in the order of the Take calls; the number in
/// flight is limited by the hardware's slots. The functions must not access the machine and must
/// not throw. After each call to Take or Answered for a client, the machine calls Due for that
/// client. If Due returned kNever for a client, the machine also calls it after each call to
/// Answered for any other client.
class ClientAccesses {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};
  virtual ~ClientAccesses() = default;
  /// Returns the GPU cycle, possibly in the past, from which the client's next access is due.
  /// kNever: the client has no access before another one completes.
  virtual uint64_t Due(unsigned client) = 0;
  /// Removes the due access from the client's sequence and returns it; the machine sends it at `cycle`.
  virtual ClientRequest Take(unsigned client, uint64_t cycle) = 0;
  virtual void Answered(unsigned client, const ClientAnswer& answer) = 0;
  /// Called when the access is stalled in its port until its page is mapped (policy.far_fault =
  /// "stall"). The port translates the access again after each invalidation and each call to
  /// DriveClients. The access then completes, or is reported here again.
  virtual void Stalled(unsigned /*client*/, const ClientRequest& /*request*/, uint64_t /*cycle*/) {}
};

}  // namespace gmmu::hw
