// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::os {

struct Allocation;

/// A bug check, which names the first byte, when the memory of a clean allocation (Allocation::clean) differs from its
/// backing store: the GPU has written there although no allocation list had WriteOperation, so the bytes would be lost.
/// The check takes no machine time. It finds nothing on machines that do not show local memory (hw/device_access.h),
/// nor in a segment outside of BAR 2.
void RequireClean(const Allocation& allocation);

}  // namespace gmmu::os
