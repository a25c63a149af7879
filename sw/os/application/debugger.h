// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "os/tables/protection.h"

namespace gmmu::os {

struct Allocation;
struct GpuProcess;

/// A debugger is shown, for `pages` pages at `va`, the entries of the first pages of the resident allocation with this
/// protection (DebugView).
bool DebuggerShows(const GpuProcess& process, uint64_t va, const Allocation& allocation, uint64_t pages,
                   const Protection& protection);

}  // namespace gmmu::os
