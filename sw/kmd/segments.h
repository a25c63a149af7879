// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi_memory.h"
#include "hw/gmmu_regs.h"
#include "hw/round_up.h"

namespace gmmu::kmd {

using hw::RoundUp;

/// The segments that this driver reports (QUERYSEGMENT4), in the order of their descriptors. Id 0
/// stands for system memory, which is not a segment. Base addresses are 0 unless VramBase or
/// ApertureBase is set.
inline constexpr uint32_t kSystemMemory = 0;
inline constexpr uint32_t kApertureSegment = 1;
inline constexpr uint32_t kVramSegment = 2;
/// The part of VRAM that the CPU cannot access. It exists if BAR2 is smaller than VRAM or
/// VisibleVramBytes limits the visible part. It contains data only, because the CPU must be able to
/// write page tables.
inline constexpr uint32_t kHiddenSegment = 3;
inline constexpr uint64_t kPage = 4096;
inline constexpr uint64_t kPage64k = 65536;
inline constexpr uint32_t kPagesOf64kLg2 = 4;  ///< 4 KiB pages in a 64 KiB page

constexpr uint32_t SegmentBit(uint32_t segment) { return 1u << (segment - 1); }

/// Sets *target to the hardware's target for a segment whose offsets are also the hardware's
/// offsets. Returns false for any other segment.
constexpr bool TargetOf(uint32_t segment, regs::Target* target) {
  switch (segment) {
    case kSystemMemory: *target = regs::Target::kSystem; return true;
    case kApertureSegment: *target = regs::Target::kAperture; return true;
    case kVramSegment: *target = regs::Target::kVram; return true;
    default: return false;
  }
}

}  // namespace gmmu::kmd
