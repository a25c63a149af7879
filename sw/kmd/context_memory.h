// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kmd/objects.h"

namespace gmmu::kmd {

/// The context allocation of a context that is being made (DxgkDdiCreateContext, ContextBytes): created, mapped into
/// the process, and its first words written by the GPU before the call returns. With ContextShared the first context
/// of a device makes it for all of them. On failure nothing is held.
[[nodiscard]] NTSTATUS CreateContextMemory(Adapter& adapter, Device& device, Context& context, HANDLE dxgk_context);
/// Harmless when there is none.
void DestroyContextMemory(Adapter& adapter, ContextMemory& memory);

}  // namespace gmmu::kmd
