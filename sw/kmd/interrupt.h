// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kmd/adapter.h"

namespace gmmu::kmd {

/// Tells Dxgkrnl what has completed, faulted or been preempted since the last call. At device level
/// only: from the interrupt routine, or through DxgkCbSynchronizeExecution.
void ReportCompletion(Adapter& adapter);
void ReportRingError(Adapter& adapter);
void ReportPreemption(Adapter& adapter);

}  // namespace gmmu::kmd
