// SPDX-License-Identifier: Apache-2.0
#include "events/histogram.h"

#include <gtest/gtest.h>

namespace gmmu::events {
namespace {

TEST(Histogram, IsExactBelow128AndAtMostA64thAboveElsewhere) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{128}, uint64_t{129}, uint64_t{100'000},
                               uint64_t{1} << 40, ~uint64_t{0} - 1}) {
    Histogram histogram;
    histogram.Add(value);
    ASSERT_EQ(histogram.buckets().size(), 1u) << value;
    const Histogram::Bucket bucket = histogram.buckets().front();
    EXPECT_LE(bucket.first, value);
    EXPECT_GE(bucket.last, value);
    EXPECT_LE(bucket.last - bucket.first, value < 128 ? 0 : value / 64) << value;
    EXPECT_EQ(histogram.Quantile(5'000), value);
    EXPECT_EQ(histogram.min(), value);
    EXPECT_EQ(histogram.max(), value);
  }
}

TEST(Histogram, GivesQuantilesOfWhatWasAdded) {
  Histogram histogram;
  for (uint64_t value = 1; value <= 100; ++value) histogram.Add(value);
  EXPECT_EQ(histogram.count(), 100u);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50.5);
  EXPECT_EQ(histogram.Quantile(5'000), 50u);
  EXPECT_EQ(histogram.Quantile(9'000), 90u);
  EXPECT_EQ(histogram.Quantile(9'990), 100u);
  EXPECT_EQ(histogram.Quantile(1), 1u);
  histogram.Add(7, 900);
  EXPECT_EQ(histogram.Quantile(5'000), 7u);
  EXPECT_EQ(histogram.count(), 1'000u);
}

TEST(Histogram, OfNothingSaysNothing) {
  const Histogram histogram;
  EXPECT_EQ(histogram.Quantile(9'900), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_TRUE(histogram.buckets().empty());
}

}  // namespace
}  // namespace gmmu::events
