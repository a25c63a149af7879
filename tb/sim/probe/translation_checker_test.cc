// SPDX-License-Identifier: Apache-2.0
#include "probe/translation_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "hw/gmmu_regs.h"

namespace gmmu::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A GPU's VRAM with a two-level space 1: the root is at 0x1000, the leaf table at 0x2000, and pages map
/// VRAM.
class TranslationCheckerTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kRoot = 0x1000, kLeaf = 0x2000;
  static constexpr unsigned kSpace = 1;

  TranslationCheckerTest() {
    Put(kRoot, Table(kLeaf));
    for (uint64_t page = 0; page < 8; ++page) Put(kLeaf + page * 8, Page(0x10000 + page * 0x1000));
    SetSpace(kRoot);
    Flush();
  }

  static uint64_t Table(uint64_t address, regs::Target target = regs::Target::kVram) {
    regs::PteEntry entry;
    return entry.set_valid(1).set_target(target).set_page(address >> 12).raw;
  }
  static uint64_t Page(uint64_t address) { return Table(address); }

  void Put(uint64_t address, uint64_t word) { ASSERT_TRUE(vram_.Write(address, &word, sizeof word)); }
  void Register(uint32_t offset, uint64_t value) {
    checker_.RegisterWritten(regs::kSpaceBase + kSpace * regs::kSpaceStride + offset, value, 0xFF);
  }
  void SetSpace(uint64_t root, regs::Target target = regs::Target::kVram) {
    regs::SpaceGeometry geometry;
    geometry.set_levels(2).set_bits0(9).set_bits1(9).set_root_entries(512);
    regs::SpaceRoot where;
    where.set_address(root).set_target(target).set_enable(1);
    Register(regs::SpaceGeometry::kOffset, geometry.raw);
    Register(regs::SpaceRoot::kOffset, where.raw);
  }
  void Flush() { checker_.Invalidated({regs::Scope::kSpace, kSpace, 0, 0}); }

  TranslationEvent Answer(uint64_t va, uint64_t offset) {
    TranslationEvent event;
    event.space = kSpace;
    event.va = va;
    event.gpa.target = regs::Target::kVram;
    event.gpa.offset = offset;
    return event;
  }
  void Answered(const TranslationEvent& event) { checker_.Answered(++cycle_, event); }

  VramCore vram_{1 << 20};
  std::map<uint64_t, uint64_t> host_;
  TranslationChecker checker_{4, vram_, [this](uint64_t address) -> std::optional<uint64_t> {
                                const auto word = host_.find(address);
                                return word == host_.end() ? std::nullopt : std::optional<uint64_t>(word->second);
                              }};
  uint64_t cycle_ = 0;
};

TEST_F(TranslationCheckerTest, AgreesWithTheTablesAsTheyAre) {
  Answered(Answer(0x3010, 0x13010));
  Answered(Answer(0x3018, 0x13018));
  EXPECT_THAT(checker_.findings(), IsEmpty());
}

TEST_F(TranslationCheckerTest, ReportsAWrongPageWithWhoWhereAndWhatWasRight) {
  Answered(Answer(0x3010, 0x14010));
  ASSERT_THAT(checker_.findings(), SizeIs(1));
  EXPECT_EQ(checker_.findings()[0].probe, "translation");
  EXPECT_THAT(checker_.findings()[0].text,
              AllOf(HasSubstr("0x3010"), HasSubstr("space 1"), HasSubstr("0x14010"), HasSubstr("0x13010")));
}

TEST_F(TranslationCheckerTest, AcceptsAnOldTranslationUntilTheFlush) {
  Answered(Answer(0x3000, 0x13000));
  Put(kLeaf + 3 * 8, Page(0x20000));
  Answered(Answer(0x3000, 0x13000));
  Answered(Answer(0x3000, 0x20000));
  EXPECT_THAT(checker_.findings(), IsEmpty());
  Flush();
  Answered(Answer(0x3000, 0x20000));
  EXPECT_THAT(checker_.findings(), IsEmpty());
  Answered(Answer(0x3000, 0x13000));
  EXPECT_THAT(checker_.findings(), SizeIs(1));
}

TEST_F(TranslationCheckerTest, DemandsNewTranslationsFromTheMomentThatSoftwareBelievesInAFlush) {
  Answered(Answer(0x3000, 0x13000));
  Put(kLeaf + 3 * 8, Page(0x20000));
  checker_.NoteFlush(kSpace, 0x4000, 0x5000);
  Answered(Answer(0x3000, 0x13000));
  EXPECT_THAT(checker_.findings(), IsEmpty());
  checker_.NoteFlush(kSpace, 0x3000, 0x4000);
  Answered(Answer(0x3000, 0x13000));
  EXPECT_THAT(checker_.findings(), SizeIs(1));
}

