// SPDX-License-Identifier: Apache-2.0
#include "os/base/dma_policy.h"

#include "os/base/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kDmaRemappingCompatible = 3;
}

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
  const bool declared = facts.inf_value == kDmaRemappingCompatible;
  const bool can_remap = on && facts.known && facts.supported && declared && facts.policy != RemapPolicy::kIdentity;
  if (ReachesByte(facts.highest_visible, facts.last_byte, facts.inclusive)) {
    if (can_remap && facts.policy == RemapPolicy::kWhenPossible) return {DmaMode::kRemapped, true, ""};
    if (on && facts.policy == RemapPolicy::kIdentity) return {DmaMode::kIdentity, true, ""};
    return {DmaMode::kPhysical, true, ""};
  }
  if (can_remap) return {DmaMode::kRemapped, false, ""};
  const char* why = !on                ? "off ([os] iommu, [iommu] present)"
                    : !facts.known     ? "not known to the driver's interface version, which is older than WDDM 3.0"
                    : !facts.supported ? "not supported by the driver (DXGK_IOMMU_CAPS)"
                    : !declared        ? "not declared by its INF (DmaRemappingCompatible)"
                                       : "1:1 only ([os] iommu)";
  return {
      DmaMode::kPhysical, false,
      "the GPU reaches memory up to " + Hex(facts.highest_visible) + ", installed is up to " + Hex(facts.last_byte) +
          (facts.highest_visible == facts.last_byte ? ", which it must exceed ([os] highest_visible_inclusive)" : "") +
          ", and DMA remapping is " + why + "\nGive it gpu.limit_bits for all of the memory, or let it be remapped."};
}

}  // namespace gmmu::os
