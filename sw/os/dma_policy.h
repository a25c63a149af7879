// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::os {

/// When Dxgkrnl turns DMA remapping on for an adapter that supports it.
enum class RemapPolicy {
  kWhenPossible,  ///< always, for the isolation that it gives
  kWhenNeeded,    ///< when the GPU cannot reach all installed memory
  kNever,         ///< the system's IOMMU is off
};

/// What is known before DxgkDdiStartDevice.
struct DmaFacts {
  uint64_t highest_visible = 0;  ///< DXGK_PHYSICAL_MEMORY_CAPS.HighestVisibleAddress: last byte
  uint64_t last_byte = 0;        ///< of installed memory
  bool supported = false;        ///< DXGK_IOMMU_CAPS.DmaRemappingSupported
  bool iommu = false;            ///< the platform has one
  RemapPolicy policy = RemapPolicy::kWhenPossible;
};

struct DmaDecision {
  bool remap = false;
  /// Why the adapter must not start; empty: it may.
  std::string refusal;
};

/// How a GPU reaches host memory (IOMMU DMA remapping, "start condition"): without remapping it must
/// reach every installed byte; a GPU that does not is remapped, or refused when that is impossible.
DmaDecision DecideDma(const DmaFacts& facts);

}  // namespace gmmu::os