TEST_F(TranslationCheckerTest, KnowsTheChangesOfATableThatNobodyHadWalked) {
  Put(kLeaf + 5 * 8,
      Page(0x30000));  // the GPU may have read the old word before this write and respond only now
  Answered(Answer(0x5000, 0x15000));
  EXPECT_THAT(checker_.findings(), IsEmpty());
}

TEST_F(TranslationCheckerTest, AcceptsEveryStateOfTheWindowAndNoOther) {
  for (const uint64_t page : {0x40000, 0x41000, 0x42000}) Put(kLeaf, Page(page));
  for (const uint64_t page : {0x10000, 0x40000, 0x41000, 0x42000}) Answered(Answer(0, page));
  EXPECT_THAT(checker_.findings(), IsEmpty());
  Answered(Answer(0, 0x43000));
  EXPECT_THAT(checker_.findings(), SizeIs(1));
}

TEST_F(TranslationCheckerTest, AcceptsTheOldRootUntilItsFlushIsDone) {
  Put(0x5000, Table(0x6000));
  Put(0x6000, Page(0x50000));
  Flush();
  Answered(Answer(0, 0x10000));
  SetSpace(0x5000);
  Answered(Answer(0, 0x10000));
  Answered(Answer(0, 0x50000));
  EXPECT_THAT(checker_.findings(), IsEmpty());
  Flush();
  Answered(Answer(0, 0x10000));
  EXPECT_THAT(checker_.findings(), SizeIs(1));
}

TEST_F(TranslationCheckerTest, TakesRegistersInHalves) {
  regs::SpaceRoot where;
  where.set_address(0x5000).set_target(regs::Target::kVram).set_enable(1);
  Put(0x5000, Table(0x6000));
  Put(0x6000, Page(0x50000));
  const uint32_t offset = regs::kSpaceBase + kSpace * regs::kSpaceStride + regs::SpaceRoot::kOffset;
  checker_.RegisterWritten(offset, where.raw & 0xFFFFFFFF, 0x0F);
  Answered(Answer(0, 0x10000));
  checker_.RegisterWritten(offset, where.raw & 0xFFFFFFFF00000000, 0xF0);
  Flush();
  Answered(Answer(0, 0x50000));
  EXPECT_THAT(checker_.findings(), IsEmpty());
}

TEST_F(TranslationCheckerTest, ComparesFaultsAndZeroPages) {
  TranslationEvent fault = Answer(0x100000, 0);
  fault.fault = regs::Fault::kEntryInvalid;
  fault.level = 0;
  Answered(fault);
  regs::PteEntry zero;
  Put(kLeaf + 7 * 8, zero.set_zero(1).raw);
  Flush();
  TranslationEvent empty = Answer(0x7000, 0);
  empty.zero = true;
  Answered(empty);
  TranslationEvent disabled = Answer(0, 0);
  disabled.space = 2;
  disabled.fault = regs::Fault::kSpaceDisabled;
  Answered(disabled);
  EXPECT_THAT(checker_.findings(), IsEmpty());
  fault.va = 0x6000;
  Answered(fault);
  EXPECT_THAT(checker_.findings(), SizeIs(1));
}

TEST_F(TranslationCheckerTest, FollowsTablesInHostMemory) {
  host_[0x8000] = Table(0x9000, regs::Target::kSystem);
  host_[0x9000] = Page(0x60000);
  SetSpace(0x8000, regs::Target::kSystem);
  Flush();
  Answered(Answer(0, 0x60000));
  host_[0x9000] = Page(0x61000);
  Answered(Answer(0, 0x61000));
  Answered(Answer(0, 0x60000));
  EXPECT_THAT(checker_.findings(), IsEmpty());
  Flush();
  Answered(Answer(0, 0x60000));
  EXPECT_THAT(checker_.findings(), SizeIs(1));
}

TEST_F(TranslationCheckerTest, WalksARepeatedPageOnce) {
  for (unsigned i = 0; i < 100; ++i) Answered(Answer(0x3000 + 8 * i, 0x13000 + 8 * i));
  Put(0x80000, 1);  // not a table
  Answered(Answer(0x3000, 0x13000));
  std::map<std::string, uint64_t> counts;
  for (const hw::Counter& counter : checker_.Counters()) counts[counter.name] = counter.value;
  EXPECT_EQ(counts["walks"], 1u);
  EXPECT_EQ(counts["answers"], 101u);
}

}  // namespace
}  // namespace gmmu::sim
