// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "bugcodes.h"
#include "d3dkmthk.h"
#include "dispmprt.h"
#include "dxgiformat.h"
#include "wdm_names.h"

namespace {

// Sets one field of a zeroed structure to all ones, and returns the structure's first word.
template <typename Structure, typename Set>
uint64_t FirstWordAfter(Set set) {
  Structure value;
  std::memset(&value, 0, sizeof value);
  set(value, ~uint64_t{0});
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value < sizeof word ? sizeof value : sizeof word);
  return word;
}

uint64_t Mask(unsigned first, unsigned width) {
  return (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1) << first;
}

TEST(Layout, SizesAreTheKits) {
#define SIZE(structure, bytes) EXPECT_EQ(sizeof(structure), size_t{bytes}) << #structure;
#define SIZE_AT(version, structure, bytes) \
  if (DXGKDDI_INTERFACE_VERSION == (version)) EXPECT_EQ(sizeof(structure), size_t{bytes}) << #structure;
#define MEMBER(structure, member, offset)
#define BIT(structure, field, first, width)
#include "layout_table.inc"
#undef SIZE
#undef SIZE_AT
#undef MEMBER
#undef BIT
}

TEST(Layout, MembersStandWhereTheKitHasThem) {
#define SIZE(structure, bytes)
#define SIZE_AT(version, structure, bytes)
#define MEMBER(structure, member, offset) \
  EXPECT_EQ(offsetof(structure, member), size_t{offset}) << #structure "." #member;
#define BIT(structure, field, first, width)
#include "layout_table.inc"
#undef SIZE
#undef SIZE_AT
#undef MEMBER
#undef BIT
}

TEST(Layout, EachBitFieldSetAloneShowsItsOwnBitsOnly) {
#define SIZE(structure, bytes)
#define SIZE_AT(version, structure, bytes)
#define MEMBER(structure, member, offset)
#define BIT(structure, field, first, width)                                                           \
  EXPECT_EQ(FirstWordAfter<structure>(                                                                \
                [](structure& s, uint64_t ones) { s.field = static_cast<decltype(s.field)>(ones); }), \
            Mask(first, width))                                                                       \
      << #structure "." #field;
#include "layout_table.inc"
#undef SIZE
#undef SIZE_AT
#undef MEMBER
#undef BIT
}

TEST(Layout, NumbersAreTheKits) {
  EXPECT_EQ(DXGKDDI_INTERFACE_VERSION, 0x10004);
#define VALUE(name, number) EXPECT_EQ(static_cast<uint32_t>(name), uint32_t{number}) << #name;
#include "value_table.inc"
#undef VALUE
}

extern "C" int gmmu_headers_c11(void);
extern "C" int gmmu_headers_wddm2_0(void);
extern "C" int gmmu_headers_wddm2_4(void);
extern "C" int gmmu_headers_wddm2_9(void);

// layout_static.h asserts sizes and offsets at compile time. It is compiled as C11, as C++17, and
// for older interface versions.
TEST(Layout, HoldsAtCompileTimeInC11AndInCxx17) {
  EXPECT_EQ(gmmu_headers_c11(), 0x140);
  EXPECT_EQ(gmmu_headers_wddm2_9(), 0x4F0);  // observed on Windows 22621
}

TEST(Layout, OfOlderVersionsHoldsAtCompileTime) {
  EXPECT_EQ(gmmu_headers_wddm2_0(), 0x138);  // observed on Windows 22621
  EXPECT_EQ(gmmu_headers_wddm2_4(), 0x1C8);
}

TEST(Layout, ResidentAndReservedOfNotifyResidencyShareBitZero) {
  DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY notice;
  std::memset(&notice, 0, sizeof notice);
  notice.Reserved = 1;
  EXPECT_EQ(notice.Resident, 1u);
}

}  // namespace
