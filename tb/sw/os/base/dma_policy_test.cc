// SPDX-License-Identifier: Apache-2.0
// Tests the rules in section "start condition" of the IOMMU DMA remapping documentation. The
// expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/base/dma_policy.h"

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
    EXPECT_EQ(decision.mode, DmaMode::kRemapped);
    EXPECT_THAT(decision.refusal, IsEmpty());
  }
}

TEST(DmaPolicy, AnInterfaceVersionBefore30IsNotRemapped) {
  DmaFacts facts = Facts(kTiB - 1, kTiB - 2);
  facts.known = false;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
  facts = Facts(kTiB - 1, 2 * kTiB - 1);
  facts.known = false;
  EXPECT_THAT(DecideDma(facts).refusal, HasSubstr("older than WDDM 3.0"));
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
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
}

TEST(DmaPolicy, TheLastInstalledByteMustBeVisible) {
  for (const bool reaches : {false, true}) {
    DmaFacts facts = Facts(reaches ? 0xFFFF'FFFF : 0xFFFF'FFFE, 0xFFFF'FFFF);
    facts.inclusive = true;
    facts.policy = RemapPolicy::kNever;
    EXPECT_EQ(DecideDma(facts).refusal.empty(), reaches);
    facts.policy = RemapPolicy::kWhenNeeded;
    EXPECT_EQ(DecideDma(facts).mode, reaches ? DmaMode::kPhysical : DmaMode::kRemapped);
  }
}

// According to Microsoft's documentation, an adapter must not start if its highest visible address
// "does not exceed" installed memory. An address equal to the last installed byte is therefore too
// low.
TEST(DmaPolicy, EqualityOfTheTwoBytesPassesByASwitchOnly) {
  DmaFacts facts = Facts(0xFFFF'FFFF, 0xFFFF'FFFF);
  facts.policy = RemapPolicy::kNever;
  EXPECT_THAT(DecideDma(facts).refusal,
              HasSubstr("0xffffffff, which it must exceed ([os] highest_visible_inclusive), and"));
  facts.inclusive = true;
  EXPECT_THAT(DecideDma(facts).refusal, IsEmpty());
  facts.policy = RemapPolicy::kWhenNeeded;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
  EXPECT_TRUE(DecideDma(facts).reaches_all);
  facts.inclusive = false;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kRemapped);
  EXPECT_FALSE(DecideDma(facts).reaches_all);
  facts.highest_visible = 0x1'0000'0000;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
}

TEST(DmaPolicy, TheInfMustDeclareRemapping) {
  for (uint64_t value = 0; value <= 3; ++value) {
    DmaFacts facts = Facts(kTiB - 1, 0xFFFF'FFFF);
    facts.inf_value = value;
    EXPECT_EQ(DecideDma(facts).mode, value == 3 ? DmaMode::kRemapped : DmaMode::kPhysical);
    facts.last_byte = 2 * kTiB - 1;
    if (value == 3) EXPECT_THAT(DecideDma(facts).refusal, IsEmpty());
    else EXPECT_THAT(DecideDma(facts).refusal, HasSubstr("DmaRemappingCompatible"));
  }
}

TEST(DmaPolicy, AGpuThatReachesAllIsRemappedOnlyWherePossibleIsThePolicy) {
  DmaFacts facts = Facts(kTiB - 1, 0xFFFF'FFFF);
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kRemapped);
  facts.policy = RemapPolicy::kWhenNeeded;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
  facts.policy = RemapPolicy::kNever;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
  facts.policy = RemapPolicy::kWhenPossible;
  facts.supported = false;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
  EXPECT_THAT(DecideDma(facts).refusal, IsEmpty());
}

TEST(DmaPolicy, OneToOneIsForAGpuThatReachesAll) {
  DmaFacts facts = Facts(kTiB - 1, 0xFFFF'FFFF);
  facts.policy = RemapPolicy::kIdentity;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kIdentity);
  facts.supported = false;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kIdentity) << "needs nothing of the driver";
  facts.iommu = false;
  EXPECT_EQ(DecideDma(facts).mode, DmaMode::kPhysical);
  facts = Facts(kTiB - 1, 2 * kTiB - 1);
  facts.policy = RemapPolicy::kIdentity;
  EXPECT_THAT(DecideDma(facts).refusal, HasSubstr("1:1 only"));
}

}  // namespace
}  // namespace gmmu::os
