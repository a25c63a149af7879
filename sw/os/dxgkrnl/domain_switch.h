// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/base/dma_policy.h"

namespace gmmu::os {

class LogicalAdapter;

/// Gives an adapter that runs another mode of DMA, in exclusive access (IOMMU DMA remapping and GPU isolation;
/// documents only).
///
/// Between physical and 1:1 nothing changes for the GPU: what it holds is mapped at its own addresses. Into or out of a
/// remapped domain every address changes, and the GPU must reference none. An adapter that runs always does: rings,
/// page tables and VidMm's pages have ADLs. So that switch is refused with OsError, which counts them, and the adapter
/// has to be stopped and started instead. Refused too: a mode that the machine or the driver does not have, and the end
/// of an isolation that was asked for.
void SwitchDma(LogicalAdapter& adapter, DmaMode mode);

}  // namespace gmmu::os
