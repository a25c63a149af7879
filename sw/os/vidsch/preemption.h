// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/vidsch/packets.h"

namespace gmmu::os {

class Kernel;

/// Requests that the driver return the packets of a node, and handles the responses. A preemption
/// has its own fence id on the node. The driver must respond with an interrupt; if it does not, the
/// engine is reset (TimeoutRecovery).
class Preemption {
 public:
  Preemption(Kernel& kernel, Packets& packets) : kernel_(kernel), packets_(packets) {}

  /// Requests that the driver return the node's uncompleted packets. Does nothing if a request is
  /// already pending or if there is no driver.
  void Ask(NodeId id);
  /// Handles DXGK_INTERRUPT_DMA_PREEMPTED: ends the completed packets and requeues the others. A
  /// report without a matching request triggers a bug check.
  void OnReport(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

 private:
  Kernel& kernel_;
  Packets& packets_;
};

}  // namespace gmmu::os
