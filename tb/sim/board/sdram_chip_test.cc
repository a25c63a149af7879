// SPDX-License-Identifier: Apache-2.0
// The chip at its pins: what is written is read at the right edge, and each rule that is broken on purpose gives its
// finding and no other.
#include "board/sdram_chip.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

namespace gmmu::sim {
namespace {

constexpr uint64_t kClock = 10'000;  // 100 MHz: tRCD and tRP are 3 edges, tRAS 5, tRC and tRFC 7, tWR, tMRD and tRRD 2
constexpr SdramPins kNop{};

SdramPins With(bool rasn, bool casn, bool wen, unsigned bank = 0, unsigned a = 0) {
  SdramPins pins;
  pins.rasn = rasn, pins.casn = casn, pins.wen = wen;
  pins.ba = static_cast<uint8_t>(bank), pins.a = static_cast<uint16_t>(a);
  return pins;
}
SdramPins Activate(unsigned bank, unsigned row) { return With(false, true, true, bank, row); }
SdramPins Read(unsigned bank, unsigned column) { return With(true, false, true, bank, column); }
SdramPins Write(unsigned bank, unsigned column, unsigned dq) {
  SdramPins pins = With(true, false, false, bank, column);
  pins.dq_driven = true, pins.dq = static_cast<uint16_t>(dq);
  return pins;
}
SdramPins Data(unsigned dq, unsigned dqm = 0) {
  SdramPins pins;
  pins.dq_driven = true, pins.dq = static_cast<uint16_t>(dq), pins.dqm = static_cast<uint8_t>(dqm);
  return pins;
}
SdramPins Precharge(unsigned bank) { return With(false, true, false, bank); }
SdramPins PrechargeAll() { return With(false, true, false, 0, 0x400); }
SdramPins Refresh() { return With(false, false, true); }
SdramPins Mode(unsigned value) { return With(false, false, false, 0, value); }

class SdramChipTest : public testing::Test {
 protected:
  explicit SdramChipTest(uint64_t clock = kClock) : chip_(std::in_place, kAs4c16m16sa7, clock) {}

  SdramOut Do(const SdramPins& pins) { return chip_->Edge(pins); }
  void Wait(uint64_t edges) {
    while (edges-- > 0) Do(kNop);
  }
  void PowerUp(unsigned mode = 0x22, unsigned refreshes = 2) {
    Wait(kAs4c16m16sa7.power_up / kClock);
    Do(PrechargeAll());
    Wait(2);
    for (unsigned i = 0; i < refreshes; ++i) Do(Refresh()), Wait(6);
    Do(Mode(mode));
    Wait(1);
  }
  /// Bank 0 has row 5 open, and a column command may come.
  void Open(unsigned bank = 0, unsigned row = 5) {
    Do(Activate(bank, row));
    Wait(2);
  }
  void WriteFour(unsigned column, unsigned first) {
    Do(Write(0, column, first));
    for (unsigned i = 1; i < 4; ++i) Do(Data(first + i));
  }
  /// The findings are all of this rule, and there is one.
  void ExpectOnly(SdramRule rule) {
    EXPECT_FALSE(chip_->findings().empty()) << "nothing was found, expected " << Name(rule);
    for (const SdramFinding& finding : chip_->findings())
      EXPECT_EQ(finding.rule, rule) << Name(finding.rule) << " at edge " << finding.edge << ": " << finding.text;
  }
  void ExpectNone() {
    for (const SdramFinding& finding : chip_->findings())
      ADD_FAILURE() << Name(finding.rule) << " at edge " << finding.edge << ": " << finding.text;
  }

