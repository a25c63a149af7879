// SPDX-License-Identifier: Apache-2.0
#include "kmd/build/entry_format.h"

#include <gtest/gtest.h>

namespace gmmu::kmd {
namespace {

DXGK_PTE Pte(uint64_t flags, uint64_t page) {
  DXGK_PTE pte{};
  pte.Flags = flags;
  pte.PageAddress = page;
  return pte;
}

// Bits of DXGK_PTE's first word.
constexpr uint64_t kValid = 1, kZero = 2, kCoherent = 4, kReadOnly = 8, kNoExecute = 16, kLarge = 1 << 10;
constexpr uint64_t Segment(uint64_t id) { return id << 5; }
constexpr uint64_t PeerIndex(uint64_t index) { return index << 11; }

struct Row {
  const char* name;
  uint64_t flags;
  uint64_t page;
  uint32_t level;
  bool contiguous;
  uint64_t expected;
};

TEST(EntryFormat, GivesTheHardwareEntryOfEachForm) {
  const Row rows[] = {
      {"the page of docs/page-tables.md, table", kValid | Segment(2), 0x3FE, 3, false, 0x08000000003FE041},
      {"the page of docs/page-tables.md, leaf", kValid | kCoherent, 0x98765, 0, false, 0x0000000098765005},
      {"invalid", Segment(2) | kReadOnly, 0x1234, 0, false, 0},
      {"zero with valid", kValid | kZero, 0, 0, false, 3},
      {"zero without valid", kZero | kReadOnly | Segment(9), 0x55, 2, false, 2},
      {"read only, no execute", kValid | kReadOnly | kNoExecute, 1, 0, false, 0x1019},
      {"aperture page", kValid | Segment(1), 7, 0, false, uint64_t{1} << 58 | 0x7081},
      {"contiguous", kValid | Segment(2), 0x10, 0, true, uint64_t{2} << 58 | 0x10141},
      {"contiguous means nothing above the leaf", kValid | Segment(2), 0x10, 1, true, uint64_t{2} << 58 | 0x10041},
      {"large page", kValid | kLarge | kReadOnly | Segment(2), 0x200, 1, false, uint64_t{2} << 58 | 0x200069},
      {"large page in system memory", kValid | kLarge, 0x40000, 2, false, 0x40000021},
      {"attributes of an inner entry are dropped", kValid | kReadOnly | kNoExecute | Segment(2), 3, 1, false,
       uint64_t{2} << 58 | 0x3041},
      {"peer", kValid | Segment(2) | PeerIndex(5), 9, 0, false, uint64_t{2} << 58 | uint64_t{5} << 52 | 0x90C1},
      {"last page number", kValid, 0xFFFFFFFFF, 0, false, 0x0000FFFFFFFFF001},
  };
  for (const Row& row : rows) {
    regs::PteEntry entry;
    ASSERT_TRUE(ToHardware(Pte(row.flags, row.page), row.level, EntryForm::kPlain, row.contiguous, &entry)) << row.name;
    EXPECT_EQ(entry.raw, row.expected) << row.name << std::hex << " got " << entry.raw;
  }
}

TEST(EntryFormat, RefusesWhatTheHardwareHasNoFormForAndChangesNothing) {
  const Row rows[] = {
      {"large page at the leaf level", kValid | kLarge, 1, 0, false, 0},
      {"unknown segment", kValid | Segment(3), 1, 0, false, 0},
      {"segment 31", kValid | Segment(31), 1, 0, false, 0},
      {"page number of 37 bits", kValid, uint64_t{1} << 36, 0, false, 0},
      {"table in the aperture", kValid | Segment(1), 1, 1, false, 0},
      {"table on another adapter", kValid | Segment(2) | PeerIndex(1), 1, 1, false, 0},
      {"system page of another adapter", kValid | PeerIndex(1), 1, 0, false, 0},
      {"64 KiB leaf table", kValid | Segment(2) | uint64_t{1} << 17, 1, 1, false, 0},
  };
  for (const Row& row : rows) {
    regs::PteEntry entry;
    entry.raw = 0x5555;
    EXPECT_FALSE(ToHardware(Pte(row.flags, row.page), row.level, EntryForm::kPlain, false, &entry)) << row.name;
    EXPECT_EQ(entry.raw, 0x5555u) << row.name;
  }
}

constexpr uint64_t kTableOf64k = uint64_t{DXGK_PTE_PAGE_TABLE_PAGE_64KB} << 17;

// Single entries (0x20041 and 0x41) were observed on Windows build 26100. The format of pairs
// follows Microsoft's documentation; it has not been observed on Windows.
TEST(EntryFormat, ALeafTableOf64KiBIsNamedByThePageSizeOfASingleEntryAndByTheHalfOfAPair) {
  const uint64_t table = uint64_t{2} << 58 | 0x2C041;
  const struct {
    const char* name;
    EntryForm form;
    uint64_t flags;
    uint64_t expected;  // 0: the entry is rejected
  } rows[] = {
      {"4 KiB", EntryForm::kSingle, 0, table},
      {"64 KiB", EntryForm::kSingle, kTableOf64k, table | 0x200},
      {"page size 2", EntryForm::kSingle, uint64_t{2} << 17, 0},
      {"no such tables", EntryForm::kPlain, kTableOf64k, 0},
      {"4 KiB half", EntryForm::kHalf4k, 0, table},
      {"4 KiB half, page size ignored", EntryForm::kHalf4k, kTableOf64k, table},
      {"64 KiB half", EntryForm::kHalf64k, kTableOf64k, table | 0x200},
      {"64 KiB half, page size ignored", EntryForm::kHalf64k, 0, table | 0x200},
      {"large page in the 64 KiB half", EntryForm::kHalf64k, kLarge, 0},
  };
  for (const auto& row : rows) {
    regs::PteEntry entry;
    ASSERT_EQ(ToHardware(Pte(kValid | Segment(2) | row.flags, 0x2C), 1, row.form, false, &entry), row.expected != 0)
        << row.name;
    EXPECT_EQ(entry.raw, row.expected) << row.name;
  }
}

TEST(EntryFormat, A64KiBPageIsAlignedAndNothingElseIsDifferent) {
  for (const uint64_t page : {uint64_t{0x10}, uint64_t{0x18}, uint64_t{0x1F}, uint64_t{0x20}}) {
    regs::PteEntry entry, plain;
    const DXGK_PTE pte = Pte(kValid | kReadOnly | Segment(2), page);
    EXPECT_EQ(ToHardware(pte, 0, EntryForm::kLeaf64k, false, &entry), page % 16 == 0) << page;
    ASSERT_TRUE(ToHardware(pte, 0, EntryForm::kPlain, false, &plain));
    if (page % 16 == 0) EXPECT_EQ(entry.raw, plain.raw);
  }
  regs::PteEntry entry;
  EXPECT_FALSE(ToHardware(Pte(kValid | kLarge | Segment(2), 0x10), 0, EntryForm::kLeaf64k, false, &entry));
  ASSERT_TRUE(ToHardware(Pte(kValid | kZero, 0), 0, EntryForm::kLeaf64k, false, &entry));
  EXPECT_EQ(entry.raw, 3u);
}

// According to Microsoft's documentation, the index in an entry identifies the linked adapter that
// owns the page. Linked adapters have not been observed on Windows.
TEST(EntryFormat, OwnVramIsTargetVramAndThatOfAnotherAdapterIsTargetPeer) {
  for (uint32_t own = 0; own < 4; ++own) {
    for (uint64_t owner = 0; owner < 4; ++owner) {
      regs::PteEntry entry;
      ASSERT_TRUE(ToHardware(Pte(kValid | Segment(2) | PeerIndex(owner), 9), 0, EntryForm::kPlain, false, &entry, own));
      EXPECT_EQ(entry.target(), owner == own ? regs::Target::kVram : regs::Target::kPeer);
      EXPECT_EQ(entry.adapter(), owner == own ? 0 : owner);
      EXPECT_EQ(ToHardware(Pte(kValid | Segment(2) | PeerIndex(owner), 9), 1, EntryForm::kPlain, false, &entry, own),
                owner == own)
          << "tables are the own adapter's";
    }
  }
}

// The hidden segment begins at an arbitrary page of its adapter's VRAM. It contains no page tables.
TEST(EntryFormat, PagesOfTheHiddenSegmentCountFromItsStartInVram) {
  regs::PteEntry entry;
  const auto make = [&](uint64_t flags, uint64_t page, uint32_t level, uint32_t own, const HiddenPages& hidden) {
    return ToHardware(Pte(kValid | Segment(3) | flags, page), level, EntryForm::kPlain, false, &entry, own, hidden);
  };
  ASSERT_TRUE(make(0, 9, 0, 0, {0x100}));
  EXPECT_EQ(entry.target(), regs::Target::kVram);
  EXPECT_EQ(entry.page(), 0x109u);
  ASSERT_TRUE(make(kLarge, 0x200, 1, 0, {0x400}));
  EXPECT_EQ(entry.page(), 0x600u);
  EXPECT_FALSE(make(0, 9, 0, 0, {})) << "there is no such segment";
  EXPECT_FALSE(make(0, 9, 1, 0, {0x100})) << "a table";
  EXPECT_FALSE(make(0, (uint64_t{1} << 36) - 0x100, 0, 0, {0x100})) << "beyond 48 bits";
  for (const uint32_t own : {0, 1}) {
    ASSERT_TRUE(make(PeerIndex(1), 9, 0, own, {0x100, 0x200}));
    EXPECT_EQ(entry.target(), own == 1 ? regs::Target::kVram : regs::Target::kPeer);
    EXPECT_EQ(entry.adapter(), own == 1 ? 0u : 1u);
    EXPECT_EQ(entry.page(), 0x209u) << "it begins where that adapter's does";
  }
  EXPECT_FALSE(make(PeerIndex(2), 9, 0, 0, {0x100, 0x200})) << "that adapter has none";
  EXPECT_FALSE(make(PeerIndex(5), 9, 0, 0, {0x100, 0x200})) << "no such adapter";
}

// Tests the memory segment of an integrated GPU. Its tables and data are in system memory, so the
// GPU must snoop the CPU's caches.
TEST(EntryFormat, PagesOfASegmentInSystemMemoryCountFromItsStartAndAreSnooped) {
  constexpr uint64_t kFirst = 0x40010;
  regs::PteEntry entry;
  for (const uint32_t level : {0, 1}) {
    ASSERT_TRUE(ToHardware(Pte(kValid | Segment(2), 9), level, EntryForm::kPlain, false, &entry, 0, {}, kFirst));
    EXPECT_EQ(entry.target(), regs::Target::kSystem);
    EXPECT_EQ(entry.page(), kFirst + 9);
    EXPECT_TRUE(entry.coherent());
  }
  ASSERT_TRUE(ToHardware(Pte(kValid | Segment(2), 16), 0, EntryForm::kLeaf64k, false, &entry, 0, {}, kFirst));
  EXPECT_EQ(entry.page(), kFirst + 16);
  for (const uint32_t other : {0, 1}) {
    ASSERT_TRUE(ToHardware(Pte(kValid | Segment(other), 9), 0, EntryForm::kPlain, false, &entry, 0, {}, kFirst));
    EXPECT_EQ(entry.page(), 9u) << "segment " << other;
    EXPECT_FALSE(entry.coherent());
  }
  EXPECT_FALSE(
      ToHardware(Pte(kValid | Segment(2) | PeerIndex(1), 9), 0, EntryForm::kPlain, false, &entry, 0, {}, kFirst))
      << "no peer reaches it";
}

TEST(EntryFormat, EachAttributeOfTheAbstractEntryReachesItsFieldAlone) {
  struct Bit {
    uint64_t flag;
    regs::PteEntry expected;
  };
  const auto base = regs::PteEntry{}.set_valid(1).set_target(regs::Target::kSystem).set_page(1);
  auto coherent = base, read_only = base, no_execute = base;
  const Bit bits[] = {{kCoherent, coherent.set_coherent(1)},
                      {kReadOnly, read_only.set_read_only(1)},
                      {kNoExecute, no_execute.set_no_execute(1)}};
  for (const Bit& bit : bits) {
    regs::PteEntry entry;
    ASSERT_TRUE(ToHardware(Pte(kValid | bit.flag, 1), 0, EntryForm::kPlain, false, &entry));
    EXPECT_EQ(entry.raw, bit.expected.raw);
  }
}

}  // namespace
}  // namespace gmmu::kmd
