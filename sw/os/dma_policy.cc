// SPDX-License-Identifier: Apache-2.0
#include "os/dma_policy.h"

#include "os/text.h"

namespace gmmu::os {

const char* NameOf(DmaMode mode) {
  switch (mode) {
    case DmaMode::kPhysical: return "physical";
    case DmaMode::kIdentity: return "1:1";
    case DmaMode::kRemapped: return "remapped";
  }
  return "";
}

DmaDecision DecideDma(const DmaFacts& facts) {
  const bool on = facts.iommu && facts.policy != RemapPolicy::kNever;
  const bool can_remap = on && facts.supported && facts.policy != RemapPolicy::kIdentity;
  if (facts.highest_visible >= facts.last_byte) {
    if (can_remap && facts.policy == RemapPolicy::kWhenPossible) return {DmaMode::kRemapped, ""};
    if (on && facts.policy == RemapPolicy::kIdentity) return {DmaMode::kIdentity, ""};
    return {DmaMode::kPhysical, ""};
  }
  if (can_remap) return {DmaMode::kRemapped, ""};
  const char* why = !on              ? "off ([os] iommu, [iommu] present)"
                    : facts.supported ? "1:1 only ([os] iommu)"
                                      : "not supported by the driver (DXGK_IOMMU_CAPS)";
  return {DmaMode::kPhysical, "the GPU reaches memory up to " + Hex(facts.highest_visible) +
                                  ", installed is up to " + Hex(facts.last_byte) +
                                  ", and DMA remapping is " + why};
}

}  // namespace gmmu::os
