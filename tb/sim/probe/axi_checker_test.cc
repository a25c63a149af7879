// SPDX-License-Identifier: Apache-2.0
// Tests the checker's rules for requests and write data.
#include "axi_checker_bench.h"

namespace gmmu::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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
  bus_.Read(5, 0, 0);  // reads and writes have separate ids
  ExpectClean();
  bus_.Write(5, 0, 0);
  ExpectOnly("id-unique", "AW id 0x5");
}

TEST_F(AxiCheckerTest, AnOrderedIdMayNameSeveralWritesButNoReads) {
  AxiPort port = Port();
  port.ordered_write_ids = {5};
  Bus bus(port);
  bus.Write(5, 0, 0);
  bus.Write(5, 0, 0);
  EXPECT_THAT(bus.checker.findings(), IsEmpty());
  bus.Read(5, 0, 0);
  bus.Read(5, 0, 0);
  ASSERT_THAT(bus.checker.findings(), SizeIs(1));
  EXPECT_THAT(bus.checker.findings()[0].text, HasSubstr("AR id 0x5"));
}

TEST_F(AxiCheckerTest, AnIdIsFreeWithItsLastAnswer) {
  bus_.Read(5, 0, 0);
  bus_.ar = AxiChecker::Ax{5, 0x40, 0, kFull, kIncr, 0};
  bus_.Data(5, true);  // the last R and the next AR are in one cycle
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

}  // namespace
}  // namespace gmmu::sim
