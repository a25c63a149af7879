// SPDX-License-Identifier: Apache-2.0
// Tests the MMU with leaf tables of 64 KiB entries and with dual entries at level 1: each rule of
// docs/page-tables.md, what is cached, and the cost of such walks.
#include <iostream>

#include "mmu_test.h"

namespace gmmu::bench {
namespace {

constexpr uint64_t kTable64 = 0x3fb000, kEntry64 = kTable64 + 0xa0;  // kVa's entry has index 0x14
constexpr uint64_t kBlock = kVa & ~uint64_t{0xffff};

uint64_t Table(uint64_t address, bool k64) {
  return PteEntry{}.set_valid(1).set_target(Target::kVram).set_table_64k(k64).set_page(address >> 12).raw;
}

/// In this fixture, level 1 points to a 64 KiB leaf table that maps the block of kVa.
class Mmu64KTest : public MmuTest {
 protected:
  Mmu64KTest() {
    Put(kLevel1 + 0x488, Table(kTable64, true));
    Put(kEntry64, Page(0x98760000) | 4);
  }
  /// Returns the cycles of a lookup without other traffic.
  uint64_t Cycles(uint64_t va) {
    const Answer answer = machine_.Translate({0, 1, va, Access::kRead});
    EXPECT_EQ(answer.result.fault, Fault::kNone);
    return answer.answered - answer.accepted;
  }
};

TEST_F(Mmu64KTest, AnEntryServesItsWholeBlock) {
  const sim::Translation result = At(kVa);
  EXPECT_EQ(result.gpa.offset, 0x98765678u);
  EXPECT_TRUE(result.coherent);
  EXPECT_EQ(Reads(), 4u);
  for (unsigned page = 0; page < 16; ++page) {
    EXPECT_EQ(At(kBlock + page * 0x1000, Access::kRead, 1, page % 5).gpa.offset, 0x98760000 + page * 0x1000);
  }
  EXPECT_EQ(Reads(), 4u);
}

TEST_F(Mmu64KTest, TheWalkCacheKnowsItsTable) {
  At(kVa);
  Put(kEntry64 + 8, Page(0x55550000));
  EXPECT_EQ(At(kVa + 0x10000).gpa.offset, 0x55555678u);
  EXPECT_EQ(Reads(), 5u);
  Put(kEntry64 + 16, PteEntry{}.set_zero(1).raw);
  EXPECT_TRUE(At(kVa + 0x20000, Access::kWrite).zero);
  EXPECT_TRUE(At(kVa + 0x20000 - 0x5000, Access::kWrite).zero);
  EXPECT_EQ(Reads(), 6u);
}

TEST_F(Mmu64KTest, FaultsReportLevel0) {
  Put(kEntry64, 0xfffffffffffffffcull);
  ExpectFault(Fault::kEntryInvalid, 0, kVa);
  for (const unsigned bit : {63u, 9u, 8u, 5u, 48u, 51u, 52u, 12u, 13u, 14u, 15u}) {
    Put(kEntry64, Page(0x98760000) | uint64_t{1} << bit);
    ExpectFault(Fault::kEntryReserved, 0, kVa);
  }
  Put(kEntry64, Page(0x98760000) | 0x18);
  ExpectFault(Fault::kWriteProtect, 0, kVa, Access::kWrite);
  ExpectFault(Fault::kExecuteProtect, 0, kVa, Access::kExecute);
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
  machine_.memory.Poison({static_cast<int>(Target::kVram), kEntry64 + 8});
  ExpectFault(Fault::kTableRead, 0, kVa + 0x10000);
}

TEST_F(Mmu64KTest, AnEntryThatBecomesValidNeedsNoFlush) {
  Put(kEntry64, 0);
  ExpectFault(Fault::kEntryInvalid, 0, kVa);
  Put(kEntry64, Page(0x98760000));
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
}

TEST_F(Mmu64KTest, NamingOneIsReservedElsewhere) {
  Put(kLevel2, Table(kLevel1, true));
  ExpectFault(Fault::kEntryReserved, 2, kVa);
  Put(kLevel2, Table(kLevel1, false));
  Put(kLevel1 + 0x488, Page(0x40000000) | 0x220);  // an illegal large page with table_64k set
  ExpectFault(Fault::kEntryReserved, 1, kVa);
  for (const uint64_t odd :
       {uint64_t{1} << 63, uint64_t{1} << 48, uint64_t{1} << 52, uint64_t{0x100}, uint64_t{0x80}}) {
    Put(kLevel1 + 0x488, Table(kTable64, true) ^ odd);
    ExpectFault(Fault::kEntryReserved, 1, kVa);
  }
}

TEST_F(Mmu64KTest, ALeafTableOfEightEntriesHasNoRoomForIt) {
  config_.bits = {3, 12, 9, 9, 0, 0};
  SetSpace(1, config_);
  Put(kLevel2 + (kVa >> 27) * 8, Table(kLevel1, false));
  Put(kLevel1 + (kVa >> 15 & 0xfff) * 8, Table(kTable64, true));
  ExpectFault(Fault::kEntryReserved, 1, kVa);
  config_.bits = {4, 11, 9, 9, 0, 0};  // a leaf table with a single 64 KiB entry
  SetSpace(1, config_);
  Put(kLevel1 + (kVa >> 16 & 0x7ff) * 8, Table(kTable64, true));
  Put(kTable64, Page(0x98760000));
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
}

TEST_F(Mmu64KTest, ARangeOfOnePageDropsIt) {
  At(kVa);
  Put(kEntry64, Page(0x11110000));
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
  Flush(Scope::kRange, 1, kBlock + 0x10000, kBlock + 0x20000);
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
  Flush(Scope::kRange, 1, kVa & ~uint64_t{0xfff}, (kVa & ~uint64_t{0xfff}) + 1);
  EXPECT_EQ(At(kVa).gpa.offset, 0x11115678u);
}

TEST_F(Mmu64KTest, LookupsOfALineTakeOneWalk) {
  machine_.manners.latency = 100;
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned page = 0; page < 8; ++page) {
      machine_.Post({page % 5, 1, kBlock + round * 0x20000 + page * 0x1000, Access::kRead});
    }
    Put(kEntry64 + round * 16, Page(0x98760000 + round * 0x100000));
    ASSERT_TRUE(machine_.Run(10000));
  }
  // The first miss of a line may still walk for its page alone, so the three lines take up to 6
  // walks.
  EXPECT_LE(machine_.counts.walks, 6u);
  EXPECT_EQ(machine_.TakeAnswers().size(), 24u);
}

