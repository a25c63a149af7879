// SPDX-License-Identifier: Apache-2.0
#include "hw/page_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

namespace gmmu::hw {
namespace {

using Pages = std::vector<uint64_t>;

TEST(PageStore, APageHasStorageFromItsFirstUseAndIsZeroThen) {
  PageStore store("memory");
  EXPECT_EQ(store.Find(7), nullptr);
  EXPECT_TRUE(store.Used().empty());
  const uint8_t* const bytes = store.Use(7);
  EXPECT_TRUE(std::all_of(bytes, bytes + kPageSize, [](uint8_t byte) { return byte == 0; }));
  EXPECT_EQ(store.Find(7), bytes);
  EXPECT_EQ(store.Find(8), nullptr);
  EXPECT_EQ(store.Used(), Pages{7});
}

TEST(PageStore, PagesLieInTheOrderOfTheirFirstUse) {
  PageStore store("memory");
  EXPECT_EQ(store.OffsetOf(uint64_t{1} << 40), 0u);
  EXPECT_EQ(store.OffsetOf(3), kPageSize);
  store.Use(2);
  EXPECT_EQ(store.OffsetOf(2), 2 * kPageSize);
  EXPECT_EQ(store.OffsetOf(3), kPageSize) << "and stay where they are";
  EXPECT_EQ(store.Used(), (Pages{2, 3, uint64_t{1} << 40}));
}

TEST(PageStore, EachPageKeepsItsBytesOverSeveralMappings) {
  PageStore store("memory");
  std::mt19937_64 random(1);
  std::map<uint64_t, uint64_t> kept;
  for (uint64_t i = 0; i < 40'000; ++i) {              // 156 MiB, which needs three mappings of the file
    const uint64_t page = random() % (1 << 20) * 256;  // these pages share a slot in the cache of recent pages
    std::memcpy(store.Use(page), &i, sizeof i);
    kept[page] = i;
  }
  for (const auto& [page, i] : kept) {
    uint64_t got = 0;
    std::memcpy(&got, store.Find(page), sizeof got);
    ASSERT_EQ(got, i) << "page " << page;
  }
  EXPECT_EQ(store.Used().size(), kept.size());
}

}  // namespace
}  // namespace gmmu::hw
