// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class Kernel;

/// True for a memory segment that consists of system memory allocated by the driver
/// (DXGK_SEGMENTFLAGS.PopulatedFromSystemMemory; the flag has no effect on an aperture).
bool IsSystemMemory(const DXGK_SEGMENTDESCRIPTOR4& segment);

/// Returns the host pages of a memory segment that consists of system memory, in order. The first
/// page is at CpuTranslatedAddress if the segment is CPU-visible, otherwise at BaseAddress. The
/// driver must have allocated all the pages, because the system maps them into the GPU's domain and
/// lets VidMm write to them; otherwise throws an OsError that names segment `id`, the page and its
/// owner.
std::vector<uint64_t> PagesOfSystemSegment(Kernel& kernel, const DXGK_SEGMENTDESCRIPTOR4& segment, unsigned id);

}  // namespace gmmu::os