TEST_F(Mmu64KTest, FiguresOfItsWalks) {
  machine_.manners.latency = 50;
  config_.levels = 3;
  config_.root_address = kLevel2;
  SetSpace(1, config_);
  const uint64_t cold = Cycles(kVa);
  std::cout << "64 KiB entries, cold walk, 3 reads: 3L + " << cold - 150 << '\n';
  Put(kEntry64 + 8, Page(0x98760000));
  const uint64_t warm = Cycles(kVa + 0x10000);
  std::cout << "64 KiB entries, walk-cache hit: L + " << warm - 50 << '\n';
  EXPECT_LE(cold, 150u + 23);
  EXPECT_LE(warm, 50u + 15);
}

/// The dual space of the example in docs/page-tables.md. Both halves of kVa's pair point to a leaf
/// table. The 64 KiB table maps the block of kVa, and the 4 KiB table maps the page at kVa +
/// 0x10000.
class MmuDualTest : public Mmu64KTest {
 protected:
  static constexpr uint64_t kPairs = 0x3f8000, kWord0 = kPairs + 0x910, kWord1 = kWord0 + 8;
  MmuDualTest() {
    config_.dual = true;
    Put(kLevel2, Table(kPairs, false));
    Put(kWord0, Table(kLeaf, false));
    Put(kWord1, Table(kTable64, true));
    Put(kLeaf + 0xa28, 0);
    Put(kLeaf + 0xaa8, Page(0x55555000));
    SetSpace(1, config_);
  }
  static constexpr uint64_t kOther = kVa + 0x10000;
};

TEST_F(MmuDualTest, TranslatesTheExampleOfThePage) {
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
  EXPECT_EQ(Reads(), 4u);
}

TEST_F(MmuDualTest, BothKindsOfPagesLieSideBySide) {
  EXPECT_EQ(At(kOther).gpa.offset, 0x55555678u);
  // Four reads lead to the empty 64 KiB entry; two more read word 0 and the 4 KiB entry.
  EXPECT_EQ(Reads(), 6u);
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
  EXPECT_EQ(Reads(), 7u);
  Put(kLeaf + 0xaa8 + 0x80, Page(0x66666000));
  EXPECT_EQ(At(kOther + 0x10000).gpa.offset, 0x66666678u);
  // The pointers to both tables are cached, so only the two leaf entries are read.
  EXPECT_EQ(Reads(), 9u);
}

TEST_F(MmuDualTest, EachHalfMayBecomeValidWithoutAFlush) {
  Put(kWord0, 0);
  Put(kWord1, 0);
  ExpectFault(Fault::kEntryInvalid, 1, kOther);
  Put(kWord1, Table(kTable64, true));
  ExpectFault(Fault::kEntryInvalid, 1, kOther);
  Put(kWord0, Table(kLeaf, false));
  Put(kLeaf + 0xaa8, 0);
  ExpectFault(Fault::kEntryInvalid, 0, kOther);
  Put(kLeaf + 0xaa8, Page(0x55555000));
  EXPECT_EQ(At(kOther).gpa.offset, 0x55555678u);
  ExpectFault(Fault::kEntryInvalid, 0, kOther + 0x10000);
  Put(kEntry64 + 16, Page(0x77770000));
  EXPECT_EQ(At(kOther + 0x10000).gpa.offset, 0x77775678u);
}

