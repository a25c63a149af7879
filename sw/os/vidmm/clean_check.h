// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::os {

struct Allocation;

/// A bug check, which names the first byte, when the memory of a clean allocation (Allocation::clean) differs from its
/// backing store: the GPU has written there, and no allocation list said WriteOperation, so that the bytes would be lost.
/// It takes no time, and finds nothing on machines that do not show local memory (hw/device_access.h) or of a segment that
/// BAR 2 does not show.
void RequireClean(const Allocation& allocation);

}  // namespace gmmu::os
