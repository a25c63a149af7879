// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "os/vidsch/devices.h"
#include "os/vidsch/packets.h"

namespace gmmu::os {

class Kernel;

/// Handles the driver's reports of faults. A fault of a render packet, which the driver names by its fence, makes that
/// packet's device lost and requests a reset of the engine. A fault of a paging packet goes to the kernel's list, where
/// it ends every wait, unless the driver requests a reset of the adapter.
class FaultReports {
 public:
  FaultReports(Kernel& kernel, Packets& packets, GpuDevices& devices)
      : kernel_(kernel), packets_(packets), devices_(devices) {}

  /// Handles DXGK_INTERRUPT_DMA_FAULTED, which always names a fence.
  void OnDmaFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  /// Handles DXGK_INTERRUPT_DMA_PAGE_FAULTED. Without a fence the driver states what must be reset, and may name the
  /// faulting process; a report with neither triggers a bug check. If the driver requests an adapter reset, the adapter
  /// is reset whether or not a fence is named.
  void OnPageFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

 private:
  /// Completes the render packet with this fence and all earlier ones, and marks its device as lost. Returns false if
  /// there is no such packet.
  bool EndFaulted(NodeId id, uint32_t fence, const std::string& why);

  Kernel& kernel_;
  Packets& packets_;
  GpuDevices& devices_;
};

}  // namespace gmmu::os
