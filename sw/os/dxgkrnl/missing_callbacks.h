// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/dispmprt.h"

namespace gmmu::os {

/// Fills NULL entries with stand-ins for callbacks that the model does not implement. A stand-in records its name when
/// it is called (Kernel::NoteUnmodelled), and returns STATUS_NOT_SUPPORTED, or 0 if the callback returns no status.
void PutMissingCallbacks(DXGKRNL_INTERFACE& table);

}  // namespace gmmu::os
