// SPDX-License-Identifier: Apache-2.0
#include "kmd/entry_format.h"

#include <gtest/gtest.h>

#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

DXGK_PTE Pte(uint64_t flags, uint64_t page) {
  DXGK_PTE pte{};
  pte.Flags = flags;
  pte.PageAddress = page;
  return pte;
}

// Bits of DXGK_PTE's first word.
constexpr uint64_t kValid = 1, kZero = 2, kCoherent = 4, kReadOnly = 8, kNoExecute = 16,
                   kLarge = 1 << 10;
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
      {"the page of docs/page-tables.md, table", kValid | Segment(2), 0x3FE, 3, false,
       0x08000000003FE041},
      {"the page of docs/page-tables.md, leaf", kValid | kCoherent, 0x98765, 0, false,
       0x0000000098765005},
      {"invalid", Segment(2) | kReadOnly, 0x1234, 0, false, 0},
      {"zero with valid", kValid | kZero, 0, 0, false, 3},
      {"zero without valid", kZero | kReadOnly | Segment(9), 0x55, 2, false, 2},
      {"read only, no execute", kValid | kReadOnly | kNoExecute, 1, 0, false, 0x1019},
      {"aperture page", kValid | Segment(1), 7, 0, false, uint64_t{1} << 58 | 0x7081},
      {"contiguous", kValid | Segment(2), 0x10, 0, true, uint64_t{2} << 58 | 0x10141},
      {"contiguous means nothing above the leaf", kValid | Segment(2), 0x10, 1, true,
       uint64_t{2} << 58 | 0x10041},
      {"large page", kValid | kLarge | kReadOnly | Segment(2), 0x200, 1, false,
       uint64_t{2} << 58 | 0x200069},
      {"large page in system memory", kValid | kLarge, 0x40000, 2, false, 0x40000021},
      {"attributes of an inner entry are dropped", kValid | kReadOnly | kNoExecute | Segment(2), 3,
       1, false, uint64_t{2} << 58 | 0x3041},
      {"peer", kValid | Segment(2) | PeerIndex(5), 9, 0, false,
       uint64_t{2} << 58 | uint64_t{5} << 52 | 0x90C1},
      {"last page number", kValid, 0xFFFFFFFFF, 0, false, 0x0000FFFFFFFFF001},
  };
  for (const Row& row : rows) {
    regs::PteEntry entry;
    ASSERT_TRUE(ToHardware(Pte(row.flags, row.page), row.level, row.contiguous, &entry))
        << row.name;
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
    EXPECT_FALSE(ToHardware(Pte(row.flags, row.page), row.level, false, &entry)) << row.name;
    EXPECT_EQ(entry.raw, 0x5555u) << row.name;
  }
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
    ASSERT_TRUE(ToHardware(Pte(kValid | bit.flag, 1), 0, false, &entry));
    EXPECT_EQ(entry.raw, bit.expected.raw);
  }
}

}  // namespace
}  // namespace gmmu::kmd
