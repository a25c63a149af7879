// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"

namespace gmmu::kmd {

class Adapter;

/// Report a node's completions since the previous call, its fault and its preemption to Dxgkrnl.
/// Call at device level only: from the interrupt routine or through DxgkCbSynchronizeExecution.
void ReportCompletion(Adapter& adapter, UINT node);
void ReportRingError(Adapter& adapter, UINT node);
void ReportPreemption(Adapter& adapter, UINT node);

}  // namespace gmmu::kmd
