// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/domain_switch.h"

#include <string>

#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/gpu_isolation.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/base/errors.h"
#include "os/kernel/kernel.h"
#include "os/memory/isolation_memory.h"
#include "os/memory/memory_objects.h"

namespace gmmu::os {

void SwitchDma(LogicalAdapter& adapter, DmaMode mode) {
  const DmaMode old = adapter.mode();
  if (mode == old) return;
  const std::string what = std::string("the switch of DMA from ") + NameOf(old) + " to " + NameOf(mode);
  if (mode != DmaMode::kPhysical && adapter.kernel().iommu() == nullptr)
    throw OsError(what + " needs an IOMMU, and there is none ([iommu] present)");
  if (mode != DmaMode::kRemapped && !adapter.dma().reaches_all_memory())
    throw OsError(what + " is refused: the GPU does not reach all memory by itself");
  if (mode == DmaMode::kPhysical && adapter.dxgkrnl().isolation_noted())
    throw OsError(what + " is refused: isolation stays on once it is on");
  if (mode == DmaMode::kIdentity && !adapter.dma().can_be_1to1())
    throw OsError(what + " is refused: the driver takes memory from the kernel, which the domain would not have");
  if (mode == DmaMode::kRemapped && !adapter.dma().can_remap())
    throw OsError(what + " is refused: the driver does not support remapping (DXGK_IOMMU_CAPS, MapAperture2Supported)");
  if (mode == DmaMode::kRemapped || old == DmaMode::kRemapped) {
    throw OsError(what + " is refused: the GPU references " +
                  std::to_string(adapter.objects().LiveAdls(adapter.handle())) + " ADLs and " +
                  std::to_string(adapter.dxgkrnl().isolation_memory().Live(adapter.handle())) +
                  " pieces of isolation memory, whose addresses all change; stop the adapter and start it again");
  }
  adapter.isolation().exclusive().Run(what, [&] {
    if (mode == DmaMode::kIdentity) adapter.dma().EnterIdentity();
    else adapter.dma().Leave();
  });
}

}  // namespace gmmu::os
