// SPDX-License-Identifier: Apache-2.0
#include "probe/axi_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>

#include <fmt/format.h>

namespace gmmu::sim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr unsigned kFull = 3, kIncr = 1;

AxiPort Port() {
  AxiPort port;
  port.name = "m_test";
  port.id_bits = 8;
  port.wait_limit = 1000;
  return port;
}

/// A port whose channels a test sets before each cycle; an offer that is taken goes away.
class Bus {
 public:
  explicit Bus(const AxiPort& port = Port()) : checker(port) {}

  bool reset = false;
  std::optional<AxiChecker::Ax> ar, aw;
  std::optional<uint64_t> w, r;  // data
  uint64_t strobe = 0xFF;
  bool w_last = false, r_last = false;
  unsigned r_id = 0, r_response = 0;
  std::optional<AxiChecker::B> b;
  bool ar_ready = true, aw_ready = true, w_ready = true, r_ready = true, b_ready = true;
  uint64_t cycle = 0;
  AxiChecker checker;

  void Cycle() {
    checker.Begin(cycle++, reset);
    checker.Ar(ar.has_value(), ar_ready, [&] { return *ar; });
    checker.Aw(aw.has_value(), aw_ready, [&] { return *aw; });
    checker.Wd(w.has_value(), w_ready, [&] { return AxiChecker::W{&*w, strobe, w_last}; });
    checker.Rd(r.has_value(), r_ready,
               [&] { return AxiChecker::R{r_id, &*r, r_response, r_last}; });
    checker.Bd(b.has_value(), b_ready, [&] { return *b; });
    checker.End();
    if (ar_ready) ar.reset();
    if (aw_ready) aw.reset();
    if (w_ready) w.reset();
    if (r_ready) r.reset();
    if (b_ready) b.reset();
  }
  void Read(unsigned id, uint64_t address, unsigned len, unsigned size = kFull,
            unsigned burst = kIncr) {
    ar = AxiChecker::Ax{id, address, len, size, burst, 0};
    Cycle();
  }
  void Write(unsigned id, uint64_t address, unsigned len, unsigned size = kFull,
             unsigned burst = kIncr) {
    aw = AxiChecker::Ax{id, address, len, size, burst, 0};
    Cycle();
  }
  void Beat(bool last, uint64_t lanes = 0xFF) {
    w = 0x1122334455667788u;
    w_last = last;
    strobe = lanes;
    Cycle();
  }
  void Data(unsigned id, bool last, unsigned response = 0) {
    r = 0x8877665544332211u;
    r_id = id, r_last = last, r_response = response;
    Cycle();
  }
  void Answer(unsigned id, unsigned response = 0) {
    b = AxiChecker::B{id, response};
    Cycle();
  }
};

class AxiCheckerTest : public ::testing::Test {
 protected:
  void ExpectOnly(const std::string& rule, const std::string& text) {
    ASSERT_THAT(bus_.checker.findings(), SizeIs(1));
    EXPECT_EQ(bus_.checker.findings()[0].probe, "axi");
    EXPECT_THAT(bus_.checker.findings()[0].text,
                AllOf(StartsWith("m_test, cycle "), HasSubstr(", " + rule + ": "),
                      HasSubstr(text)));
  }
  void ExpectClean() {
    for (const auto& finding : bus_.checker.findings()) ADD_FAILURE() << finding.text;
  }
  Bus bus_;
};

TEST_F(AxiCheckerTest, AcceptsBurstsUpToTheEndOfAPage) {
  bus_.Read(5, 0xFC0, 7);
  bus_.Write(5, 0xFFF, 0);
  bus_.Beat(true, 0x80);
  for (unsigned beat = 0; beat < 8; ++beat) bus_.Data(5, beat == 7);
  bus_.Answer(5);
  bus_.Read(5, 0x1000, 255);
  ExpectClean();
  EXPECT_EQ(bus_.checker.outstanding(), 1u);
  EXPECT_EQ(bus_.checker.bursts(), 3u);
}

TEST_F(AxiCheckerTest, AcceptsOffersThatWaitUnchanged) {
  bus_.ar_ready = bus_.aw_ready = bus_.w_ready = bus_.r_ready = bus_.b_ready = false;
  for (unsigned i = 0; i < 3; ++i) {
    bus_.Read(1, 0x40, 0);
    bus_.Write(2, 0x80, 0);
  }
  bus_.ar_ready = bus_.aw_ready = true;
  bus_.Cycle();
  bus_.Beat(true);
  bus_.Beat(true);
  bus_.w_ready = true;
  bus_.Cycle();
  for (unsigned i = 0; i < 3; ++i) bus_.Data(1, true), bus_.Answer(2);
  bus_.r_ready = bus_.b_ready = true;
  bus_.Cycle();
  ExpectClean();
  EXPECT_EQ(bus_.checker.outstanding(), 0u);
}

