// SPDX-License-Identifier: Apache-2.0
// Tests the rules in section "64 KB pages" of the GPU virtual address documentation, one by one.
// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/tables/page_size_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/base/bug_check.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kLeaf = 2 << 20;  // bytes that a leaf table maps
constexpr uint64_t kSlot = 5;        // index of the leaf table under test
constexpr uint64_t kVa = kSlot * kLeaf;

DXGK_PTE Valid(bool large_table = false) {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.PageTablePageSize = large_table ? DXGK_PTE_PAGE_TABLE_PAGE_64KB : DXGK_PTE_PAGE_TABLE_PAGE_4KB;
  return entry;
}

class Rule11PageSizeChecker : public ::testing::Test {
 protected:
  explicit Rule11PageSizeChecker(bool dual = false) {
    geometry_.levels.assign(4, LevelDescriptor{9, 2, 2, 4096, 0});
    geometry_.va_bits = 48;
    geometry_.leaf_64k_bytes = 4096;
    geometry_.dual = dual;
  }
  /// Writes `count` entries, starting at `first`, all valid or all invalid.
  void Leaf(bool use_64k, uint64_t first, uint64_t count, bool valid) {
    TableUpdate update;
    update.use_64k = use_64k;
    update.start = first;
    update.count = count;
    update.first_va = kVa + first * (use_64k ? 65536 : 4096);
    update.entries.assign(count, valid ? Valid() : DXGK_PTE{});
    order_.Note(update);
  }
  void Level1(const DXGK_PTE& entry, const DXGK_PTE& entry_64k = {}) {
    TableUpdate update;
    update.level = 1;
    update.start = kSlot;
    update.count = 1;
    update.first_va = kVa;
    update.entries = {entry};
    if (geometry_.dual) update.entries_64k = {entry_64k};
    order_.Note(update);
  }
  /// Returns the message for the rule that `work` breaks, or "" if it breaks none.
  template <typename Work>
  std::string Broken(Work work) {
    try {
      work();
    } catch (const BugCheck& stop) {
      return stop.what();
    }
    return "";
  }
  /// Sets up a leaf table of 64 KiB entries, two of them in use.
  void Start64k() {
    Leaf(true, 0, 32, false);
    Level1(Valid(true));
    Leaf(true, 3, 2, true);
  }
  Geometry geometry_;
  PageSizeChecker order_{geometry_, 1u << 2, "process"};
};

// Tests the rule in section "physical page size" of the GPU virtual address documentation.
TEST_F(Rule11PageSizeChecker, APageOfASegmentOf64KiBPagesHasTheLow16BitsOfItsAddress) {
  int allocation = 0;
  const auto put = [&](uint64_t at, unsigned segment, uint64_t page, HANDLE of) {
    return Broken([&] {
      TableUpdate update;
      update.start = at;
      update.count = 1;
      update.first_va = kVa + at * 4096;
      DXGK_PTE entry{};
      entry.Valid = 1;
      entry.Segment = segment;
      entry.PageAddress = page;
      update.entries = {entry};
      update.allocation = of;
      order_.Note(update);
    });
  };
  EXPECT_EQ(put(3, 2, 0x513, &allocation), "");
  EXPECT_THAT(put(3, 2, 0x512, &allocation), ::testing::HasSubstr("in the low 16 bits"));
  EXPECT_EQ(put(3, 1, 0x512, &allocation), "") << "a segment of 4 KiB pages";
  EXPECT_EQ(put(3, 0, 0x512, &allocation), "") << "system memory";
  EXPECT_EQ(put(3, 2, 0x512, nullptr), "") << "a page table, as build 26100 shows one";
}

TEST_F(Rule11PageSizeChecker, AConversionWritesLevel0ThenLevel1WhileContextsAreSuspended) {
  Start64k();
  order_.Begin(LeafChange::kConversion);
  order_.set_suspended(true);
  Leaf(false, 0, 512, false);
  Leaf(false, 3 * 16, 32, true);
  EXPECT_EQ(Broken([&] { Level1(Valid()); }), "");
  order_.End();
  order_.set_suspended(false);
  EXPECT_EQ(Broken([&] { Leaf(false, 7, 1, true); }), "");
}

