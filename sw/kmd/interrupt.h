// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"

namespace gmmu::kmd {

class Adapter;

/// Tells Dxgkrnl what of a node has completed, faulted or been preempted since the last call. At device level
/// only: from the interrupt routine, or through DxgkCbSynchronizeExecution.
void ReportCompletion(Adapter& adapter, UINT node);
void ReportRingError(Adapter& adapter, UINT node);
void ReportPreemption(Adapter& adapter, UINT node);

}  // namespace gmmu::kmd
