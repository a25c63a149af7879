// SPDX-License-Identifier: Apache-2.0
#include "os/base/variety.h"

#include <gtest/gtest.h>

#include <set>

namespace gmmu::os {
namespace {

Parameters With(uint64_t per_mille, uint64_t seed = 1) {
  Parameters parameters;
  parameters.variety = per_mille;
  parameters.seed = seed;
  return parameters;
}

TEST(Variety, OffChangesNothing) {
  Variety off(With(0), "test");
  for (uint64_t left = 1; left < 10'000; left += 7) {
    EXPECT_FALSE(off.Differs());
    EXPECT_EQ(off.PartOf(left), left);
    EXPECT_EQ(off.BytesOf(left), left);
  }
}

TEST(Variety, PartsAreNeverEmptyNorTooLargeAndTakeEverySize) {
  Variety all(With(1000), "test");
  std::set<uint64_t> parts, bytes;
  for (int i = 0; i < 1000; ++i) {
    parts.insert(all.PartOf(5));
    bytes.insert(all.BytesOf(10));
  }
  EXPECT_EQ(parts, (std::set<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(bytes, (std::set<uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(all.PartOf(1), 1u);
  EXPECT_EQ(all.BytesOf(1), 1u);
}

TEST(Variety, APartBeforeTheEndIsAMultipleOfTheUnit) {
  Variety all(With(1000), "test");
  std::set<uint64_t> rests;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t part = all.BytesOf(100'001, 4);
    EXPECT_TRUE(part % 4 == 0 || part == 100'001) << part;
    rests.insert(part % 4096);
  }
  EXPECT_GT(rests.size(), 100u);
  EXPECT_EQ(rests.count(0), 1u) << "some parts are whole pages";
}

TEST(Variety, TheSeedDecides) {
  Variety one(With(500, 3), "test"), same(With(500, 3), "test"), other(With(500, 4), "test");
  unsigned differences = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t part = one.BytesOf(1'000'000);
    EXPECT_EQ(same.BytesOf(1'000'000), part);
    differences += other.BytesOf(1'000'000) != part;
  }
  EXPECT_GT(differences, 20u);
}

}  // namespace
}  // namespace gmmu::os
