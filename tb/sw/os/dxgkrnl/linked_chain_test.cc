// SPDX-License-Identifier: Apache-2.0
// Tests which devices form a chain of linked adapters. The expected behaviour follows Microsoft's
// documentation; it has not been observed on Windows.
#include "os/dxgkrnl/linked_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr BOOLEAN kLead = TRUE, kFollows = FALSE;

TEST(LinkedChain, IsCompleteWithOneLead) {
  const LinkedChain chain = FindChain({{"a", {7, 3, kFollows}}, {"b", {7, 3, kLead}}, {"c", {7, 3, kFollows}}});
  EXPECT_THAT(chain.refusal, IsEmpty());
  EXPECT_THAT(chain.members, ElementsAre(0, 1, 2));
  EXPECT_EQ(chain.lead, 1u);
}

TEST(LinkedChain, ADeviceOfOneLinkStandsAlone) {
  const LinkedChain chain = FindChain({{"a", {0, 1, kLead}}, {"b", {0, 1, kLead}}});
  EXPECT_THAT(chain.refusal, IsEmpty());
  EXPECT_THAT(chain.members, ElementsAre(0));
}

TEST(LinkedChain, DevicesOfAnotherChainAreNotMembers) {
  const LinkedChain chain =
      FindChain({{"a", {7, 2, kLead}}, {"b", {8, 2, kLead}}, {"c", {7, 2, kFollows}}, {"d", {8, 2, kFollows}}});
  EXPECT_THAT(chain.refusal, IsEmpty());
  EXPECT_THAT(chain.members, ElementsAre(0, 2));
}

TEST(LinkedChain, AMissingMemberIsNamed) {
  const std::string refusal = FindChain({{"01:00.0", {7, 4, kLead}}, {"02:00.0", {7, 4, kFollows}}}).refusal;
  EXPECT_THAT(refusal, HasSubstr("announces 4 adapters, 2 were enumerated (01:00.0, 02:00.0)"));
  EXPECT_THAT(refusal, HasSubstr("adapter 3 of 4 is missing, adapter 4 of 4 is missing"));
  EXPECT_THAT(refusal, HasSubstr("VGA mode"));
}

TEST(LinkedChain, OneMemberMoreThanAnnouncedIsRefused) {
  EXPECT_THAT(FindChain({{"a", {7, 2, kLead}}, {"b", {7, 2, kFollows}}, {"c", {7, 2, kFollows}}}).refusal,
              HasSubstr("announces 2 adapters, 3 were enumerated"));
}

TEST(LinkedChain, ExactlyOneLeads) {
  EXPECT_THAT(FindChain({{"a", {7, 2, kLead}}, {"b", {7, 2, kLead}}}).refusal,
              HasSubstr("LeadLink is TRUE for 2 adapters (a, b), one must lead"));
  EXPECT_THAT(FindChain({{"a", {7, 2, kFollows}}, {"b", {7, 2, kFollows}}}).refusal,
              HasSubstr("LeadLink is TRUE for 0 adapters, one must lead"));
}

TEST(LinkedChain, AllMembersAnnounceTheSameNumber) {
  EXPECT_THAT(FindChain({{"a", {7, 2, kLead}}, {"b", {7, 3, kFollows}}}).refusal,
              HasSubstr("NumberOfLinksInChain is 3 for b and 2 for a"));
}

}  // namespace
}  // namespace gmmu::os
