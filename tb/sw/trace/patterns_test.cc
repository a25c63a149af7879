// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kBase = 256 << 20;

std::vector<Access> Of(const std::string& spec) {
  Workload workload = Open("gen:" + spec, 1);
  return All(*workload.source);
}
std::string Refused(const std::string& spec) {
  return Refusal([&] { Open("gen:" + spec, 1); });
}
/// Counts the accesses per 4 KiB page, numbered from the base.
std::map<uint64_t, int> Pages(const std::vector<Access>& accesses) {
  std::map<uint64_t, int> pages;
  for (const Access& access : accesses) ++pages[(access.address - kBase) / 4096];
  return pages;
}

TEST(Patterns, SequentialStreamsSweepTheirShares) {
  const std::vector<Access> all = Of("sequential,footprint=8KiB,streams=2,count=200");
  ASSERT_EQ(all.size(), 200u);
  for (uint64_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i], Read(kBase + i % 2 * 4096 + i / 2 % 64 * 64, 64, 0, i % 2)) << i;
  }
}

TEST(Patterns, StrideSweepsInSteps) {
  const std::vector<Access> all = Of("stride,footprint=64KiB,stride=8KiB,streams=1,count=20");
  ASSERT_EQ(all.size(), 20u);
  for (uint64_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], Read(kBase + i % 8 * 8192, 64)) << i;
}

TEST(Patterns, RandomIsEvenAndWritesAsAsked) {
  const std::vector<Access> all = Of("random,footprint=64KiB,count=16000,writes=25");
  const auto pages = Pages(all);
  ASSERT_EQ(pages.size(), 16u);
  for (const auto& [page, count] : pages) EXPECT_NEAR(count, 1000, 150) << page;
  EXPECT_NEAR(std::count_if(all.begin(), all.end(), [](const Access& a) { return a.kind == Kind::kWrite; }), 4000, 200);
}

TEST(Patterns, ZipfHasTheCountsOfItsLaw) {
  const std::vector<Access> all = Of("zipf,theta=99,footprint=4MiB,count=200000");
  std::vector<int> counts;
  for (const auto& [page, count] : Pages(all)) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  double zeta = 0;
  for (int i = 1; i <= 1024; ++i) zeta += std::pow(i, -0.99);
  for (const int rank : {1, 2, 10, 100}) {
    const double expected = 200000 * std::pow(rank, -0.99) / zeta;
    EXPECT_NEAR(counts[rank - 1], expected, expected * 0.15)
        << rank;  // the generator's approximation error is largest at ranks 3 to 10
  }
}

TEST(Patterns, ChaseVisitsEveryNodeOnceARound) {
  Workload workload = Open("gen:chase,footprint=256KiB,node=1KiB,streams=2,count=1024", 1);
  EXPECT_EQ(workload.header.window, 1u);
  std::vector<std::vector<uint64_t>> nodes(2);
  for (const Access& access : All(*workload.source)) nodes[access.stream].push_back(access.address);
  for (const std::vector<uint64_t>& round : nodes) {
    ASSERT_EQ(round.size(), 512u);
    EXPECT_EQ(std::set<uint64_t>(round.begin(), round.begin() + 256).size(), 256u);
    EXPECT_TRUE(std::equal(round.begin(), round.begin() + 256, round.begin() + 256));
  }
  const std::map<uint64_t, uint64_t> next = [&] {
    std::map<uint64_t, uint64_t> pairs;
    for (size_t i = 0; i < 256; ++i) pairs[nodes[0][i]] = nodes[0][i + 1];
    return pairs;
  }();
  for (size_t i = 0; i + 1 < 512; ++i) EXPECT_EQ(next.at(nodes[1][i]), nodes[1][i + 1]);  // the cycle repeats
}

TEST(Patterns, PagingStormsGoRoundMoreThanFits) {
  const std::vector<Access> all = Of("paging,fits=1MiB,percent=125,page=64KiB,storm=5,calm=10,count=60,streams=1");
  ASSERT_EQ(all.size(), 60u);
  for (size_t i = 0; i < all.size(); ++i) {
    const uint64_t page = (all[i].address - kBase) / 65536, first = i / 15 * 5 % 20;
    if (i % 15 < 5) {
      EXPECT_EQ(page, first + i % 15) << i;
    } else {
      EXPECT_TRUE(page >= first && page < first + 5) << i;
    }
  }
}

TEST(Patterns, RefuseWhatHasNoRoom) {
  EXPECT_THAT(Refused("sequential,footprint=4KiB,streams=100"), HasSubstr("no room for an access"));
  EXPECT_THAT(Refused("stride,stride=32"), HasSubstr("more bytes than the stride"));
  EXPECT_THAT(Refused("stride,stride=1MiB,footprint=64KiB"), HasSubstr("larger than the footprint"));
  EXPECT_THAT(Refused("zipf,footprint=8KiB"), HasSubstr("2 granules are not 3 to 2^24"));
  EXPECT_THAT(Refused("chase,footprint=8KiB,streams=3"), HasSubstr("2 nodes are not one a stream"));
  EXPECT_THAT(Refused("paging,fits=64KiB"), HasSubstr("all pages fit"));
  EXPECT_THAT(Refused("paging,storm=10000"), HasSubstr("a storm of 10000 pages is more than there are: 1280"));
}

}  // namespace
}  // namespace gmmu::trace
