// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/vidsch/packets.h"

namespace gmmu::os {

class Kernel;

/// Asks the driver to return the packets of a node, and handles its answers. A preemption has a fence id of its node.
/// The driver answers by an interrupt, or its engine is reset (TimeoutRecovery).
class Preemption {
 public:
  Preemption(Kernel& kernel, Packets& packets) : kernel_(kernel), packets_(packets) {}

  /// Requests what the node has not completed. No effect while a request is open or no driver is connected.
  void Ask(NodeId id);
  /// DXGK_INTERRUPT_DMA_PREEMPTED: ends the completed packets and queues the others again. A preemption without a
  /// request is a bug check.
  void OnReport(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

 private:
  Kernel& kernel_;
  Packets& packets_;
};

}  // namespace gmmu::os
