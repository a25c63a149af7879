// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/base/dma_policy.h"

namespace gmmu::os {

class LogicalAdapter;

/// Switches a running adapter to another DMA mode, with exclusive access to the devices. The behaviour comes from the
/// documentation on IOMMU DMA remapping and GPU isolation; it was not observed on Windows.
///
/// Between physical and 1:1 mode no address changes for the GPU: its memory is mapped at its own addresses. A switch
/// into or out of a remapped domain changes every address, so the GPU must not hold any. A running adapter always holds
/// some: rings, page tables and VidMm's pages have ADLs. Such a switch therefore throws an OsError, which contains the
/// number of ADLs, and the adapter must be stopped and restarted instead. A mode that the machine or the driver does
/// not support, and the end of requested isolation, are errors too.
void SwitchDma(LogicalAdapter& adapter, DmaMode mode);

}  // namespace gmmu::os
