// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/base/dma_policy.h"

namespace gmmu::os {

class LogicalAdapter;

/// Switches a running adapter to another DMA mode, in exclusive access (IOMMU DMA remapping and GPU isolation;
/// documents only).
///
/// Between physical and 1:1 no address changes for the GPU: its memory is mapped at its own addresses. Into or out of a
/// remapped domain every address changes, so the GPU must hold none. A running adapter always holds some: rings, page
/// tables and VidMm's pages have ADLs. That switch is therefore refused with OsError, which counts them, and the
/// adapter must be stopped and started instead. A mode that the machine or the driver lacks, and ending a requested
/// isolation, are refused too.
void SwitchDma(LogicalAdapter& adapter, DmaMode mode);

}  // namespace gmmu::os