TEST_F(Rule11PageSizeChecker, AConversionWhileContextsRunIsBroken) {
  Start64k();
  EXPECT_THAT(Broken([&] { Leaf(false, 0, 512, false); }), HasSubstr("while contexts run"));
  EXPECT_THAT(Broken([&] { Level1(Valid()); }), HasSubstr("while contexts run"));
}

TEST_F(Rule11PageSizeChecker, Level1BeforeTheEntriesOfLevel0IsBroken) {
  Start64k();
  order_.Begin(LeafChange::kConversion);
  order_.set_suspended(true);
  Leaf(false, 0, 512, false);
  Leaf(false, 3 * 16, 31, true);  // leaves one valid page unwritten
  EXPECT_THAT(Broken([&] { Level1(Valid()); }), HasSubstr("before its entries are written"));
}

TEST_F(Rule11PageSizeChecker, Level0BehindLevel1IsBroken) {
  Start64k();
  order_.Begin(LeafChange::kConversion);
  order_.set_suspended(true);
  Leaf(false, 3 * 16, 32, true);
  Level1(Valid());
  EXPECT_THAT(Broken([&] { Leaf(false, 0, 1, true); }), HasSubstr("must be last"));
}

TEST_F(Rule11PageSizeChecker, ThereIsNoWayBackTo64KiB) {
  Leaf(false, 0, 512, false);
  Level1(Valid());
  EXPECT_THAT(Broken([&] { Level1(Valid(true)); }), HasSubstr("goes back"));
  Level1(DXGK_PTE{});  // frees the table; the next one may have another page size
  EXPECT_EQ(Broken([&] { Level1(Valid(true)); }), "");
}

class Rule11PageSizeCheckerDual : public Rule11PageSizeChecker {
 protected:
  Rule11PageSizeCheckerDual() : Rule11PageSizeChecker(true) { Level1(Valid(), Valid(true)); }
};

TEST_F(Rule11PageSizeCheckerDual, ABlockHasA64KiBEntryOr4KiBEntriesNeverBoth) {
  Leaf(true, 3, 1, true);
  Leaf(false, 4 * 16, 1, true);  // another block
  EXPECT_THAT(Broken([&] { Leaf(false, 3 * 16 + 7, 1, true); }),
              HasSubstr("a 4 KiB entry for a block with a 64 KiB entry"));
  EXPECT_THAT(Broken([&] { Leaf(true, 4, 1, true); }), HasSubstr("a 64 KiB entry for a block with 4 KiB entries"));
  EXPECT_EQ(Broken([&] { Leaf(false, 3 * 16, 16, false); }), "");
}

TEST_F(Rule11PageSizeCheckerDual, BetweenTheTwoKindsTheBlockIsFlushed) {
  Leaf(true, 3, 1, true);
  Leaf(true, 3, 1, false);
  EXPECT_THAT(Broken([&] { Leaf(false, 3 * 16, 16, true); }), HasSubstr("not flushed"));
  order_.NoteFlush(kVa + 3 * 65536, kVa + 4 * 65536);
  EXPECT_EQ(Broken([&] { Leaf(false, 3 * 16, 16, true); }), "");
  Leaf(false, 3 * 16, 16, false);
  order_.NoteFlush(kVa + 3 * 65536, kVa + 4 * 65536 - 4096);  // omits the last page
  EXPECT_THAT(Broken([&] { Leaf(true, 3, 1, true); }), HasSubstr("not flushed"));
  order_.NoteFlush(0, 0);
  EXPECT_EQ(Broken([&] { Leaf(true, 3, 1, true); }), "");
}

TEST_F(Rule11PageSizeCheckerDual, OfAMoveLevel1IsTheLast) {
  Leaf(true, 3, 1, true);
  order_.Begin(LeafChange::kMove);
  Leaf(true, 3, 1, false);
  order_.NoteFlush(0, 0);
  Level1(Valid(), Valid(true));
  EXPECT_THAT(Broken([&] { Leaf(false, 3 * 16, 16, true); }), HasSubstr("must be last"));
}

}  // namespace
}  // namespace gmmu::os
