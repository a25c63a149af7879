// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/dispmprt.h"

namespace gmmu::os {

/// Fills the entries that are NULL by callbacks that the model does not have: a call of one is noted with its name
/// (Dxgkrnl::NoteUnmodelled) and answered STATUS_NOT_SUPPORTED, or 0 where the result is no status.
void PutMissingCallbacks(DXGKRNL_INTERFACE& table);

}  // namespace gmmu::os
