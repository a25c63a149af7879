// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/vidsch/packets.h"

namespace gmmu::os {

class Kernel;

/// Requests that the driver return the packets of a node, and handles the responses. A preemption has its own fence id
/// on the node. The driver responds with an interrupt; otherwise its engine is reset (TimeoutRecovery).
class Preemption {
 public:
  Preemption(Kernel& kernel, Packets& packets) : kernel_(kernel), packets_(packets) {}

  /// Requests the node's uncompleted packets. Does nothing while a preemption request is pending or while there is no
  /// driver.
  void Ask(NodeId id);
  /// Handles DXGK_INTERRUPT_DMA_PREEMPTED: ends the completed packets and requeues the others. A preemption without a
  /// request triggers a bug check.
  void OnReport(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

 private:
  Kernel& kernel_;
  Packets& packets_;
};

}  // namespace gmmu::os
