// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_lookup alone, with random lookups, fills, pointers and invalidations and with a
// directed test of each rule of its contract. lookup_model.h models what its TLBs may hold and what
// they must hold.
#include <tuple>

#include "lookup_machine.h"

namespace gmmu::bench {
namespace {

class LookupTest : public BlockTest<LookupMachine> {
 protected:
  LookupSpace AnySpace() {
    static const std::vector<unsigned> kShapes[] = {{9, 9, 9}, {9, 9, 9, 9}, {2, 13, 5, 4},      {4, 4, 4, 4, 4, 4},
                                                    {13, 13},  {9, 8, 7},    {5, 6, 7, 8, 9, 1}, {12, 12}};
    LookupSpace space = MakeSpace(kShapes[Random(std::size(kShapes))], Random(2) == 0);
    space.enable = !Chance(8);
    if (Chance(10)) space.target = 2 + Random(2);
    if (Chance(20)) space.entries = Random(8);
    return space;
  }
  /// Enables all spaces, with empty caches and without random traffic.
  void Begin(const std::vector<unsigned>& bits = {}) {
    quiet = true;
    for (unsigned s = 0; s < Spaces() && !HasFatalFailure(); ++s) {
      Invalidate({false, false, s}, bits.empty() ? AnySpace() : MakeSpace(bits));
    }
    keep = true;
    load = {};
    load.rows = 16;
  }
  LookupScope AnyScope() {
    LookupScope scope{Chance(10), Chance(60), Random(Spaces())};
    scope.first = SomeKey().vpn;
    scope.tail = scope.first + (uint64_t{1} << Random(14)) - 1;
    return scope;
  }
  void RunRandom(int rounds, unsigned cycles) {
    quiet = false;
    for (int round = 0; round < rounds && !HasFatalFailure(); ++round) {
      Run(cycles / 2 + Random(cycles));
      const bool set = Chance(15);
      LookupScope scope = AnyScope();
      if (set) scope.all = scope.ranged = false;
      Invalidate(scope, set ? std::optional<LookupSpace>(AnySpace()) : std::nullopt);
    }
    if (!HasFatalFailure()) Drain();
  }
  /// Runs one lookup until it is complete.
  void AskAlone(unsigned port, const Key& key) {
    Ask(port, 0, key);
    Drain();
  }
};

TEST_P(LookupTest, EveryLookupEndsOnceAsTheTablesSayWithoutBackPressure) {
  Begin();
  load.lookups = 60;
  load.near = 40;
  load.rows = 16;
  load.latency = 10;
  load.tells = 100;
  load.again = 0;
  load.restarts = 0;
  load.fills = 40;
  load.pointers = 10;
  RunRandom(35, 200);
  const unsigned part = std::array{1u, 30u, 3u}[std::get<0>(GetParam())];  // small TLBs hit less
  EXPECT_GT(counts.hits, 600u / part);
  EXPECT_GT(counts.must_hits, 150u / part);
  EXPECT_GT(counts.begins, 300u);
  EXPECT_GT(counts.must_pointers, 20u);
}

TEST_P(LookupTest, EveryLookupEndsOnceAsTheTablesSayUnderBackPressure) {
  Begin();
  for (unsigned i = 0; i < 12 && !HasFatalFailure(); ++i) {
    load.lookups = i % 3 == 0 ? 100u : i % 3 == 1 ? 40u : 5u;
    load.near = i % 2 == 0 ? 80u : 20u;
    load.rows = i % 4 == 3 ? 0u : i % 4 == 2 ? 8u : 1u + i % 4;
    load.latency = i % 2 == 0 ? 8u : 60u;
    load.tells = i % 3 == 2 ? 20u : 100u;
    load.again = 60;
    load.restarts = 10;
    load.fills = i % 2 == 0 ? 10u : 2u;
    load.pointers = i % 3 == 0 ? 50u : 5u;
    if (load.rows == 0) load.rows = Ports() < 3 ? 0 : 2;
    RunRandom(4, 250);
  }
  EXPECT_GT(counts.hits, 100u);
  EXPECT_GT(counts.engine, 50u);
  EXPECT_GT(counts.joins, 60u);
  EXPECT_GT(counts.again, 50u);
  EXPECT_GT(counts.restarts, 20u);
  EXPECT_GT(counts.pointers, 50u);
}

TEST_P(LookupTest, TheTurnGoesRoundAndOneLookupEntersACycle) {
  Begin({9, 9, 9});
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned p = 0; p < Ports(); ++p) Ask(p, i, {0, (i * 8 + p) << 10, false});
  }
  Drain();
  ASSERT_EQ(served.size(), 2 * Ports());
  for (size_t i = 0; i < served.size(); ++i) {
    EXPECT_EQ(served[i].first, served[0].first + i);
    if (i >= Ports()) EXPECT_EQ(served[i].second, served[i - Ports()].second);
  }
}

