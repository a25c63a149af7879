// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::os {

/// How a GPU reaches host memory.
enum class DmaMode {
  kPhysical,  ///< no domain: bus addresses are host physical addresses
  kIdentity,  ///< a domain with a 1:1 mapping of the memory that the GPU may use
  kRemapped,  ///< a domain with its own logical addresses
};
/// Returns "physical", "1:1" or "remapped".
const char* NameOf(DmaMode mode);

/// The mode that Dxgkrnl chooses if more than one is possible.
enum class RemapPolicy {
  kWhenPossible,  ///< remapping for every adapter that supports it
  kWhenNeeded,    ///< remapping if the GPU cannot address all installed memory
  kIdentity,      ///< 1:1 mapping: isolation with unchanged addresses, as before WDDM 3.0
  kNever,         ///< the system's IOMMU is off
};

/// Facts known before DxgkDdiStartDevice.
struct DmaFacts {
  uint64_t highest_visible = 0;  ///< address of the last visible byte (DXGK_PHYSICAL_MEMORY_CAPS.HighestVisibleAddress)
  uint64_t last_byte = 0;        ///< address of the last byte of installed memory
  bool inclusive = false;        ///< highest_visible == last_byte means that all memory is visible
  bool supported = false;        ///< DXGK_IOMMU_CAPS.DmaRemappingSupported
  bool known = true;             ///< the driver's interface version defines the capability (WDDM 3.0 and later)
  uint64_t inf_value = 3;        ///< DmaRemappingCompatible in the driver's INF; 3: the device supports remapping
  bool iommu = false;            ///< the platform has an IOMMU
  RemapPolicy policy = RemapPolicy::kWhenPossible;
};

struct DmaDecision {
  DmaMode mode = DmaMode::kPhysical;
  bool reaches_all = true;  ///< the GPU can address all installed memory without remapping
  /// The reason why the adapter must not start, or empty if it may start.
  std::string refusal;
};

/// Whether a GPU reaches a byte of host memory: its highest visible address must exceed the byte, or
/// with `inclusive` be at least the byte.
inline bool ReachesByte(uint64_t highest_visible, uint64_t byte, bool inclusive) {
  return inclusive ? highest_visible >= byte : highest_visible > byte;
}

/// Decides how a GPU reaches host memory (documentation: IOMMU DMA remapping, "start condition").
/// Without remapping, the GPU's highest visible address must exceed the last installed byte. If it
/// does not, the GPU's DMA must be remapped; if that is impossible, the adapter does not start.
DmaDecision DecideDma(const DmaFacts& facts);

}  // namespace gmmu::os
