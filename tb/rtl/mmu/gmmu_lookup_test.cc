// SPDX-License-Identifier: Apache-2.0
// gmmu_lookup alone, against a model of what its TLBs may and must hold (lookup_model.h): random
// lookups, fills, pointers and invalidations; and each rule of its contract by itself.
#include <string>
#include <tuple>

#include "lookup_machine.h"

namespace gmmu::bench {
namespace {

class LookupTest : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  LookupTest()
      : machine_(static_cast<unsigned>(std::get<0>(GetParam())),
                 static_cast<uint64_t>(std::get<1>(GetParam()))) {}

  LookupSpace AnySpace() {
    static const std::vector<unsigned> kShapes[] = {{9, 9, 9},          {9, 9, 9, 9}, {2, 13, 5, 4},
                                                    {4, 4, 4, 4, 4, 4}, {13, 13},     {9, 8, 7},
                                                    {5, 6, 7, 8, 9, 1}, {12, 12}};
    LookupSpace space = machine_.MakeSpace(kShapes[machine_.Random(std::size(kShapes))], machine_.Random(2) == 0);
    space.enable = !machine_.Chance(8);
    if (machine_.Chance(10)) space.target = 2 + machine_.Random(2);
    if (machine_.Chance(20)) space.entries = machine_.Random(8);
    return space;
  }
  /// All spaces, caches empty. A quiet world.
  void Begin(const std::vector<unsigned>& bits = {}) {
    machine_.quiet = true;
    for (unsigned s = 0; s < machine_.Spaces() && !HasFatalFailure(); ++s) {
      machine_.Invalidate({false, false, s}, bits.empty() ? AnySpace() : machine_.MakeSpace(bits));
    }
    machine_.keep = true;
    machine_.load = {};
    machine_.load.rows = 16;
  }
  LookupScope AnyScope() {
    LookupScope scope{machine_.Chance(10), machine_.Chance(60), machine_.Random(machine_.Spaces())};
    scope.first = machine_.SomeKey().vpn;
    scope.tail = scope.first + (uint64_t{1} << machine_.Random(18)) - 1;
    return scope;
  }
  void Random(int rounds, unsigned cycles) {
    machine_.quiet = false;
    for (int round = 0; round < rounds && !HasFatalFailure(); ++round) {
      machine_.Cycles(cycles / 2 + machine_.Random(cycles));
      const bool set = machine_.Chance(15);
      LookupScope scope = AnyScope();
      if (set) scope.all = scope.ranged = false;
      machine_.Invalidate(scope, set ? std::optional<LookupSpace>(AnySpace()) : std::nullopt);
    }
    if (!HasFatalFailure()) machine_.Drain();
  }
  /// One lookup, to its end.
  void Ask(unsigned port, const Key& key) {
    machine_.Ask(port, 0, key);
    machine_.Drain();
  }
  LookupMachine machine_;
};

TEST_P(LookupTest, EveryLookupEndsOnceAsTheTablesSayWithoutBackPressure) {
  Begin();
  machine_.load.lookups = 60;
  machine_.load.near = 40;
  machine_.load.rows = 16;
  machine_.load.latency = 10;
  machine_.load.tells = 100;
  machine_.load.again = 0;
  machine_.load.restarts = 0;
  machine_.load.fills = 40;
  machine_.load.pointers = 10;
  Random(25, 200);
  const unsigned part = std::array{1u, 30u, 3u}[std::get<0>(GetParam())];  // small ones hold little
  EXPECT_GT(machine_.counts.hits, 600u / part);
  EXPECT_GT(machine_.counts.must_hits, 150u / part);
  EXPECT_GT(machine_.counts.begins, 300u);
  EXPECT_GT(machine_.counts.must_pointers, 20u);
}

TEST_P(LookupTest, EveryLookupEndsOnceAsTheTablesSayUnderBackPressure) {
  Begin();
  for (unsigned i = 0; i < 12 && !HasFatalFailure(); ++i) {
    machine_.load.lookups = i % 3 == 0 ? 100u : i % 3 == 1 ? 40u : 5u;
    machine_.load.near = i % 2 == 0 ? 80u : 20u;
    machine_.load.rows = i % 4 == 3 ? 0u : i % 4 == 2 ? 8u : 1u + i % 4;
    machine_.load.latency = i % 2 == 0 ? 8u : 60u;
    machine_.load.tells = i % 3 == 2 ? 20u : 100u;
    machine_.load.again = 30;
    machine_.load.restarts = 10;
    machine_.load.fills = i % 2 == 0 ? 10u : 2u;
    machine_.load.pointers = i % 3 == 0 ? 50u : 5u;
    if (machine_.load.rows == 0) machine_.load.rows = machine_.Ports() < 3 ? 0 : 2;
    Random(4, 250);
  }
  EXPECT_GT(machine_.counts.hits, 100u);
  EXPECT_GT(machine_.counts.engine, 50u);
  EXPECT_GT(machine_.counts.joins, 60u);
  EXPECT_GT(machine_.counts.again, 50u);
  EXPECT_GT(machine_.counts.restarts, 20u);
  EXPECT_GT(machine_.counts.pointers, 50u);
}

TEST_P(LookupTest, TheTurnGoesRoundAndOneLookupEntersACycle) {
  Begin({9, 9, 9});
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned p = 0; p < machine_.Ports(); ++p)
      machine_.Ask(p, i, {0, (i * 8 + p) << 10, false});
  }
  machine_.Drain();
  ASSERT_EQ(machine_.served.size(), 2 * machine_.Ports());
  for (size_t i = 0; i < machine_.served.size(); ++i) {
    EXPECT_EQ(machine_.served[i].first, machine_.served[0].first + i);
    if (i >= machine_.Ports())
      EXPECT_EQ(machine_.served[i].second, machine_.served[i - machine_.Ports()].second);
  }
}

