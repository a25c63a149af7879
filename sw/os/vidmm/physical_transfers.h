// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/vidmm/transfers.h"

namespace gmmu::os {

class PagingWork;

// Operations of WDDM 1, which address VRAM by segment number and segment address instead of through
// a scratch window. Each run of consecutive pages needs one operation, or several if `variety`
// divides it. The allocation must be resident in a memory segment of the GPU that executes `work`;
// for CopyAperture it can also be in system memory. All functions except DiscardContent return when
// the GPU has completed the operations.

/// Returns the page numbers by which the GPU addresses the buffer's first `bytes` bytes.
std::vector<uint64_t> NumbersOf(const SystemBuffer& buffer, uint64_t bytes);
/// Copies `bytes` bytes from the start of `buffer` to the start of the allocation if `in` is true,
/// otherwise in the opposite direction. The driver receives the buffer as an MDL with the page
/// numbers of NumbersOf.
void TransferByMdl(PagingWork& work, Variety& variety, Allocation& allocation, SystemBuffer& buffer, uint64_t bytes,
                   bool in, const Progress& progress);
/// Fills `bytes` bytes of the allocation, starting at byte `offset`, with at most `largest` bytes
/// per operation.
void FillBySegment(PagingWork& work, Variety& variety, Allocation& allocation, uint64_t offset, uint64_t bytes,
                   uint32_t pattern, uint64_t largest);
/// Copies `bytes` bytes from the aperture segment to the allocation if `in` is true, otherwise in
/// the opposite direction. `begins` and `ends` mark the first and the last part of a transfer that
/// is done in parts.
void CopyAperture(PagingWork& work, uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes,
                  bool in, bool begins = true, bool ends = true);
void DiscardContent(PagingWork& work, const Allocation& allocation);

}  // namespace gmmu::os