TEST_F(AxiCheckerTest, AcceptsAnErrorAnswerOnEachBeat) {
  bus_.Read(1, 0, 1);
  bus_.Data(1, false, 2);
  bus_.Data(1, true, 3);
  bus_.Write(1, 0, 0);
  bus_.Beat(true);
  bus_.Answer(1, 2);
  ExpectClean();
}

TEST_F(AxiCheckerTest, StandsFiresOnAnOfferThatIsWithdrawn) {
  bus_.ar_ready = false;
  bus_.Read(1, 0, 0);
  bus_.ar.reset();
  bus_.Cycle();
  ExpectOnly("stands", "AR was withdrawn");
}

TEST_F(AxiCheckerTest, StandsFiresOnEachChannel) {
  bus_.Read(1, 0, 0);
  bus_.Write(1, 0, 1);
  bus_.Beat(false);
  bus_.Write(2, 0, 0);
  bus_.Beat(true);
  bus_.Beat(true);
  bus_.ar_ready = bus_.aw_ready = bus_.w_ready = bus_.r_ready = bus_.b_ready = false;
  bus_.ar = AxiChecker::Ax{3, 0, 0, kFull, kIncr, 0};
  bus_.aw = AxiChecker::Ax{3, 0, 0, kFull, kIncr, 0};
  bus_.w = 0;
  bus_.r = 0, bus_.r_id = 1, bus_.r_last = true;
  bus_.b = AxiChecker::B{1, 0};
  bus_.Cycle();
  bus_.ar.reset(), bus_.aw.reset(), bus_.w.reset(), bus_.r.reset(), bus_.b.reset();
  bus_.Cycle();
  ASSERT_THAT(bus_.checker.findings(), SizeIs(5));
  const char* names[] = {"AR was", "AW was", "W was", "R was", "B was"};
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_THAT(bus_.checker.findings()[i].text, AllOf(HasSubstr("stands"), HasSubstr(names[i])));
}

TEST_F(AxiCheckerTest, StableFiresOnAnAddressThatChanges) {
  bus_.aw_ready = false;
  bus_.Write(1, 0x40, 0);
  bus_.Write(1, 0x80, 0);
  ExpectOnly("stable", "payload of AW changed");
}

TEST_F(AxiCheckerTest, StableFiresOnAUserFieldThatChanges) {
  bus_.ar_ready = false;
  bus_.Read(1, 0x40, 0);
  bus_.ar->user = 1;
  bus_.Cycle();
  ExpectOnly("stable", "payload of AR changed");
}

TEST_F(AxiCheckerTest, StableFiresOnWriteDataThatChanges) {
  bus_.Write(1, 0x40, 0);
  bus_.w_ready = false;
  bus_.Beat(true);
  *bus_.w ^= uint64_t{1} << 63;
  bus_.Cycle();
  ExpectOnly("stable", "payload of W changed");
}

TEST_F(AxiCheckerTest, StableFiresOnReadDataThatChanges) {
  bus_.Read(1, 0x40, 0);
  bus_.r_ready = false;
  bus_.Data(1, true);
  *bus_.r ^= 1;
  bus_.Cycle();
  ExpectOnly("stable", "payload of R changed");
}

TEST_F(AxiCheckerTest, StableFiresOnAnAnswerThatChanges) {
  bus_.Write(1, 0x40, 0);
  bus_.Beat(true);
  bus_.b_ready = false;
  bus_.Answer(1, 0);
  bus_.Answer(1, 2);
  ExpectOnly("stable", "payload of B changed");
}

TEST_F(AxiCheckerTest, BurstFiresOnAWrap) {
  bus_.Read(5, 0, 0, kFull, 2);
  ExpectOnly("burst", "AR burst type 2");
}

TEST_F(AxiCheckerTest, SizeFiresOnANarrowBurstOfAFullWidthPort) {
  bus_.Write(5, 0, 0, 2);
  ExpectOnly("size", "AW has beats of 4 bytes on a bus of 8");
}

TEST_F(AxiCheckerTest, SizeFiresOnABurstWiderThanTheBus) {
  AxiPort port = Port();
  port.full_width = false;
  Bus bus(port);
  bus.Read(5, 0, 0, 2);
  EXPECT_THAT(bus.checker.findings(), IsEmpty());
  bus.Read(6, 0, 0, 4);
  EXPECT_THAT(bus.checker.findings(), SizeIs(1));
}

TEST_F(AxiCheckerTest, LengthFiresOnMoreBeatsThanThePortHas) {
  Bus bus(AxiLitePort("s_test"));
  bus.Read(0, 0, 0);
  EXPECT_THAT(bus.checker.findings(), IsEmpty());
  bus.Read(0, 0, 1);
  ASSERT_THAT(bus.checker.findings(), SizeIs(1));
  EXPECT_THAT(bus.checker.findings()[0].text, HasSubstr("length: AR has 2 beats"));
}