TEST_P(LookupTest, AWalkStartsBehindTheLowestPointerThatIsKnown) {
  Begin({9, 9, 9});
  const Key key{1, 0x1234567, false}, beside{1, 0x1234400, false};
  Ask(0, key);
  EXPECT_EQ(machine_.counts.pointers, 0u);
  machine_.Pointer(2, key, {0x3fe, true});
  Ask(0, key);
  EXPECT_EQ(machine_.counts.pointers, 1u);
  machine_.Pointer(1, key, {0x3fd, false});
  Ask(0, beside);
  EXPECT_EQ(machine_.counts.pointers, 2u);
  EXPECT_EQ(machine_.counts.must_pointers, 3u);  // one, then both
  machine_.Invalidate({false, true, 1, 0x1234567, 0x1234567});
  Ask(0, beside);
  EXPECT_EQ(machine_.counts.pointers, 2u) << "both cover the page that was dropped";
}

TEST_P(LookupTest, ASweepDropsByItsOwnSpacesMasksThoughARestartWaits) {
  Begin({13, 13});
  machine_.Invalidate({false, false, 1}, machine_.MakeSpace({1, 1, 13, 13}));
  machine_.load.latency = 80;
  for (int round = 0; round < 20 && !HasFatalFailure(); ++round) {
    const Key key{0, uint64_t{static_cast<unsigned>(round)} << 13 | 5, false};
    machine_.Pointer(1, key, {0x400, true});
    machine_.Ask(0, 1, {1, 0x7000, false});
    machine_.Cycles(6 + machine_.Random(4));
    machine_.quiet = false;
    machine_.load.lookups = 0;
    machine_.load.near = 0;
    machine_.load.rows = 16;
    machine_.load.latency = 80;
    machine_.load.tells = 100;
    machine_.load.again = 0;
    machine_.load.restarts = 1000;
    machine_.load.fills = 0;
    machine_.load.pointers = 0;
    machine_.Invalidate({false, true, 0, key.vpn + 6000, key.vpn + 6000});
    machine_.quiet = true;
    Ask(0, key);
  }
  EXPECT_EQ(machine_.counts.pointers, 0u);
  EXPECT_GT(machine_.counts.restarts, 10u);
}

TEST_P(LookupTest, TheFirstFaultOfAStartIsTold) {
  Begin({9, 9, 9});
  const Key beyond{0, uint64_t{1} << 30, false}, high{0, 5, true},
      last{0, (uint64_t{1} << 27) - 1, false};
  const auto ask = [this](bool enable, unsigned entries, unsigned target, const Key& key) {
    LookupSpace space = machine_.MakeSpace({9, 9, 9});
    space.enable = enable;
    space.entries = entries;
    space.target = target;
    machine_.Invalidate({false, false, 0}, space);
    Ask(0, key);
    return machine_.counts.cause;
  };
  EXPECT_EQ(ask(false, 1, 2, beyond)[1], 1u);
  EXPECT_EQ(ask(true, 1, 2, beyond)[2], 1u);
  EXPECT_EQ(ask(true, 1, 3, high)[2], 2u);
  EXPECT_EQ(ask(true, 511, 2, last)[3], 1u);
  EXPECT_EQ(ask(true, 512, 2, last)[5], 1u);
  EXPECT_EQ(ask(true, 512, 3, last)[5], 2u);
  EXPECT_EQ(ask(true, 512, 1, last)[5], 2u);
  Ask(0, {machine_.Spaces(), 7, false});
  EXPECT_EQ(machine_.counts.cause[1], 2u) << "a space that is not built";
  EXPECT_EQ(machine_.counts.causes, 7u);
}

