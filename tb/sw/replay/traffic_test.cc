// SPDX-License-Identifier: Apache-2.0
#include "replay/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tb/sw/replay/sources.h"

namespace gmmu::replay {
namespace {

using hw::ClientAccesses;
using testing::ElementsAre;
using trace::Access;
using trace::Kind;

/// A machine whose ports accept one access per cycle and respond after a fixed latency.
struct Machine {
  Traffic& traffic;
  unsigned clients;
  uint64_t latency, cycle = 0;
  struct Taken {
    unsigned client;
    uint64_t cycle;
    hw::ClientRequest request;
  };
  std::vector<Taken> taken{};
  std::multimap<uint64_t, size_t> answers{};
  size_t most_in_flight = 0;

  void Run() {
    const uint64_t end = cycle + 1'000'000;
    for (; !traffic.done(); ++cycle) {
      ASSERT_LT(cycle, end) << "no end";
      while (!answers.empty() && answers.begin()->first <= cycle) {
        const Taken& one = taken[answers.begin()->second];
        traffic.Answered(one.client, {one.request.tag, regs::Fault::kNone, one.cycle, cycle});
        answers.erase(answers.begin());
      }
      for (unsigned client = 0; client < clients; ++client) {
        if (traffic.Due(client) > cycle) continue;
        taken.push_back({client, cycle, traffic.Take(client, cycle)});
        answers.emplace(cycle + latency, taken.size() - 1);
      }
      most_in_flight = std::max(most_in_flight, answers.size());
    }
  }
};

uint64_t Same(uint64_t address) { return address; }

Access At(uint64_t address, uint32_t bytes, uint32_t stream = 0, uint64_t cycles = 0, Kind kind = Kind::kRead) {
  return {address, bytes, kind, stream, cycles};
}

TEST(Traffic, SplitsAccessesAtLines) {
  ListSource source({At(0x103E, 130, 0, 0, Kind::kWrite)});
  Traffic traffic(source, Same, {});
  traffic.Begin(1, 0);
  Machine machine{traffic, 1, 10};
  machine.Run();
  std::vector<std::pair<uint64_t, unsigned>> lines;
  for (const auto& one : machine.taken) {
    lines.emplace_back(one.request.va, one.request.bytes);
    EXPECT_EQ(one.request.access, regs::Access::kWrite);
  }
  EXPECT_THAT(lines, ElementsAre(std::pair(0x103E, 2u), std::pair(0x1040, 64u), std::pair(0x1080, 64u)));
  EXPECT_EQ(traffic.tally().accesses, 1u);
  EXPECT_EQ(traffic.tally().requests, 3u);
  EXPECT_EQ(traffic.tally().bytes, 130u);
  EXPECT_EQ(traffic.tally().latency.max(), 12u) << "from the first line's offer to the third one's answer";
  EXPECT_EQ(traffic.tally().port_latency.max(), 10u);
}

TEST(Traffic, KeepsTheWindowOfEachWarp) {
  ListSource source(RandomAccesses(1 << 20, 300, 1, 0, 6));
  Traffic::Shape shape;
  shape.compute_units = 2, shape.warps = 3, shape.window = 4;
  Traffic traffic(source, Same, shape);
  traffic.Begin(300, 0);
  Machine machine{traffic, 2, 50};
  machine.Run();
  EXPECT_EQ(machine.most_in_flight, 2u * 3 * 4);
  EXPECT_EQ(traffic.tally().accesses, 300u);
  EXPECT_EQ(traffic.tally().by_client[0].count(), 150u);
}

TEST(Traffic, WaitsTheGapAfterEachAnswer) {
  ListSource source({At(0, 4), At(64, 4, 0, 7), At(128, 4)});
  Traffic::Shape shape;
  shape.gap = 100;
  Traffic traffic(source, Same, shape);
  traffic.Begin(3, 1000);
  Machine machine{traffic, 1, 10, 1000};
  machine.Run();
  ASSERT_EQ(machine.taken.size(), 3u);
  EXPECT_EQ(machine.taken[0].cycle, 1100u);
  EXPECT_EQ(machine.taken[1].cycle, 1110u + 107);
  EXPECT_EQ(machine.taken[2].cycle, 1227u + 100);
}

TEST(Traffic, TakesOpenAccessesAsTheyArriveAndCountsTheirWait) {
  ListSource source({At(0, 4, 0, 500), At(64, 4, 0, 500), At(128, 4, 1, 520)});
  Traffic::Shape shape;
  shape.open = true;
  Traffic traffic(source, Same, shape);
  traffic.Begin(3, 1000);
  Machine machine{traffic, 1, 30, 1000};
  machine.Run();
  EXPECT_EQ(machine.taken[0].cycle, 1000u);
  EXPECT_EQ(machine.taken[1].cycle, 1001u);
  EXPECT_EQ(machine.taken[2].cycle, 1020u);
  EXPECT_EQ(traffic.tally().latency.max(), 31u);
}

TEST(Traffic, CoalescesWhatFollowsInTheSameLines) {
  const std::vector<Access> accesses = {
      At(0x100, 4), At(0x104, 4),      At(0x138, 8), At(0x140, 4), At(0x144, 4, 0, 0, Kind::kWrite),
      At(0x148, 4), At(0x14C, 4, 0, 9)};
  for (const bool coalesce : {false, true}) {
    ListSource source(accesses);
    Traffic::Shape shape;
    shape.coalesce = coalesce;
    Traffic traffic(source, Same, shape);
    traffic.Begin(7, 0);
    Machine machine{traffic, 1, 10};
    machine.Run();
    EXPECT_EQ(traffic.tally().accesses, 7u);
    EXPECT_EQ(traffic.tally().latency.count(), 7u);
    EXPECT_EQ(traffic.tally().requests, coalesce ? 5u : 7u);
    EXPECT_EQ(traffic.tally().merged, coalesce ? 2u : 0u);
    EXPECT_EQ(machine.taken[0].request.bytes, coalesce ? 64 : 4);
  }
}

TEST(Traffic, DealsOrKeepsStreams) {
  const std::vector<Access> one_stream = RandomAccesses(1 << 20, 40, 3);
  for (const bool deal : {false, true}) {
    ListSource source(one_stream);
    Traffic::Shape shape;
    shape.compute_units = 4;
    shape.deal = deal;
    Traffic traffic(source, Same, shape);
    traffic.Begin(40, 0);
    Machine machine{traffic, 4, 5};
    machine.Run();
    EXPECT_EQ(traffic.tally().by_client[0].count(), deal ? 10u : 40u);
  }
}

TEST(Traffic, RunsPhasesOneAfterTheOther) {
  ListSource source(RandomAccesses(1 << 20, 100, 5));
  Traffic traffic(source, Same, {});
  traffic.Begin(30, 0);
  Machine machine{traffic, 1, 10};
  machine.Run();
  EXPECT_EQ(traffic.tally().accesses, 30u);
  traffic.Begin(ClientAccesses::kNever, machine.cycle + 500);
  machine.cycle += 500;
  machine.Run();
  EXPECT_EQ(traffic.tally().accesses, 70u);
  EXPECT_EQ(machine.taken.size(), 100u);
  EXPECT_EQ(traffic.TakeEpoch().accesses, 70u);
  EXPECT_EQ(traffic.TakeEpoch().accesses, 0u);
}

/// A source whose third access cannot be read.
class BrokenSource : public trace::Source {
  std::optional<Access> Next() override {
    if (++read_ == 3) throw ReplayError("record 3 is cut off");
    return At(64 * read_, 4);
  }
  uint64_t read_ = 0;
};

TEST(Traffic, TellsWhoWaitsThatTheSourceIsBroken) {
  BrokenSource source;
  Traffic traffic(source, Same, {});
  traffic.Begin(10, 0);
  Machine machine{traffic, 1, 10};
  EXPECT_THROW(machine.Run(), ReplayError);
}

}  // namespace
}  // namespace gmmu::replay