TEST_F(MmuDualTest, SixteenPagesTurnIntoOneAndBack) {
  EXPECT_EQ(At(kOther).gpa.offset, 0x55555678u);
  Put(kLeaf + 0xaa8, 0);
  Flush(Scope::kRange, 1, kBlock + 0x10000, kBlock + 0x20000);
  Put(kEntry64 + 8, Page(0x12340000));
  EXPECT_EQ(At(kOther).gpa.offset, 0x12345678u);
  Put(kEntry64 + 8, 0);
  Flush(Scope::kRange, 1, kBlock + 0x10000, kBlock + 0x20000);
  Put(kLeaf + 0xaa8, Page(0x55555000));
  EXPECT_EQ(At(kOther).gpa.offset, 0x55555678u);
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
}

TEST_F(MmuDualTest, WhatThe64KiBHalfSaysHolds) {
  // Software must not map a page twice. If it does, the 64 KiB entry has priority.
  Put(kLeaf + 0xa28, Page(0x44444000));
  Put(kEntry64, Page(0x98761000));
  ExpectFault(Fault::kEntryReserved, 0, kVa);
  for (const uint64_t word : {Table(kTable64, false), Page(0x40000000) | 0x20, Page(0x40000000) | 0x220,
                              Table(kTable64, true) | 0x80, Table(kTable64, true) | 0x100}) {
    Put(kWord1, word);
    Flush(Scope::kSpace, 1);
    ExpectFault(Fault::kEntryReserved, 1, kVa);
  }
  Put(kWord1, 2);
  EXPECT_TRUE(At(kVa).zero);
  EXPECT_TRUE(At(kOther, Access::kWrite).zero);
  machine_.memory.Poison({static_cast<int>(Target::kVram), kWord1 + 16});
  ExpectFault(Fault::kTableRead, 1, kVa + 0x200000);
  machine_.memory.Poison({static_cast<int>(Target::kVram), kEntry64 + 0x18});
  Put(kWord1, Table(kTable64, true));
  Flush(Scope::kSpace, 1);
  ExpectFault(Fault::kTableRead, 0, kVa + 0x30000);
}

TEST_F(MmuDualTest, The4KiBHalfIsASingleEntryOfItsOwn) {
  Put(kWord1, 0);
  Put(kWord0, Table(kTable64, true));
  ExpectFault(Fault::kEntryReserved, 1, kVa);
  Put(kWord0, Page(0x40000000) | 0x20);
  EXPECT_EQ(At(kVa).gpa.offset, 0x40145678u);
  Flush(Scope::kSpace, 1);
  Put(kWord0, 2);
  EXPECT_TRUE(At(kVa).zero);
}

TEST_F(MmuDualTest, ARootOfLevel1CountsPairs) {
  config_.levels = 2;
  config_.root_address = kPairs;
  config_.root_entries = 0x92;
  SetSpace(1, config_);
  EXPECT_EQ(At(kVa).gpa.offset, 0x98765678u);
  EXPECT_EQ(At(kOther).gpa.offset, 0x55555678u);
  ExpectFault(Fault::kRootBound, 1, kVa + 0x200000);
}

TEST_F(MmuDualTest, NeedsRoomForPairsAndForA64KiBLeafTable) {
  machine_.check = false;
  for (const auto& bits : {std::array<uint8_t, 6>{9, 13, 5, 9, 0, 0}, std::array<uint8_t, 6>{3, 12, 9, 9, 0, 0}}) {
    config_.bits = bits;
    SetSpace(1, config_);
    EXPECT_EQ(At(kVa).fault, Fault::kSpaceDisabled);
  }
  EXPECT_EQ(Reads(), 0u);
}

TEST_F(MmuDualTest, AWalkThatIsOvertakenBetweenTheHalvesLooksAtBothAgain) {
  machine_.manners.latency = 100;
  machine_.Post({0, 1, kOther, Access::kRead});
  while (Reads() < 5) machine_.Step();  // until word 0 is being read
  Put(kLeaf + 0xaa8, 0);
  Put(kWord0, 0);
  Put(kEntry64 + 8, Page(0x12340000));
  Flush(Scope::kSpace, 1);
  ASSERT_TRUE(machine_.Run(10000));
  const std::vector<Answer> answers = machine_.TakeAnswers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].result.gpa.offset, 0x12345678u);
  EXPECT_EQ(machine_.counts.walks_redone, 1u);
}

TEST_F(MmuDualTest, FiguresOfItsWalks) {
  machine_.manners.latency = 50;
  config_.levels = 3;
  config_.root_address = kLevel2;
  SetSpace(1, config_);
  const uint64_t wide = Cycles(kVa);
  std::cout << "dual, 64 KiB page, cold walk, 3 reads: 3L + " << wide - 150 << '\n';
  const uint64_t cold = Cycles(kOther);
  std::cout << "dual, 4 KiB page, the 64 KiB table in the walk cache, 3 reads: 3L + " << cold - 150 << '\n';
  Put(kLeaf + 0xaa8 + 0x80, Page(0x66666000));
  const uint64_t warm = Cycles(kOther + 0x10000);
  std::cout << "dual, 4 KiB page, both tables in the walk cache, 2 reads: 2L + " << warm - 100 << '\n';
  EXPECT_LE(wide, 150u + 23);
  EXPECT_LE(cold, 150u + 24);
  EXPECT_LE(warm, 100u + 18);
}

}  // namespace
}  // namespace gmmu::bench
