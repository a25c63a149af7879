// SPDX-License-Identifier: Apache-2.0
// Tests that each deliberate violation of an SDRAM rule is reported as a finding of that rule and of no other rule.
#include "tb/sim/board_pins/sdram_commands.h"

namespace gmmu::sim {
namespace {

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
  slow.trc = 90'000;  // longer than tRAS + tRP
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
  // At one refresh every 7810 ns, no refresh is late, and 8192 of them fit into 64 ms.
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
  Wait(5);  // the read data is on the bus at edges 2 to 5 after the command
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

}  // namespace
}  // namespace gmmu::sim
