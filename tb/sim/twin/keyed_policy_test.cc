// SPDX-License-Identifier: Apache-2.0
// Tests which policy each key of section [policy] selects. tb/sw/app/policy_test.cc tests the
// effects in a replay.
#include "twin/keyed_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gmmu::sim::twin {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<Policy> Make(const MachineConfig::Policy& keys) {
  auto policy = MakeKeyedPolicy(keys);
  Hierarchy hierarchy;
  policy->Build(hierarchy);
  return policy;
}

struct Ways {
  explicit Ways(unsigned level, unsigned port = 0) {
    for (unsigned i = 0; i < lines.size(); ++i) {
      lines[i].valid = true;
      lines[i].used_ps = 100 + (i + 2) % 4;  // way 2 is the least recently used
    }
    set.level = level;
    set.port = port;
    set.lines = lines.data();
    set.count = static_cast<unsigned>(lines.size());
    set.turn = 3;
  }
  std::array<TlbLine, 4> lines;
  TlbSet set;
};

TEST(KeyedPolicy, ReplacesInTurnLeastRecentlyUsedOrAtRandom) {
  MachineConfig::Policy keys;
  EXPECT_EQ(Make(keys)->Place(Ways(2).set), 3u);
  keys.l2_replacement = Replacement::kLru;
  EXPECT_EQ(Make(keys)->Place(Ways(2).set), 2u);
  EXPECT_EQ(Make(keys)->Place(Ways(1).set), 3u) << "the L1 has a key of its own";
  keys.l1_replacement = Replacement::kRandom;
  const auto random = Make(keys), again = Make(keys);
  std::set<unsigned> places;
  for (unsigned i = 0; i < 100; ++i) {
    const unsigned place = random->Place(Ways(1).set);
    EXPECT_EQ(again->Place(Ways(1).set), place);
    places.insert(place);
  }
  EXPECT_EQ(places.size(), 4u);
}

TEST(KeyedPolicy, GivesEachPortItsShareOfTheWays) {
  MachineConfig::Policy keys;
  keys.partition = Partition::kWays;
  const auto policy = Make(keys);
  for (unsigned port = 0; port < 4; ++port) EXPECT_EQ(policy->Place(Ways(2, port).set), port);
}

TEST(KeyedPolicy, KeepsNothingOfAPortWithoutAToken) {
  MachineConfig::Policy keys;
  keys.partition = Partition::kTokens;
  keys.tokens = 2;
  const auto policy = Make(keys);
  EXPECT_EQ(policy->Place(Ways(2, 1).set), 3u);
  EXPECT_EQ(policy->Place(Ways(2, 2).set), Policy::kNowhere);
  EXPECT_EQ(policy->Place(Ways(1, 2).set), 3u) << "an L1 is the port's own";
  EXPECT_EQ(policy->Place(Ways(2, 5).set), 3u) << "the engine needs none";
}

TEST(KeyedPolicy, FetchesAndPrefetchesWhatItsKeysSay) {
  MachineConfig::Policy keys;
  TlbMiss miss;
  miss.vpn = 100;
  EXPECT_EQ(Make(keys)->Fill(miss), 1u);
  miss.neighbour = true;
  EXPECT_EQ(Make(keys)->Fill(miss), 8u);
  keys.fill = 16;
  EXPECT_EQ(Make(keys)->Fill(miss), 16u);
  keys.prefetch = sim::Prefetch::kNext;
  keys.prefetch_pages = 2;
  std::vector<uint64_t> pages;
  Make(keys)->Prefetch(miss, pages);
  EXPECT_THAT(pages, ElementsAre(101, 102));
  keys.prefetch = sim::Prefetch::kStride;
  const auto stride = Make(keys);
  pages.clear();
  stride->Prefetch(miss, pages);
  miss.vpn = 107;
  pages.clear();
  stride->Prefetch(miss, pages);
  EXPECT_THAT(pages, ElementsAre(114, 121));
}

WaitingWalk Waiting(uint32_t group, unsigned reads, uint64_t since_ps, unsigned waiters = 1) {
  WaitingWalk walk;
  walk.group = group;
  walk.reads = reads;
  walk.since_ps = since_ps;
  walk.waiters = waiters;
  return walk;
}

TEST(KeyedPolicy, SchedulesTheGroupWithTheLeastWorkAndStaysWithIt) {
  MachineConfig::Policy keys;
  keys.schedule = Schedule::kShortest;
  const auto policy = Make(keys);
  EXPECT_EQ(policy->Next({Waiting(1, 4, 0), Waiting(2, 2, 1), Waiting(1, 1, 2), Waiting(2, 2, 3)}), 1u);
  EXPECT_EQ(policy->Next({Waiting(1, 1, 0), Waiting(3, 1, 1), Waiting(2, 4, 3)}), 2u) << "group 2 was begun";
  EXPECT_EQ(policy->Next({Waiting(1, 1, 0, 0), Waiting(4, 3, 1)}), 1u) << "nobody waits for the other";
  EXPECT_EQ(policy->Next({Waiting(1, 9, 0), Waiting(4, 1, 30'000'000)}), 0u) << "it has waited for long";
  keys.schedule = Schedule::kArrival;
  EXPECT_EQ(Make(keys)->Next({Waiting(1, 4, 0), Waiting(2, 2, 1)}), 0u);
}

}  // namespace
}  // namespace gmmu::sim::twin
