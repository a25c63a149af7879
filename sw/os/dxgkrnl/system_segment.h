// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class Kernel;

/// True for a memory segment that consists of system memory which the driver has allocated
/// (DXGK_SEGMENTFLAGS.PopulatedFromSystemMemory; the flag has no effect on an aperture).
bool IsSystemMemory(const DXGK_SEGMENTDESCRIPTOR4& segment);

/// Returns the host pages of such a segment, from its first byte on: at CpuTranslatedAddress if it is CPU-visible, else at
/// BaseAddress. Throws OsError, which names segment `id`, the page and its owner, unless the driver has allocated all of
/// them: the system maps these pages into the GPU's domain and lets VidMm write to them.
std::vector<uint64_t> PagesOfSystemSegment(Kernel& kernel, const DXGK_SEGMENTDESCRIPTOR4& segment, unsigned id);

}  // namespace gmmu::os