TEST_F(AxiCheckerTest, PageFiresOnABurstAcrossFourKilobytes) {
  bus_.Read(5, 0xFC1, 8);
  ExpectOnly("page", "0xfc1 of 9 beats crosses 4 KiB");
}

TEST_F(AxiCheckerTest, IdUniqueFiresOnAnIdThatIsOutstanding) {
  bus_.Write(5, 0, 0);
  bus_.Read(5, 0, 0);  // the other direction's ids are others
  ExpectClean();
  bus_.Write(5, 0, 0);
  ExpectOnly("id-unique", "AW id 0x5");
}

TEST_F(AxiCheckerTest, AnIdIsFreeWithItsLastAnswer) {
  bus_.Read(5, 0, 0);
  bus_.ar = AxiChecker::Ax{5, 0x40, 0, kFull, kIncr, 0};
  bus_.Data(5, true);  // last R and the next AR in one cycle
  bus_.Data(5, true);
  ExpectClean();
}

TEST_F(AxiCheckerTest, WithoutUniqueIdsAnswersOfAnIdComeInOrder) {
  AxiPort port = Port();
  port.unique_ids = false;
  Bus bus(port);
  bus.Read(5, 0, 1);
  bus.Read(5, 0, 0);
  bus.Data(5, false);
  bus.Data(5, true);
  bus.Data(5, true);
  EXPECT_THAT(bus.checker.findings(), IsEmpty());
  EXPECT_EQ(bus.checker.outstanding(), 0u);
}

TEST_F(AxiCheckerTest, WOrderFiresOnDataBeforeItsAddress) {
  bus_.Beat(true);
  ExpectOnly("w-order", "before its AW");
}

TEST_F(AxiCheckerTest, WOrderAllowsTheLeadOfThePort) {
  AxiPort port = Port();
  port.early_beats = 2;
  Bus bus(port);
  bus.Beat(false);
  bus.Beat(true);
  bus.Write(1, 0, 1);
  bus.Answer(1);
  EXPECT_THAT(bus.checker.findings(), IsEmpty());
  for (int i = 0; i < 3; ++i) bus.Beat(true);
  EXPECT_THAT(bus.checker.findings(), SizeIs(1));
}

TEST_F(AxiCheckerTest, WLastFiresWhenItIsEarly) {
  bus_.Write(5, 0, 1);
  bus_.Beat(true);
  ExpectOnly("w-last", "WLAST is 1 at beat 1 of 2");
}

TEST_F(AxiCheckerTest, WLastFiresWhenItIsMissing) {
  bus_.Write(5, 0, 0);
  bus_.Beat(false);
  ExpectOnly("w-last", "WLAST is 0 at beat 1 of 1");
}

TEST_F(AxiCheckerTest, WStrobeFiresBelowTheFirstByte) {
  bus_.Write(5, 0x1004, 1);
  bus_.Beat(false, 0xF0);
  bus_.Beat(true, 0xFF);
  ExpectClean();
  bus_.Answer(5);
  bus_.Write(5, 0x1004, 0);
  bus_.Beat(true, 0xF8);
  ExpectOnly("w-strobe", "strobe 0xf8 of beat 0");
}

TEST_F(AxiCheckerTest, WStrobeFiresOutsideTheLanesOfANarrowBeat) {
  AxiPort port = Port();
  port.full_width = false;
  Bus bus(port);
  bus.Write(5, 0x1002, 2, 1);  // lanes 2-3, 4-5, 6-7
  bus.Beat(false, 0x0C);
  bus.Beat(false, 0x30);
  EXPECT_THAT(bus.checker.findings(), IsEmpty());
  bus.Beat(true, 0x30);
  EXPECT_THAT(bus.checker.findings(), SizeIs(1));
}

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
  bus_.Read(5, 0, 0);  // outputs mean nothing before the first edge of a reset
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

/// Random bursts on a bus that keeps every rule, with and without stalls.
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
      return AxiChecker::Ax{id, (random() % 4096 << 12) + random() % (4096 - 128), len, kFull,
                            kIncr, 0};
    };
    for (unsigned i = 0; i < 20000; ++i) {
      bus.ar_ready = go(), bus.aw_ready = go(), bus.w_ready = go(), bus.r_ready = go(),
      bus.b_ready = go();
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
      if (r && !bus.r && --reads.front().left == 0)
        read_ids[reads.front().id] = false, reads.pop_front();
      if (b && !bus.b) write_ids[written.front().id] = false, written.pop_front();
      if (w && !bus.w && --writes.front().left == 0)
        written.push_back(writes.front()), writes.pop_front();
      if (ar && !bus.ar) reads.push_back({ar->id, ar->len + 1, ar->address});
      if (aw && !bus.aw) writes.push_back({aw->id, aw->len + 1, aw->address});
    }
    for (const auto& finding : bus.checker.findings()) ADD_FAILURE() << finding.text;
    EXPECT_GT(bus.checker.bursts(), 500u);
  }
}

}  // namespace
}  // namespace gmmu::sim