TEST_P(LookupTest, AWalkStartsBehindTheLowestPointerThatIsKnown) {
  Begin({9, 9, 9});
  const Key key{1, 0x1234567, false}, beside{1, 0x1234400, false};
  AskAlone(0, key);
  EXPECT_EQ(counts.pointers, 0u);
  Pointer(2, key, {0x3fe, true});
  AskAlone(0, key);
  EXPECT_EQ(counts.pointers, 1u);
  Pointer(1, key, {0x3fd, false});
  AskAlone(0, beside);
  EXPECT_EQ(counts.pointers, 2u);
  // The second lookup of `key` must find one pointer, and the lookup of `beside` must find both.
  EXPECT_EQ(counts.must_pointers, 3u);
  Invalidate({false, true, 1, 0x1234567, 0x1234567});
  AskAlone(0, beside);
  EXPECT_EQ(counts.pointers, 2u) << "both cover the page that was dropped";
}

TEST_P(LookupTest, ASweepDropsByItsOwnSpacesMasksThoughARestartWaits) {
  Begin({13, 13});
  Invalidate({false, false, 1}, MakeSpace({1, 1, 13, 13}));
  load.latency = 80;
  for (int round = 0; round < 20 && !HasFatalFailure(); ++round) {
    const Key key{0, uint64_t{static_cast<unsigned>(round)} << 13 | 5, false};
    Pointer(1, key, {0x400, true});
    Ask(0, 1, {1, 0x7000, false});
    Run(6 + Random(4));
    quiet = false;
    load.lookups = 0;
    load.near = 0;
    load.rows = 16;
    load.latency = 80;
    load.tells = 100;
    load.again = 0;
    load.restarts = 1000;
    load.fills = 0;
    load.pointers = 0;
    Invalidate({false, true, 0, key.vpn + 6000, key.vpn + 6000});
    quiet = true;
    AskAlone(0, key);
  }
  EXPECT_EQ(counts.pointers, 0u);
  EXPECT_GT(counts.restarts, 10u);
}

TEST_P(LookupTest, TheFirstFaultOfAStartIsTold) {
  Begin({9, 9, 9});
  const Key beyond{0, uint64_t{1} << 30, false}, high{0, 5, true}, last{0, (uint64_t{1} << 27) - 1, false};
  const auto ask = [this](bool enable, unsigned entries, unsigned target, const Key& key) {
    LookupSpace space = MakeSpace({9, 9, 9});
    space.enable = enable;
    space.entries = entries;
    space.target = target;
    Invalidate({false, false, 0}, space);
    AskAlone(0, key);
    return counts.cause;
  };
  EXPECT_EQ(ask(false, 1, 2, beyond)[1], 1u);
  EXPECT_EQ(ask(true, 1, 2, beyond)[2], 1u);
  EXPECT_EQ(ask(true, 1, 3, high)[2], 2u);
  EXPECT_EQ(ask(true, 511, 2, last)[3], 1u);
  EXPECT_EQ(ask(true, 512, 2, last)[5], 1u);
  EXPECT_EQ(ask(true, 512, 3, last)[5], 2u);
  EXPECT_EQ(ask(true, 512, 1, last)[5], 2u);
  AskAlone(0, {Spaces(), 7, false});
  EXPECT_EQ(counts.cause[1], 2u) << "a space that is not built";
  EXPECT_EQ(counts.causes, 7u);
}

