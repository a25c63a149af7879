// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "os/vidsch/devices.h"
#include "os/vidsch/packets.h"

namespace gmmu::os {

class Kernel;

/// Handles the driver's fault reports. If a render packet faulted, which the driver identifies by
/// its fence, the packet's device is lost and the engine is reset. If a paging packet faulted, the
/// fault is reported to the kernel, which ends the run, unless the driver requests an adapter
/// reset.
class FaultReports {
 public:
  FaultReports(Kernel& kernel, Packets& packets, GpuDevices& devices)
      : kernel_(kernel), packets_(packets), devices_(devices) {}

  /// Handles DXGK_INTERRUPT_DMA_FAULTED, which always contains a fence.
  void OnDmaFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  /// Handles DXGK_INTERRUPT_DMA_PAGE_FAULTED. A report without a fence must specify what to reset,
  /// otherwise it triggers a bug check; it may also name the faulting process. If the driver
  /// requests an adapter reset, the adapter is reset even if the report contains a fence.
  void OnPageFault(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

 private:
  /// Completes the render packet with this fence and all earlier packets, and marks the packet's device as lost.
  /// Returns false if there is no such packet.
  bool EndFaulted(NodeId id, uint32_t fence, const std::string& why);

  Kernel& kernel_;
  Packets& packets_;
  GpuDevices& devices_;
};

}  // namespace gmmu::os
