// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::os {

class VidMm;
struct GpuProcess;

/// Maps at `target` what a process has mapped in [source, source + bytes), with `driver_protection` for the pages at
/// `target`; the ranges may overlap. Returns when the GPU has done it. For one GPU only: OsError over a link. Worker's.
void CopyMappings(VidMm& vidmm, GpuProcess& process, uint64_t source, uint64_t target, uint64_t bytes,
                  uint64_t driver_protection = 0);

}  // namespace gmmu::os
