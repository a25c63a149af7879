// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/base/page_math.h"

namespace gmmu::os {

class PhysicalAdapter;
class SystemBuffer;
struct Allocation;
struct Segment;

/// Return valid leaf entries for 4 KiB pages, without read-only or no-execute protection. They map:
///   SystemEntry      the page of system memory with the GPU's page number `page`
///   SystemEntries    pages [first, first + pages) of a buffer
///   LocalEntry       page `page` of a memory segment of this GPU
///   EntryOf          page `page` of a resident allocation in the memory of any linked GPU
DXGK_PTE SystemEntry(const PhysicalAdapter& gpu, uint64_t page);
std::vector<DXGK_PTE> SystemEntries(const PhysicalAdapter& gpu, const SystemBuffer& buffer, uint64_t first,
                                    uint64_t pages);
DXGK_PTE LocalEntry(const PhysicalAdapter& gpu, const Segment& segment, uint64_t page);
DXGK_PTE EntryOf(const Allocation& allocation, uint64_t page);

/// Returns the address of page `page` of an allocation in a memory segment, in the form that WDDM 1
/// operands use, which includes the segment's base address.
LONGLONG SegmentAddress(const Allocation& allocation, uint64_t page);
/// Like SegmentAddress, for the first page of an allocation in a memory segment or in the aperture segment.
LONGLONG AddressInSegment(const Allocation& allocation);

}  // namespace gmmu::os