  std::optional<SdramChip> chip_;
};

TEST_F(SdramChipTest, ReadsWhatWasWrittenTwoEdgesBehindTheCommand) {
  PowerUp();
  Open();
  WriteFour(8, 0x1110);
  Do(Read(0, 8));
  for (unsigned i = 0; i < 4; ++i) {
    const SdramOut out = Do(kNop);  // from the edge behind the command on: valid at the one after
    EXPECT_EQ(out.driven, 3);
    EXPECT_EQ(out.dq, 0x1110 + i);
  }
  EXPECT_EQ(Do(kNop).driven, 0);
  const uint64_t address = ((5u * 4) * 512 + 8) * 2;
  EXPECT_EQ(chip_->Byte(address), 0x10);
  EXPECT_EQ(chip_->Byte(address + 7), 0x11);
  ExpectNone();
}

TEST_F(SdramChipTest, ReadsThreeEdgesBehindTheCommandWithLatencyThree) {
  PowerUp(0x32);
  Open();
  WriteFour(0, 0x2220);
  Do(Read(0, 0));
  EXPECT_EQ(Do(kNop).driven, 0);
  EXPECT_EQ(Do(kNop).dq, 0x2220);
  ExpectNone();
}

TEST_F(SdramChipTest, ReadsOfAnOpenRowFollowWithoutAGap) {
  PowerUp();
  Open();
  WriteFour(0, 0x10);
  WriteFour(4, 0x14);
  for (unsigned i = 0; i < 9; ++i) {
    const SdramOut out = Do(i % 4 ? kNop : Read(0, i % 8));
    if (i > 0) EXPECT_EQ(out.dq, 0x10 + i - 1);
  }
  ExpectNone();
}

TEST_F(SdramChipTest, MaskedBytesAreNeitherWrittenNorDriven) {
  PowerUp();
  Open();
  WriteFour(0, 0xaaa0);
  Do(Write(0, 0, 0xbbb0));
  Do(Data(0xbbb1, 1));
  Do(Data(0xbbb2, 2));
  Do(Data(0xbbb3, 3));
  SdramPins masked = Read(0, 0);
  masked.dqm = 2;  // of the first word
  Do(masked);
  SdramOut out = Do(kNop);
  EXPECT_EQ(out.driven, 1);
  EXPECT_EQ(out.dq & 0xff, 0xb0);
  EXPECT_NE(out.dq >> 8, 0xbb);
  EXPECT_EQ(Do(kNop).dq, 0xbba1);
  EXPECT_EQ(Do(kNop).dq, 0xaab2);
  EXPECT_EQ(Do(kNop).dq, 0xaaa3);
  ExpectNone();
}

TEST_F(SdramChipTest, ABurstWrapsInItsBlock) {
  PowerUp();
  Open();
  WriteFour(2, 0x30);  // columns 2, 3, 0, 1
  Do(Read(0, 0));
  for (const unsigned word : {0x32, 0x33, 0x30, 0x31}) EXPECT_EQ(Do(kNop).dq, word);
}

TEST_F(SdramChipTest, AFlippedBitIsReadAndCellsKeepTheirPlace) {
  PowerUp();
  const uint64_t address = ((5u * 4 + 1) * 512 + 3) * 2 + 1;  // row 5, bank 1, column 3, upper byte
  const uint8_t before = chip_->Byte(address);
  chip_->FlipBit(address, 6);
  EXPECT_EQ(chip_->Byte(address), before ^ 0x40);
  Open(1);
  Do(Read(1, 3));
  EXPECT_EQ(Do(kNop).dq >> 8, before ^ 0x40);
  EXPECT_EQ(chip_->Byte(address + chip_->size()), before ^ 0x40);
  EXPECT_EQ(chip_->size(), 32u << 20);
  ExpectNone();
}

TEST_F(SdramChipTest, KeepsQuietAboutCommandsAtTheirEarliest) {
  PowerUp();
  Do(Activate(0, 1));
  Wait(1);
  Do(Activate(1, 1));  // tRRD
  Do(Write(0, 0, 1));  // tRCD
  Do(Data(2)), Do(Data(3)), Do(Data(4));
  Wait(1);
  Do(Precharge(0));  // tWR, tRAS
  Wait(2);
  Do(Activate(0, 2));  // tRP, tRC
  Wait(4);
  Do(PrechargeAll());  // tRAS
  Wait(2);
  Do(Refresh());  // tRP
  Wait(6);
  Do(Activate(0, 2));  // tRFC
  ExpectNone();
  const SdramChip::Counts& counts = chip_->counts();
  EXPECT_EQ(counts.activates, 4u);
  EXPECT_EQ(counts.writes, 1u);
  EXPECT_EQ(counts.refreshes, 3u);
}

TEST_F(SdramChipTest, FindsACommandBeforeThePauseHasEnded) {
  Wait(kAs4c16m16sa7.power_up / kClock - 1);
  Do(PrechargeAll());
  ExpectOnly(SdramRule::kPowerUp);
}
TEST_F(SdramChipTest, FindsARefreshBeforeThePrecharge) {
  Wait(kAs4c16m16sa7.power_up / kClock);
  Do(Refresh());
  ExpectOnly(SdramRule::kPowerUp);
}
TEST_F(SdramChipTest, FindsAModeRegisterAfterTooFewRefreshes) {
  PowerUp(0x22, 1);
  ExpectOnly(SdramRule::kPowerUp);
}
TEST_F(SdramChipTest, FindsAnActivationWithoutAModeRegister) {
  Wait(kAs4c16m16sa7.power_up / kClock);
  Do(Activate(0, 0));
  ExpectOnly(SdramRule::kPowerUp);
}
TEST_F(SdramChipTest, FindsACommandWithClockDisabled) {
  SdramPins pins = PrechargeAll();
  pins.cke = false;
  Do(pins);
  ExpectOnly(SdramRule::kPowerUp);
}
TEST_F(SdramChipTest, FindsAColumnCommandTooEarly) {
  PowerUp();
  Do(Activate(0, 5));
  Wait(1);
  Do(Read(0, 0));
  ExpectOnly(SdramRule::kTrcd);
}
TEST_F(SdramChipTest, FindsAnActivationTooEarlyBehindAPrecharge) {
  PowerUp();
  Open();
  Wait(5);
  Do(Precharge(0));
  Wait(1);
  Do(Activate(0, 6));
  ExpectOnly(SdramRule::kTrp);
}
TEST_F(SdramChipTest, FindsARefreshTooEarlyBehindAPrecharge) {
  PowerUp();
  Open();
  Wait(5);
  Do(Precharge(0));
  Wait(1);
  Do(Refresh());
  ExpectOnly(SdramRule::kTrp);
}
TEST_F(SdramChipTest, FindsAPrechargeTooEarly) {
  PowerUp();
  Open();
  Wait(1);
  Do(Precharge(0));
  ExpectOnly(SdramRule::kTras);
}
TEST_F(SdramChipTest, FindsARowThatIsOpenForTooLong) {
  PowerUp();
  Open();
  Wait(kAs4c16m16sa7.tras_max / kClock);
  Do(Precharge(0));
  EXPECT_TRUE(chip_->Found(SdramRule::kTrasMax));
}
TEST_F(SdramChipTest, FindsAnActivationOfABankTooEarlyBehindTheLast) {
  SdramPart slow = kAs4c16m16sa7;
  slow.trc = 90'000;  // more than tRAS + tRP
  chip_.emplace(slow, kClock);
  PowerUp();
  Open();
  Wait(2);
  Do(Precharge(0));
  Wait(2);
  Do(Activate(0, 6));
  ExpectOnly(SdramRule::kTrc);
}
TEST_F(SdramChipTest, FindsAnActivationOfAnotherBankTooEarly) {
  PowerUp();
  Do(Activate(0, 5));
  Do(Activate(1, 5));
  ExpectOnly(SdramRule::kTrrd);
}
TEST_F(SdramChipTest, FindsACommandTooEarlyBehindARefresh) {
  PowerUp();
  Do(Refresh());
  Wait(5);
  Do(Activate(0, 5));
  ExpectOnly(SdramRule::kTrfc);
}
TEST_F(SdramChipTest, FindsRefreshesTooCloseToEachOther) {
  PowerUp();
  Do(Refresh());
  Wait(5);
  Do(Refresh());
  ExpectOnly(SdramRule::kTrfc);
}
TEST_F(SdramChipTest, FindsAPrechargeTooEarlyBehindAWrite) {
  PowerUp();
  Open();
  WriteFour(0, 1);
  Do(Precharge(0));
  ExpectOnly(SdramRule::kTwr);
}
TEST_F(SdramChipTest, FindsAPrechargeInTheMidstOfAWrite) {
  PowerUp();
  Open();
  Wait(4);
  Do(Write(0, 0, 1));
  Do(Data(2));
  Do(Precharge(0));
  ExpectOnly(SdramRule::kTwr);
}
TEST_F(SdramChipTest, FindsACommandTooEarlyBehindTheModeRegister) {
  PowerUp();
  Do(Mode(0x22));
  Do(Activate(0, 0));
  ExpectOnly(SdramRule::kTmrd);
}
TEST_F(SdramChipTest, FindsALateRefreshOnceAndEveryRowsRefreshIn64Milliseconds) {
  PowerUp();
  // 7812 ns from one to the next: never late, and 8192 of them fit into 64 ms.
  for (unsigned i = 0; i < 8192; ++i) Do(Refresh()), Wait(780);
  ExpectNone();
  Wait(9 * 782);
  Wait(782);
  ASSERT_EQ(chip_->findings().size(), 1u);
  ExpectOnly(SdramRule::kRefreshLate);
}
TEST_F(SdramChipTest, FindsRefreshesThatAreTooRareOnAverage) {
  PowerUp();
  for (unsigned i = 0; i < 100; ++i) Do(Refresh()), Wait(900);
  ExpectOnly(SdramRule::kRefreshLate);
}
TEST_F(SdramChipTest, FindsAReadOfAClosedRow) {
  PowerUp();
  Do(Read(2, 0));
  ExpectOnly(SdramRule::kClosedRow);
}
TEST_F(SdramChipTest, FindsAWriteOfAClosedRow) {
  PowerUp();
  Open();
  Do(Write(1, 0, 1));
  ExpectOnly(SdramRule::kClosedRow);
}
TEST_F(SdramChipTest, FindsAnActivationOfAnOpenBank) {
  PowerUp();
  Open();
  Wait(5);
  Do(Activate(0, 6));
  ExpectOnly(SdramRule::kOpenBank);
}
TEST_F(SdramChipTest, FindsARefreshWhileARowIsOpen) {
  PowerUp();
  Open();
  Do(Refresh());
  ExpectOnly(SdramRule::kNotIdle);
}
TEST_F(SdramChipTest, FindsAModeRegisterWhileARowIsOpen) {
  PowerUp();
  Open();
  Do(Mode(0x22));
  ExpectOnly(SdramRule::kNotIdle);
}
TEST_F(SdramChipTest, FindsBothSidesOnTheBus) {
  PowerUp();
  Open();
  Do(Read(0, 0));
  Wait(2);
  Do(Data(0));
  ExpectOnly(SdramRule::kContention);
}
TEST_F(SdramChipTest, FindsAWriteWithoutACycleBetweenItAndTheDataOfARead) {
  PowerUp();
  Open();
  Do(Read(0, 0));
  Wait(5);  // data at edges 2 to 5 behind the command
  Do(Write(0, 0, 0));
  ExpectOnly(SdramRule::kContention);
}
TEST_F(SdramChipTest, KeepsQuietAboutAWriteWithACycleBetween) {
  PowerUp();
  Open();
  Do(Read(0, 0));
  Wait(6);
  WriteFour(0, 0);
  ExpectNone();
}
TEST_F(SdramChipTest, FindsAReadWhoseDataComesInTheCycleBehindTheControllers) {
  PowerUp();
  Open();
  Do(Read(0, 0));
  Do(Data(0));
  ExpectOnly(SdramRule::kContention);
}
TEST_F(SdramChipTest, FindsAWordOfAWriteThatNobodyDrives) {
  PowerUp();
  Open();
  Do(Write(0, 0, 1));
  Do(Data(2)), Do(Data(3));
  SdramPins masked;
  masked.dqm = 3;
  Do(masked);
  ExpectNone();
  Do(Write(0, 0, 1));
  Do(kNop);
  ExpectOnly(SdramRule::kNoData);
}
TEST_F(SdramChipTest, FindsAModeRegisterThatIsReserved) {
  for (const unsigned value : {0x12u, 0x24u, 0x2au, 0x222u, 0x42u}) {
    chip_.emplace(kAs4c16m16sa7, kClock);
    PowerUp(value);
    ExpectOnly(SdramRule::kMode);
  }
}
TEST_F(SdramChipTest, FindsWhatIsNotModelled) {
  PowerUp();
  Open();
  Do(Read(0, 0x400));  // auto precharge
  Wait(5);
  Do(With(true, true, false));  // burst stop
  SdramPins pins;
  pins.cke = false;
  Do(pins);
  EXPECT_EQ(chip_->findings().size(), 3u);
  ExpectOnly(SdramRule::kNotModelled);
}

class FastClock : public SdramChipTest {
 protected:
  FastClock() : SdramChipTest(7'500) {}
};
TEST_F(FastClock, FindsALatencyOfTwoAtAClockThatIsTooFast) {
  Wait(27'000);
  Do(PrechargeAll()), Wait(2);
  for (unsigned i = 0; i < 2; ++i) Do(Refresh()), Wait(8);
  Do(Mode(0x22));
  ExpectOnly(SdramRule::kMode);
}

TEST(SdramChip, RefusesAClockThatNoLatencyAllows) {
  EXPECT_THROW(SdramChip(kAs4c16m16sa7, 6'000), std::invalid_argument);
}

}  // namespace
}  // namespace gmmu::sim