TEST_P(LookupTest, AWalkIsWideForNeighboursAndForLinesThatTheL2Knows) {
  Begin({9, 9, 9});
  const auto wide = [this](uint64_t vpn) {
    const uint64_t before = counts.wide;
    AskAlone(0, {0, vpn, false});
    return counts.wide - before;
  };
  wide(0x10000);  // The port's first miss fetches a single entry, not a line.
  EXPECT_EQ(wide(0x20800), 0u);
  EXPECT_EQ(wide(0x20808), 1u) << "the next line";
  EXPECT_EQ(wide(0x20800), 1u) << "the line before";
  EXPECT_EQ(wide(0x20810), 0u) << "two lines ahead";
  EXPECT_EQ(wide(0x20813), 1u) << "the same line";
  Fill({0, 0x3000a, false}, 1, 0x1230000);
  EXPECT_EQ(wide(0x30003), 0u) << "another line of a block that the L2 has";
  EXPECT_EQ(wide(0x20800), 0u);
  EXPECT_EQ(wide(0x3000c), 1u) << "the L2 has a page of the line";
  AskAlone(0, {0, 0x3000a, false});
  EXPECT_EQ(counts.must_hits, 1u);
}

TEST_P(LookupTest, ALargePageAnswersForAllOfItsPagesUntilOneIsDropped) {
  Begin({9, 9, 9});
  load.faults = 0;
  const Key key{1, 0x8123, false}, other{1, 0x8001, false}, beyond{1, 0x8200, false};
  AskAlone(0, key);
  AskAlone(1, other);
  EXPECT_EQ(counts.large_hits, 1u);
  AskAlone(1, beyond);
  Invalidate({false, true, 1, 0x81ff, 0x81ff});
  AskAlone(0, key);
  EXPECT_EQ(counts.large_hits, 1u);
  EXPECT_EQ(counts.begins, 3u);
}

TEST_P(LookupTest, WhoFindsNoRowWaitsAndOnlyTheEngineHasOneOfItsOwn) {
  Begin({9, 9, 9});
  load.rows = 0;
  const unsigned engine = Ports() - 1;
  const unsigned clients = Ports() > 3 ? Ports() - 3 : 0;
  for (unsigned p = 0; p < clients; ++p) Ask(p, 0, {0, p << 12, false});
  Run(60);
  EXPECT_TRUE(ends.empty());
  EXPECT_FALSE(clients > 0 && t.idle_o[n]);
  Ask(engine, 0, {0, 0x70000, false});
  Run(60);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0], LookupMachine::Waiter(engine, 0));
  EXPECT_EQ(counts.engine, 1u);
  load.rows = 1;
  Run(400);
  EXPECT_EQ(ends.size(), 1u + clients);
  Drain();
}

TEST_P(LookupTest, AnswersOfWalksGetTheBusWhileHitsComeEveryCycle) {
  const bool enough = Slots() * Ports() >= 20;  // enough slots for one hit per cycle
  Begin({9, 9, 9});
  Fill({0, 0x1000, false}, 8, 0x770000);
  load.latency = 1;
  uint64_t most = 0;
  for (unsigned i = 0; i < 400 && !HasFatalFailure(); ++i) {
    for (unsigned p = 0; p < Ports(); ++p) {
      const unsigned slot = (i / 8 * 2 + i % 2) % Slots();
      if (i % 8 < 2) Ask(p, slot, {0, i % 80 == 8 && p == 0 ? (i + 64) << 10 : 0x1000 + p % 8, false});
    }
    Step();
    most = std::max(most, TellWaits());
  }
  Drain();
  if (enough) EXPECT_GT(most, 2u) << "no answer had to wait";
  EXPECT_GT(counts.must_hits, enough ? 400u : 100u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, LookupTest, SizesAndSeeds(3, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench
