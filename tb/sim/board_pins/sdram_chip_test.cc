// SPDX-License-Identifier: Apache-2.0
// Tests that written data is read back at the correct clock edge, and that legal commands cause no finding.
#include "board_pins/sdram_chip.h"

#include <stdexcept>

#include "tb/sim/board_pins/sdram_commands.h"

namespace gmmu::sim {
namespace {

TEST_F(SdramChipTest, ReadsWhatWasWrittenTwoEdgesBehindTheCommand) {
  PowerUp();
  Open();
  WriteFour(8, 0x1110);
  Do(Read(0, 8));
  for (unsigned i = 0; i < 4; ++i) {
    const SdramOut out = Do(kNop);  // driven after this edge, and valid at the next one
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
  masked.dqm = 2;  // masks a byte of the first word
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
  WriteFour(2, 0x30);  // writes columns 2, 3, 0, 1
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

TEST(SdramChip, RefusesAClockThatNoLatencyAllows) {
  EXPECT_THROW(SdramChip(kAs4c16m16sa7, 6'000), std::invalid_argument);
}

}  // namespace
}  // namespace gmmu::sim
