// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/base/dma_policy.h"

namespace gmmu::os {

class LogicalAdapter;

/// Switches a running adapter to another DMA mode, with exclusive access to the devices. The
/// behaviour comes from the documentation on IOMMU DMA remapping and GPU isolation; it was not
/// observed on Windows.
///
/// A switch between physical and 1:1 mode does not change the addresses that the GPU uses, because
/// a 1:1 domain maps memory at its physical addresses. A switch into or out of a remapped domain
/// changes every address, so the GPU must not use any. A running adapter always uses some: rings,
/// page tables and VidMm's pages have ADLs. Such a switch therefore throws an OsError that contains
/// the number of ADLs; the adapter must be stopped and restarted instead. A request for a mode that
/// the machine or the driver does not support, or for the end of isolation, also throws.
void SwitchDma(LogicalAdapter& adapter, DmaMode mode);

}  // namespace gmmu::os
