// SPDX-License-Identifier: Apache-2.0
#include "memory/page_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PageOwners, LookAtNothingBeforeTheyAreTold) {
  PageOwners owners;
  owners.Access(0x5000, true);
  EXPECT_THAT(owners.findings(), IsEmpty());
  owners.Note(1, 1, true);
  owners.Access(0x5000, true);
  EXPECT_THAT(owners.findings(), SizeIs(1));
}

TEST(PageOwners, KnowEachPageOfARangeUntilItIsGivenBack) {
  PageOwners owners;
  owners.Note(0x10, 3, true);
  for (const uint64_t hpa : {0x10000, 0x11FFF, 0x12800}) owners.Access(hpa, false);
  EXPECT_THAT(owners.findings(), IsEmpty());
  owners.Note(0x11, 1, false);
  owners.Access(0x10FFF, false);
  owners.Access(0x12000, false);
  EXPECT_THAT(owners.findings(), IsEmpty());
  owners.Access(0x11010, true);
  owners.Access(0x13000, false);
  ASSERT_THAT(owners.findings(), SizeIs(2));
  EXPECT_EQ(owners.findings()[0].probe, "host_pages");
  EXPECT_THAT(owners.findings()[0].text, HasSubstr("wrote host memory at 0x11010"));
  EXPECT_THAT(owners.findings()[1].text, HasSubstr("read host memory at 0x13000"));
}

TEST(PageOwners, KeepTheFirstFindings) {
  PageOwners owners;
  owners.Note(0, 1, false);
  for (uint64_t i = 0; i < 2 * PageOwners::kMostFindings; ++i) owners.Access(i * 4096, false);
  ASSERT_THAT(owners.findings(), SizeIs(PageOwners::kMostFindings));
  EXPECT_THAT(owners.findings().back().text, HasSubstr("at 0x3f000"));
}

}  // namespace
}  // namespace gmmu::sim
