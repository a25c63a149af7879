// SPDX-License-Identifier: Apache-2.0
// IOMMU DMA remapping, "start condition". Evidence: documents; no run on real Windows is known.
#include "os/dma_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kTiB = uint64_t{1} << 40;

DmaFacts Facts(uint64_t highest_visible, uint64_t last_byte) {
  DmaFacts facts;
  facts.highest_visible = highest_visible;
  facts.last_byte = last_byte;
  facts.supported = facts.iommu = true;
  return facts;
}

TEST(DmaPolicy, A40BitGpuIn2TiBIsRemapped) {
  for (RemapPolicy policy : {RemapPolicy::kWhenPossible, RemapPolicy::kWhenNeeded}) {
    DmaFacts facts = Facts(kTiB - 1, 2 * kTiB - 1);
    facts.policy = policy;
    const DmaDecision decision = DecideDma(facts);
    EXPECT_TRUE(decision.remap);
    EXPECT_THAT(decision.refusal, IsEmpty());
  }
}

TEST(DmaPolicy, WithoutSupportItIsRefusedAndTheTextSaysWhose) {
  DmaFacts facts = Facts(kTiB - 1, 2 * kTiB - 1);
  facts.supported = false;
  EXPECT_THAT(DecideDma(facts).refusal, HasSubstr("not supported by the driver"));
  facts = Facts(kTiB - 1, 2 * kTiB - 1);
  facts.iommu = false;
  EXPECT_THAT(DecideDma(facts).refusal, HasSubstr("off ([os] iommu, [iommu] present)"));
  facts.iommu = true;
  facts.policy = RemapPolicy::kNever;
  EXPECT_THAT(DecideDma(facts).refusal, HasSubstr("off"));
  EXPECT_THAT(DecideDma(facts).refusal, HasSubstr("0xffffffffff"));
  EXPECT_FALSE(DecideDma(facts).remap);
}

TEST(DmaPolicy, TheLastInstalledByteMustBeVisible) {
  for (const bool reaches : {false, true}) {
    DmaFacts facts = Facts(reaches ? 0xFFFF'FFFF : 0xFFFF'FFFE, 0xFFFF'FFFF);
    facts.policy = RemapPolicy::kNever;
    EXPECT_EQ(DecideDma(facts).refusal.empty(), reaches);
    facts.policy = RemapPolicy::kWhenNeeded;
    EXPECT_EQ(DecideDma(facts).remap, !reaches);
  }
}

TEST(DmaPolicy, AGpuThatReachesAllIsRemappedOnlyWherePossibleIsThePolicy) {
  DmaFacts facts = Facts(kTiB - 1, 0xFFFF'FFFF);
  EXPECT_TRUE(DecideDma(facts).remap);
  facts.policy = RemapPolicy::kWhenNeeded;
  EXPECT_FALSE(DecideDma(facts).remap);
  facts.policy = RemapPolicy::kNever;
  EXPECT_FALSE(DecideDma(facts).remap);
  facts.policy = RemapPolicy::kWhenPossible;
  facts.supported = false;
  EXPECT_FALSE(DecideDma(facts).remap);
  EXPECT_THAT(DecideDma(facts).refusal, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os
