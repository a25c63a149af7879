// SPDX-License-Identifier: Apache-2.0
// Tests the checker's rules for responses, reset and stalls, and its behaviour in long streams of bursts.
#include <deque>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "axi_checker_bench.h"

namespace gmmu::sim {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(AxiCheckerTest, RIdFiresOnDataThatNobodyAskedFor) {
  bus_.Data(5, true);
  ExpectOnly("r-id", "R of id 0x5");
}

TEST_F(AxiCheckerTest, RIdFiresOnDataInTheCycleOfItsAddress) {
  bus_.ar = AxiChecker::Ax{5, 0, 0, kFull, kIncr, 0};
  bus_.Data(5, true);
  ExpectOnly("r-id", "R of id 0x5");
}

TEST_F(AxiCheckerTest, RLastFiresWhenItIsEarly) {
  bus_.Read(5, 0, 1);
  bus_.Data(5, true);
  ExpectOnly("r-last", "RLAST is 1 at beat 1 of 2");
}

TEST_F(AxiCheckerTest, RLastFiresWhenItIsMissing) {
  bus_.Read(5, 0, 0);
  bus_.Data(5, false);
  ExpectOnly("r-last", "RLAST is 0 at beat 1 of 1");
}

TEST_F(AxiCheckerTest, BIdFiresOnAnAnswerOfNoWrite) {
  bus_.Write(5, 0, 0);
  bus_.Beat(true);
  bus_.Answer(6);
  ExpectOnly("b-id", "B of id 0x6");
}

TEST_F(AxiCheckerTest, BEarlyFiresBeforeTheLastBeat) {
  bus_.Write(5, 0, 1);
  bus_.Beat(false);
  bus_.Answer(5);
  ExpectOnly("b-early", "before its last W beat");
}

TEST_F(AxiCheckerTest, BEarlyFiresInTheCycleOfTheLastBeat) {
  bus_.Write(5, 0, 0);
  bus_.b = AxiChecker::B{5, 0};
  bus_.Beat(true);
  ExpectOnly("b-early", "B of id 0x5");
}

TEST_F(AxiCheckerTest, ResponseFiresOnExokay) {
  bus_.Read(5, 0, 0);
  bus_.Data(5, true, 1);
  ExpectOnly("response", "RRESP is EXOKAY");
  bus_.Write(5, 0, 0);
  bus_.Beat(true);
  bus_.Answer(5, 1);
  EXPECT_THAT(bus_.checker.findings(), SizeIs(2));
}

TEST_F(AxiCheckerTest, ResetFiresOnAValidDuringIt) {
  bus_.reset = true;
  bus_.ar_ready = false;
  bus_.Read(5, 0, 0);  // outputs are undefined before the first edge of a reset
  ExpectClean();
  bus_.Cycle();
  ExpectOnly("reset", "AR is valid during reset");
}

TEST_F(AxiCheckerTest, ResetForgetsWhatWasUnderWay) {
  bus_.Read(5, 0, 0);
  bus_.Write(6, 0, 1);
  bus_.Beat(false);
  bus_.ar_ready = false;
  bus_.Read(7, 0, 0);
  bus_.reset = true;
  bus_.Cycle();
  bus_.ar.reset();
  bus_.Cycle();
  bus_.reset = false;
  bus_.ar_ready = true;
  EXPECT_EQ(bus_.checker.outstanding(), 0u);
  bus_.Read(5, 0, 0);
  bus_.Data(5, true);
  ExpectClean();
  bus_.Data(5, true);
  ExpectOnly("r-id", "R of id 0x5");
}

TEST_F(AxiCheckerTest, WaitFiresAndNamesWhatIsWaitedFor) {
  bus_.Read(1, 0x1000, 0);
  bus_.Write(2, 0x2000, 0);
  bus_.Write(3, 0x3000, 0);
  bus_.Beat(true);
  bus_.ar_ready = false;
  bus_.Read(4, 0, 0);
  while (bus_.cycle < 900) bus_.Cycle();
  ExpectClean();
  while (bus_.cycle < 4000) bus_.Cycle();
  ASSERT_THAT(bus_.checker.findings(), SizeIs(4)) << "each is said once";
  for (const char* text : {"wait: the read of id 0x1 at 0x1000 has waited for R since cycle 0",
                           "wait: the write of id 0x2 at 0x2000 has waited for B since cycle 3",
                           "wait: the write of id 0x3 at 0x3000 has waited for its W beats since",
                           "wait: AR has waited for its ready since cycle 4"}) {
    EXPECT_THAT(bus_.checker.findings(), Contains(Field(&hw::Finding::text, HasSubstr(text))));
  }
}

TEST_F(AxiCheckerTest, WaitIsLongerWhereAnswersAreHeldOnPurpose) {
  bus_.checker.AllowWait(3000);
  bus_.Read(1, 0x1000, 0);
  while (bus_.cycle < 2900) bus_.Cycle();
  ExpectClean();
  while (bus_.cycle < 4000) bus_.Cycle();
  EXPECT_THAT(bus_.checker.findings(), SizeIs(1));
}

TEST_F(AxiCheckerTest, ALitePortTakesDataBeforeItsAddress) {
  Bus bus(AxiLitePort("s_test"));
  bus.Beat(true, 0x0F);
  bus.Write(0, 0x1F8, 0);
  bus.Answer(0);
  bus.Read(0, 0, 0);
  bus.Read(0, 8, 0);
  bus.Data(0, true);
  bus.Data(0, true, 2);
  EXPECT_THAT(bus.checker.findings(), IsEmpty());
  bus.Data(0, true);
  EXPECT_THAT(bus.checker.findings(), SizeIs(1));
}

TEST_F(AxiCheckerTest, KeepsTheFirstFindingsOfMany) {
  for (unsigned i = 0; i < 100; ++i) bus_.Beat(true);
  EXPECT_THAT(bus_.checker.findings(), SizeIs(AxiChecker::kMost));
}

/// Sends random bursts that violate no rule, with and without stalls.
TEST_F(AxiCheckerTest, ARandomCleanStreamHasNoFinding) {
  const uint64_t seed = std::random_device{}();
  fmt::print("seed {}\n", seed);
  std::mt19937_64 random(seed);
  struct Burst {
    unsigned id, left;
    uint64_t address;
  };
  for (const unsigned stall : {0u, 50u}) {
    AxiPort port = Port();
    port.wait_limit = 1'000'000;
    Bus bus(port);
    std::deque<Burst> reads, writes, written;
    std::vector<bool> read_ids(256), write_ids(256);
    const auto go = [&] { return random() % 100 >= stall; };
    const auto make = [&](std::vector<bool>& used) -> std::optional<AxiChecker::Ax> {
      const unsigned id = random() % 256, len = random() % 16;
      if (used[id]) return std::nullopt;
      used[id] = true;
      return AxiChecker::Ax{id, (random() % 4096 << 12) + random() % (4096 - 128), len, kFull, kIncr, 0};
    };
    for (unsigned i = 0; i < 20000; ++i) {
      bus.ar_ready = go(), bus.aw_ready = go(), bus.w_ready = go(), bus.r_ready = go(), bus.b_ready = go();
      if (!bus.ar && go()) bus.ar = make(read_ids);
      if (!bus.aw && go()) bus.aw = make(write_ids);
      const auto ar = bus.ar, aw = bus.aw;
      if (!bus.w && !writes.empty() && go()) {
        bus.w = random();
        bus.w_last = writes.front().left == 1;
        bus.strobe = 0xFFu << (writes.front().address & 7) & 0xFF;
        writes.front().address = 0;
      }
      if (!bus.r && !reads.empty() && go()) {
        std::swap(reads.front(), reads[random() % reads.size()]);
        bus.r = random(), bus.r_id = reads.front().id, bus.r_last = reads.front().left == 1;
      }
      if (!bus.b && !written.empty() && go()) {
        std::swap(written.front(), written[random() % written.size()]);
        bus.b = AxiChecker::B{written.front().id, 0};
      }
      const bool w = bus.w.has_value(), r = bus.r.has_value(), b = bus.b.has_value();
      bus.Cycle();
      if (r && !bus.r && --reads.front().left == 0) read_ids[reads.front().id] = false, reads.pop_front();
      if (b && !bus.b) write_ids[written.front().id] = false, written.pop_front();
      if (w && !bus.w && --writes.front().left == 0) written.push_back(writes.front()), writes.pop_front();
      if (ar && !bus.ar) reads.push_back({ar->id, ar->len + 1, ar->address});
      if (aw && !bus.aw) writes.push_back({aw->id, aw->len + 1, aw->address});
    }
    for (const auto& finding : bus.checker.findings()) ADD_FAILURE() << finding.text;
    EXPECT_GT(bus.checker.bursts(), 500u);
  }
}

}  // namespace
}  // namespace gmmu::sim
