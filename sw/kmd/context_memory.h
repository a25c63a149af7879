// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kmd/objects.h"

namespace gmmu::kmd {

/// Creates a new context's allocation (DxgkDdiCreateContext, ContextBytes), maps it into the
/// process, and makes the GPU write its first words before the call returns. With ContextShared,
/// the first context of a device creates one allocation for all contexts of the device. On failure,
/// nothing remains allocated.
[[nodiscard]] NTSTATUS CreateContextMemory(Adapter& adapter, Device& device, Context& context, HANDLE dxgk_context);
/// Frees the context allocation, if there is one.
void DestroyContextMemory(Adapter& adapter, ContextMemory& memory);

}  // namespace gmmu::kmd
