// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/vidsch/packets.h"

namespace gmmu::os {

class Kernel;

/// Asks the driver to give back the packets of a node, and takes its answers. A preemption has a fence id of its node;
/// the driver answers by an interrupt, or its engine is reset (TimeoutRecovery).
class Preemption {
 public:
  Preemption(Kernel& kernel, Packets& packets) : kernel_(kernel), packets_(packets) {}

  /// Asks for what the node has not completed. Nothing happens while a request is open or no driver is connected.
  void Ask(NodeId id);
  /// DXGK_INTERRUPT_DMA_PREEMPTED: what had completed ends, the rest waits again. A preemption that nobody asked for is
  /// a bug check.
  void OnReport(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

 private:
  Kernel& kernel_;
  Packets& packets_;
};

}  // namespace gmmu::os
