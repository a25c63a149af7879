// SPDX-License-Identifier: Apache-2.0
#include "os/dma_policy.h"

#include "os/text.h"

namespace gmmu::os {

DmaDecision DecideDma(const DmaFacts& facts) {
  const bool reaches = facts.highest_visible >= facts.last_byte;
  const bool switched_on = facts.iommu && facts.policy != RemapPolicy::kNever;
  DmaDecision decision;
  if (reaches) {
    decision.remap =
        facts.supported && switched_on && facts.policy == RemapPolicy::kWhenPossible;
    return decision;
  }
  decision.remap = facts.supported && switched_on;
  if (decision.remap) return decision;
  decision.refusal = "the GPU reaches memory up to " + Hex(facts.highest_visible) +
                     ", installed is up to " + Hex(facts.last_byte) + ", and DMA remapping is " +
                     (switched_on ? "not supported by the driver (DXGK_IOMMU_CAPS)"
                                  : "off ([os] iommu, [iommu] present)");
  return decision;
}

}  // namespace gmmu::os
