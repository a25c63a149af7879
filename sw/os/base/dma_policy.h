// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::os {

/// How a GPU reaches host memory.
enum class DmaMode {
  kPhysical,  ///< no domain: bus addresses are host physical ones
  kIdentity,  ///< a domain that maps the memory the GPU may use 1:1
  kRemapped,  ///< a domain with its own logical addresses
};
/// "physical", "1:1", "remapped".
const char* NameOf(DmaMode mode);

/// Which mode Dxgkrnl chooses where several are possible.
enum class RemapPolicy {
  kWhenPossible,  ///< remapping, for every adapter that supports it
  kWhenNeeded,    ///< remapping, if the GPU cannot address all installed memory
  kIdentity,      ///< 1:1 mapping: isolation without new addresses, as before WDDM 3.0
  kNever,         ///< the system's IOMMU is off
};

/// Facts known before DxgkDdiStartDevice.
struct DmaFacts {
  uint64_t highest_visible = 0;  ///< DXGK_PHYSICAL_MEMORY_CAPS.HighestVisibleAddress: last byte
  uint64_t last_byte = 0;        ///< last byte of installed memory
  bool inclusive = false;        ///< highest_visible equal to last_byte counts as visibility of all memory
  bool supported = false;        ///< DXGK_IOMMU_CAPS.DmaRemappingSupported
  bool known = true;             ///< the driver's interface version defines the capability (WDDM 3.0 and later)
  uint64_t inf_value = 3;        ///< DmaRemappingCompatible of the driver's INF; 3: the device supports remapping
  bool iommu = false;            ///< the platform has an IOMMU
  RemapPolicy policy = RemapPolicy::kWhenPossible;
};

struct DmaDecision {
  DmaMode mode = DmaMode::kPhysical;
  bool reaches_all = true;  ///< the GPU can address all installed memory without remapping
  /// Why the adapter must not start; empty if it may start.
  std::string refusal;
};

/// Decides how a GPU reaches host memory (IOMMU DMA remapping, "start condition"). Without remapping, the GPU's highest
/// visible address must exceed the last installed byte. Otherwise the GPU is remapped, or refused if that is
/// impossible.
DmaDecision DecideDma(const DmaFacts& facts);

}  // namespace gmmu::os
