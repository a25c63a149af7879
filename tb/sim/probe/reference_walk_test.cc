// SPDX-License-Identifier: Apache-2.0
#include "probe/reference_walk.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace gmmu::sim {
namespace {

using regs::Access;
using regs::Fault;
using regs::PteEntry;
using regs::Target;

class ReferenceWalkTest : public ::testing::Test {
 protected:
  ReferenceWalkTest() {
    space_.enable = true;
    space_.root_target = Target::kVram;
    space_.root_address = 0x3FF000;
    space_.root_entries = 512;
    space_.levels = 4;
    space_.bits = {9, 9, 9, 9, 0, 0};
    Put(Target::kVram, 0x3FF000, 0x08000000003FE041);
    Put(Target::kVram, 0x3FE000, 0x08000000003FD041);
    Put(Target::kVram, 0x3FD488, 0x08000000003FC041);
    Put(Target::kVram, 0x3FCA28, 0x0000000098765005);
  }

  void Put(Target target, uint64_t address, uint64_t value) { memory_[{target, address}] = value; }
  Translation Walk(uint64_t va, Access access = Access::kRead) {
    return ReferenceWalk(space_, va, access, [this](Target target, uint64_t address) -> std::optional<uint64_t> {
      reads_ += 1;
      if (address == bad_address_) return std::nullopt;
      const auto found = memory_.find({target, address});
      return found == memory_.end() ? 0 : found->second;
    });
  }
  void ExpectFault(uint64_t va, Fault fault, unsigned level, Access access = Access::kRead) {
    const Translation result = Walk(va, access);
    EXPECT_EQ(result.fault, fault) << NameOf(result.fault);
    EXPECT_EQ(result.level, level);
  }

