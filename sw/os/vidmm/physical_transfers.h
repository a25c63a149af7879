// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/vidmm/transfers.h"

namespace gmmu::os {

class PagingWork;

// Operations of WDDM 1, which address VRAM by segment and address instead of through a scratch window: one operation
// for each run of consecutive pages. The allocation is resident in a memory segment of the GPU that does the work;
// CopyAperture also takes one in system memory. All except DiscardContent return when the GPU has done them.

/// Page numbers of a buffer's first `bytes` as the GPU uses them, which are also the entries of the MDL below.
std::vector<uint64_t> NumbersOf(const SystemBuffer& buffer, uint64_t bytes);
/// Moves the allocation's first `bytes` from (`in`) or to system memory, which an MDL with the numbers of NumbersOf
/// describes.
void TransferByMdl(PagingWork& work, Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                   const Progress& progress);
/// Fills VRAM from byte `offset` on, at most `largest` bytes at once.
void FillBySegment(PagingWork& work, Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern,
                   uint64_t largest);
/// Moves `bytes` between the aperture segment and the allocation. `begins`, `ends`: this is the first, or the last,
/// part of a move of the whole allocation.
void CopyAperture(PagingWork& work, uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes,
                  bool in, bool begins = true, bool ends = true);
void DiscardContent(PagingWork& work, const Allocation& allocation);

}  // namespace gmmu::os
