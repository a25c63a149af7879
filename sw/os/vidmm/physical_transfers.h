// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/vidmm/transfers.h"

namespace gmmu::os {

class PagingWork;

// Operations of WDDM 1, which address VRAM by segment and address instead of through a scratch window. Each run of
// consecutive pages needs an operation, or several if `variety` divides it. The allocation must be resident in a memory segment of the GPU that does the
// work; for CopyAperture it can also be in system memory. All functions except DiscardContent return when the GPU has
// completed the operations.

/// Returns the GPU's page numbers for the buffer's first `bytes`. They are also the entries of the MDL below.
std::vector<uint64_t> NumbersOf(const SystemBuffer& buffer, uint64_t bytes);
/// Moves the allocation's first `bytes` from system memory (`in` true) or to it. An MDL with the page numbers of
/// NumbersOf describes the system memory.
void TransferByMdl(PagingWork& work, Variety& variety, Allocation& allocation, SystemBuffer& buffer, uint64_t bytes,
                   bool in, const Progress& progress);
/// Fills VRAM, starting at byte `offset`, with at most `largest` bytes per operation.
void FillBySegment(PagingWork& work, Variety& variety, Allocation& allocation, uint64_t offset, uint64_t bytes,
                   uint32_t pattern, uint64_t largest);
/// Moves `bytes` between the aperture segment and the allocation. `begins` and `ends` mark the first and the last part
/// of the transfer of the whole allocation.
void CopyAperture(PagingWork& work, uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes,
                  bool in, bool begins = true, bool ends = true);
void DiscardContent(PagingWork& work, const Allocation& allocation);

}  // namespace gmmu::os