  static constexpr uint64_t kVa = 0x12345678;
  static constexpr uint64_t kLeaf = 0x3FCA28;
  static constexpr uint64_t kLevel1 = 0x3FD488;
  static constexpr uint64_t kLeaf64 = 0x3FB0A0;
  static constexpr uint64_t kTable64 = 0x08000000003FB241;
  SpaceConfig space_;
  std::map<std::pair<Target, uint64_t>, uint64_t> memory_;
  uint64_t bad_address_ = ~uint64_t{0};
  unsigned reads_ = 0;
};

TEST_F(ReferenceWalkTest, TranslatesTheWorkedExampleOfThePage) {
  const Translation result = Walk(kVa);
  EXPECT_EQ(result.fault, Fault::kNone);
  EXPECT_EQ(result.gpa, (Gpa{Target::kSystem, 0, 0x98765678}));
  EXPECT_TRUE(result.coherent);
  EXPECT_EQ(reads_, 4u);
}

TEST_F(ReferenceWalkTest, FaultsBeforeAnyReadWhenTheSpaceForbidsTheAddress) {
  ExpectFault(uint64_t{1} << 48, Fault::kVaRange, 3);
  space_.root_entries = 1;
  ExpectFault(uint64_t{1} << 39, Fault::kRootBound, 3);
  EXPECT_EQ(Walk(kVa).fault, Fault::kNone);
  space_.enable = false;
  reads_ = 0;
  ExpectFault(uint64_t{1} << 48, Fault::kSpaceDisabled, 3);
  EXPECT_EQ(reads_, 0u);
}

TEST_F(ReferenceWalkTest, RefusesGeometriesThatAreNotAllowedAndRootsOutOfReach) {
  space_.levels = 1;
  ExpectFault(kVa, Fault::kSpaceDisabled, 0);
  space_.levels = 7;
  ExpectFault(kVa, Fault::kSpaceDisabled, 6);
  space_.levels = 4;
  for (const unsigned bits : {0u, 14u}) {
    space_.bits[2] = static_cast<uint8_t>(bits);
    ExpectFault(kVa, Fault::kSpaceDisabled, 3);
  }
  space_.bits[2] = 9;
  for (const Target target : {Target::kAperture, Target::kPeer}) {
    space_.root_target = target;
    ExpectFault(kVa, Fault::kEntryReserved, 3);
  }
  EXPECT_EQ(reads_, 0u);
}

TEST_F(ReferenceWalkTest, ReportsTheLevelOfAReadErrorAndOfAnInvalidEntry) {
  bad_address_ = kLevel1;
  ExpectFault(kVa, Fault::kTableRead, 1);
  bad_address_ = ~uint64_t{0};
  Put(Target::kVram, kLevel1, 0xFFFFFFFFFFFFFFFCull);  // V = Z = 0, so the other bits are ignored
  ExpectFault(kVa, Fault::kEntryInvalid, 1);
}

TEST_F(ReferenceWalkTest, LetsZeroWinOverValidAndOverEveryProtection) {
  for (const uint64_t entry : {uint64_t{0x2}, uint64_t{0x3}, uint64_t{0x8000000000000FFF}}) {
    Put(Target::kVram, kLeaf, entry);
    for (const Access access : {Access::kRead, Access::kWrite, Access::kExecute}) {
      EXPECT_EQ(Walk(kVa, access).fault, Fault::kNone);
      EXPECT_TRUE(Walk(kVa, access).zero);
    }
  }
  Put(Target::kVram, kLevel1, 0x2);
  EXPECT_TRUE(Walk(kVa).zero);
  EXPECT_EQ(Walk(kVa).level, 1u);
}

TEST_F(ReferenceWalkTest, RefusesEveryReservedFormOfALeaf) {
  for (const unsigned bit : {63u, 9u, 5u, 48u, 51u, 52u}) {
    Put(Target::kVram, kLeaf, 0x98765005 | uint64_t{1} << bit);
    ExpectFault(kVa, Fault::kEntryReserved, 0);
  }
  PteEntry peer;
  peer.raw = 0x98765005;
  peer.set_target(Target::kPeer).set_adapter(5);
  Put(Target::kVram, kLeaf, peer.raw);
  EXPECT_EQ(Walk(kVa).gpa, (Gpa{Target::kPeer, 5, 0x98765678}));
}

TEST_F(ReferenceWalkTest, MapsLargePagesAboveTheLeafWhenTheyAreAligned) {
  Put(Target::kVram, kLevel1, 0x40000061);
  EXPECT_EQ(Walk(kVa).gpa, (Gpa{Target::kVram, 0, 0x40145678}));
  Put(Target::kVram, kLevel1, 0x40001061);
  ExpectFault(kVa, Fault::kEntryReserved, 1);
  Put(Target::kVram, kLevel1, 0x40000161);  // contiguous is set in an entry above the leaf
  ExpectFault(kVa, Fault::kEntryReserved, 1);
}

TEST_F(ReferenceWalkTest, RefusesTablesInTheApertureAndInPeers) {
  for (const Target target : {Target::kAperture, Target::kPeer}) {
    PteEntry entry;
    entry.raw = 0x3FC001;
    entry.set_target(target);
    Put(Target::kVram, kLevel1, entry.raw);
    ExpectFault(kVa, Fault::kEntryReserved, 1);
  }
}

TEST_F(ReferenceWalkTest, ProtectsPagesButIgnoresProtectionOnInnerEntries) {
  Put(Target::kVram, kLevel1, 0x3FC059);  // RO and NX are set in an entry that points to a table
  EXPECT_EQ(Walk(kVa, Access::kWrite).fault, Fault::kNone);
  Put(Target::kVram, kLeaf, 0x9876500D);
  ExpectFault(kVa, Fault::kWriteProtect, 0, Access::kWrite);
  EXPECT_EQ(Walk(kVa, Access::kExecute).fault, Fault::kNone);
  Put(Target::kVram, kLeaf, 0x98765015);
  ExpectFault(kVa, Fault::kExecuteProtect, 0, Access::kExecute);
  EXPECT_EQ(Walk(kVa, Access::kWrite).fault, Fault::kNone);
}

TEST_F(ReferenceWalkTest, WalksALeafTableOf64KiBEntriesAndReportsItAsLevel0) {
  Put(Target::kVram, kLevel1, kTable64);
  Put(Target::kVram, kLeaf64, 0x98760005);
  EXPECT_EQ(Walk(kVa).gpa, (Gpa{Target::kSystem, 0, 0x98765678}));
  EXPECT_EQ(Walk(kVa).level, 0u);
  EXPECT_TRUE(Walk(kVa).coherent);
  EXPECT_EQ(Walk(kVa & ~uint64_t{0xFFFF}).gpa.offset, 0x98760000u);
  ExpectFault(kVa + 0x10000, Fault::kEntryInvalid, 0);
  Put(Target::kVram, kLeaf64, 0x9876001D);
  ExpectFault(kVa, Fault::kWriteProtect, 0, Access::kWrite);
  ExpectFault(kVa, Fault::kExecuteProtect, 0, Access::kExecute);
  Put(Target::kVram, kLeaf64, 0x2);
  EXPECT_TRUE(Walk(kVa, Access::kWrite).zero);
  bad_address_ = kLeaf64;
  ExpectFault(kVa, Fault::kTableRead, 0);
}

TEST_F(ReferenceWalkTest, RefusesEveryReservedFormOfA64KiBEntry) {
  Put(Target::kVram, kLevel1, kTable64);
  for (const unsigned bit : {63u, 9u, 8u, 5u, 48u, 52u, 12u, 13u, 14u, 15u}) {
    Put(Target::kVram, kLeaf64, 0x98760005 | uint64_t{1} << bit);
    ExpectFault(kVa, Fault::kEntryReserved, 0);
  }
}

TEST_F(ReferenceWalkTest, RefusesTable64kWhereNo64KiBLeafTableIsNamed) {
  Put(Target::kVram, 0x3FE000, 0x3FD241);  // table_64k in an entry above level 1
  ExpectFault(kVa, Fault::kEntryReserved, 2);
  Put(Target::kVram, 0x3FE000, 0x3FD041);
  Put(Target::kVram, kLevel1, 0x40000261);  // a large page
  ExpectFault(kVa, Fault::kEntryReserved, 1);
  space_.bits[0] = 3;
  space_.bits[1] = 12;  // leaf tables now have 8 entries, too few for 64 KiB pages
  Put(Target::kVram, 0x3FD000 + 8 * (kVa >> 15 & 0xFFF), kTable64);
  Put(Target::kVram, 0x3FE000 + 8 * (kVa >> 27), 0x3FD041);
  ExpectFault(kVa, Fault::kEntryReserved, 1);
}

class DualReferenceWalkTest : public ReferenceWalkTest {
 protected:
  DualReferenceWalkTest() {
    space_.dual = true;
    Put(Target::kVram, 0x3FE000, 0x08000000003F8041);
    Put(Target::kVram, kWord1, kTable64);
  }
  void Map4K() {
    Put(Target::kVram, kWord0, 0x3FC041);
    Put(Target::kVram, kLeaf, 0x55555005);
  }
  static constexpr uint64_t kWord0 = 0x3F8910;
  static constexpr uint64_t kWord1 = 0x3F8918;
};

TEST_F(DualReferenceWalkTest, TranslatesTheDualExampleOfThePage) {
  Put(Target::kVram, kLeaf64, 0x0000000098760005);
  EXPECT_EQ(Walk(kVa).gpa, (Gpa{Target::kSystem, 0, 0x98765678}));
  EXPECT_EQ(reads_, 4u);
  Put(Target::kVram, kLeaf64, 0);
  Map4K();
  reads_ = 0;
  EXPECT_EQ(Walk(kVa).gpa, (Gpa{Target::kSystem, 0, 0x55555678}));
  EXPECT_EQ(reads_, 6u);
}

TEST_F(DualReferenceWalkTest, GoesOnWithWord0OnlyWhereThe64KiBHalfHasNothing) {
  Map4K();
  const uint64_t nothing = 0xFFFFFFFFFFFFFFFCull;
  Put(Target::kVram, kWord1, nothing);
  EXPECT_EQ(Walk(kVa).gpa.offset, 0x55555678u);
  Put(Target::kVram, kWord1, kTable64);
  Put(Target::kVram, kLeaf64, nothing);
  EXPECT_EQ(Walk(kVa).gpa.offset, 0x55555678u);
  Put(Target::kVram, kLeaf64, 0x98761005);
  ExpectFault(kVa, Fault::kEntryReserved, 0);
  Put(Target::kVram, kLeaf64, 0x9876000D);
  ExpectFault(kVa, Fault::kWriteProtect, 0, Access::kWrite);
  Put(Target::kVram, kLeaf64, 0x2);
  EXPECT_TRUE(Walk(kVa).zero);
  EXPECT_EQ(Walk(kVa).level, 0u);
  bad_address_ = kLeaf64;
  ExpectFault(kVa, Fault::kTableRead, 0);
  bad_address_ = kWord1;
  ExpectFault(kVa, Fault::kTableRead, 1);
  bad_address_ = ~uint64_t{0};
  Put(Target::kVram, kWord1, 0x2);
  EXPECT_TRUE(Walk(kVa).zero);
  EXPECT_EQ(Walk(kVa).level, 1u);
}

TEST_F(DualReferenceWalkTest, RefusesWhatDoesNotBelongIntoAHalf) {
  Map4K();
  for (const uint64_t word : {uint64_t{0x3FB041}, uint64_t{0x40000061}, uint64_t{0x40000261}, kTable64 | 0x80}) {
    Put(Target::kVram, kWord1, word);
    ExpectFault(kVa, Fault::kEntryReserved, 1);
  }
  Put(Target::kVram, kWord1, 0);
  Put(Target::kVram, kWord0, kTable64);
  ExpectFault(kVa, Fault::kEntryReserved, 1);
  Put(Target::kVram, kWord0, 0x40000061);
  EXPECT_EQ(Walk(kVa).gpa, (Gpa{Target::kVram, 0, 0x40145678}));
}

TEST_F(DualReferenceWalkTest, ReportsTheFaultOfWord0WhereNeitherHalfMaps) {
  Put(Target::kVram, kWord0, 0x3FC041);
  Put(Target::kVram, kLeaf, 0);
  ExpectFault(kVa, Fault::kEntryInvalid, 0);
  Put(Target::kVram, kWord0, 0);
  ExpectFault(kVa, Fault::kEntryInvalid, 1);
  bad_address_ = kWord0;
  ExpectFault(kVa, Fault::kTableRead, 1);
}

TEST_F(DualReferenceWalkTest, NeedsRoomForPairsAndA64KiBLeafTable) {
  space_.bits[1] = 13;
  ExpectFault(kVa, Fault::kSpaceDisabled, 3);
  space_.bits[1] = 12;
  space_.bits[0] = 3;
  ExpectFault(kVa, Fault::kSpaceDisabled, 3);
}

TEST_F(DualReferenceWalkTest, CountsPairsInARootOfLevel1) {
  space_.levels = 2;
  space_.root_entries = 3;
  Put(Target::kVram, 0x3FF000 + 16 * 2 + 8, kTable64);
  Put(Target::kVram, kLeaf64, 0x98760005);
  EXPECT_EQ(Walk((uint64_t{2} << 21) + 0x145678).gpa.offset, 0x98765678u);
  ExpectFault(uint64_t{3} << 21, Fault::kRootBound, 1);
}

TEST_F(ReferenceWalkTest, WalksTwoLevelsWithUnevenBits) {
  space_.levels = 2;
  space_.bits = {13, 7, 0, 0, 0, 0};
  space_.root_entries = 128;
  Put(Target::kVram, 0x3FF000 + 8 * 9, 0x500041);
  Put(Target::kVram, 0x500000 + 8 * 0x345, 0x0123456789000001);  // page bits above 36
  const uint64_t va = (uint64_t{9} << 25) | (uint64_t{0x345} << 12) | 0xABC;
  ExpectFault(va, Fault::kEntryReserved, 0);
  Put(Target::kVram, 0x500000 + 8 * 0x345, 0x6789001);
  EXPECT_EQ(Walk(va).gpa, (Gpa{Target::kSystem, 0, 0x6789ABC}));
  ExpectFault(uint64_t{1} << 32, Fault::kVaRange, 1);
}

TEST(SpaceConfig, ReadsItsFieldsFromTheRegisters) {
  regs::SpaceGeometry geometry;
  geometry.set_levels(3).set_bits0(13).set_bits1(11).set_bits2(3).set_root_entries(8).set_dual(1);
  regs::SpaceRoot root;
  root.set_address(0x7000).set_target(Target::kVram).set_enable(1);
  const SpaceConfig space = SpaceConfig::FromRegisters(geometry.raw, root.raw);
  EXPECT_TRUE(space.enable);
  EXPECT_EQ(space.levels, 3u);
  EXPECT_EQ(space.Shift(3), 39u);
  EXPECT_EQ(space.root_address, 0x7000u);
  EXPECT_EQ(space.root_target, Target::kVram);
  EXPECT_EQ(space.root_entries, 8u);
  EXPECT_TRUE(space.dual);
  EXPECT_NE(space, SpaceConfig::FromRegisters(geometry.set_dual(0).raw, root.raw));
}

}  // namespace
}  // namespace gmmu::sim