TEST_P(LookupTest, AWalkIsWideForNeighboursAndForLinesThatTheL2Knows) {
  Begin({9, 9, 9});
  const auto wide = [this](uint64_t vpn) {
    const uint64_t before = machine_.counts.wide;
    Ask(0, {0, vpn, false});
    return machine_.counts.wide - before;
  };
  wide(0x10000);  // the port had none before
  EXPECT_EQ(wide(0x20800), 0u);
  EXPECT_EQ(wide(0x20808), 1u) << "the next line";
  EXPECT_EQ(wide(0x20800), 1u) << "the line before";
  EXPECT_EQ(wide(0x20810), 0u) << "two lines ahead";
  EXPECT_EQ(wide(0x20813), 1u) << "the same line";
  machine_.Fill({0, 0x3000a, false}, 1, 0x1230000);
  EXPECT_EQ(wide(0x30003), 0u) << "another line of a block that the L2 has";
  EXPECT_EQ(wide(0x20800), 0u);
  EXPECT_EQ(wide(0x3000c), 1u) << "the L2 has a page of the line";
  Ask(0, {0, 0x3000a, false});
  EXPECT_EQ(machine_.counts.must_hits, 1u);
}

TEST_P(LookupTest, ALargePageAnswersForAllOfItsPagesUntilOneIsDropped) {
  Begin({9, 9, 9});
  const Key key{1, 0x8123, false}, other{1, 0x8001, false}, beyond{1, 0x8200, false};
  Ask(0, key);
  Ask(1, other);
  EXPECT_EQ(machine_.counts.large_hits, 1u);
  Ask(1, beyond);
  machine_.Invalidate({false, true, 1, 0x81ff, 0x81ff});
  Ask(0, key);
  EXPECT_EQ(machine_.counts.large_hits, 1u);
  EXPECT_EQ(machine_.counts.begins, 3u);
}

TEST_P(LookupTest, WhoFindsNoRowWaitsAndOnlyTheEngineHasOneOfItsOwn) {
  Begin({9, 9, 9});
  machine_.load.rows = 0;
  const unsigned engine = machine_.Ports() - 1;
  const unsigned clients = machine_.Ports() > 3 ? machine_.Ports() - 3 : 0;
  for (unsigned p = 0; p < clients; ++p) machine_.Ask(p, 0, {0, p << 12, false});
  machine_.Cycles(60);
  EXPECT_TRUE(machine_.ends.empty());
  EXPECT_FALSE(clients > 0 && machine_.top->idle_o);
  machine_.Ask(engine, 0, {0, 0x70000, false});
  machine_.Cycles(60);
  ASSERT_EQ(machine_.ends.size(), 1u);
  EXPECT_EQ(machine_.ends[0], LookupMachine::Waiter(engine, 0));
  EXPECT_EQ(machine_.counts.engine, 1u);
  machine_.load.rows = 1;
  machine_.Cycles(400);
  EXPECT_EQ(machine_.ends.size(), 1u + clients);
  machine_.Drain();
}

TEST_P(LookupTest, AnswersOfWalksGetTheBusWhileHitsComeEveryCycle) {
  const bool enough = machine_.Slots() * machine_.Ports() >= 20;  // for a hit every cycle
  Begin({9, 9, 9});
  machine_.Fill({0, 0x1000, false}, 8, 0x770000);
  machine_.load.latency = 1;
  uint64_t most = 0;
  for (unsigned i = 0; i < 400 && !HasFatalFailure(); ++i) {
    for (unsigned p = 0; p < machine_.Ports(); ++p) {
      const unsigned slot = (i / 8 * 2 + i % 2) % machine_.Slots();
      if (i % 8 < 2)
        machine_.Ask(p, slot, {0, i % 80 == 8 && p == 0 ? (i + 64) << 10 : 0x1000 + p % 8, false});
    }
    machine_.Cycle();
    most = std::max(most, machine_.TellWaits());
  }
  machine_.Drain();
  if (enough) EXPECT_GT(most, 2u) << "no answer had to wait";
  EXPECT_GT(machine_.counts.must_hits, enough ? 400u : 100u);
}

std::string LookupName(const testing::TestParamInfo<std::tuple<int, int>>& test) {
  return std::string(std::array{"default", "small", "odd"}[std::get<0>(test.param)]) + "_seed" +
         std::to_string(std::get<1>(test.param));
}
INSTANTIATE_TEST_SUITE_P(Sizes, LookupTest,
                         testing::Combine(testing::Range(0, 3), testing::Range(1, 5)), LookupName);

}  // namespace
}  // namespace gmmu::bench
