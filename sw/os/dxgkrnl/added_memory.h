// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hw/platform.h"

namespace gmmu::os {

class Dxgkrnl;

/// Adds memory (bytes) to the running machine, for every later allocation of physical pages.
/// Identity domains of all memory map it before it can be allocated.
///
/// The documentation on IOMMU DMA remapping decides at an adapter's start whether the GPU can reach
/// all installed memory. Added memory keeps this condition in this model: if a running adapter that
/// is not remapped cannot reach it, nothing is added. Returns the reason, which names the adapter,
/// or "" if the memory was added. Call on a thread that may wait.
std::string AddMemory(Dxgkrnl& dxgkrnl, const hw::Range& bytes);

}  // namespace gmmu::os
