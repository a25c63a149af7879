// SPDX-License-Identifier: Apache-2.0
// Tests inline functions of the headers: overflow-checked arithmetic, lists, wide strings, GUIDs, ACPI arguments.
#include <gtest/gtest.h>

#include "acpiioct.h"
#include "guiddef.h"
#include "ntintsafe.h"
#include "wdm.h"
#include "wdm_inline.h"

namespace {

TEST(SafeArithmetic, GivesTheResultOrSaysThatItDoesNotFit) {
  ULONG word = 0;
  EXPECT_EQ(RtlULongAdd(0xFFFFFFFE, 1, &word), STATUS_SUCCESS);
  EXPECT_EQ(word, 0xFFFFFFFFu);
  EXPECT_EQ(RtlULongAdd(0xFFFFFFFF, 1, &word), STATUS_INTEGER_OVERFLOW);
  EXPECT_EQ(word, 0xFFFFFFFFu);
  EXPECT_EQ(RtlULongSub(1, 2, &word), STATUS_INTEGER_OVERFLOW);
  SIZE_T size = 0;
  EXPECT_EQ(RtlSizeTMult(SIZE_T{1} << 32, SIZE_T{1} << 31, &size), STATUS_SUCCESS);
  EXPECT_EQ(size, SIZE_T{1} << 63);
  EXPECT_EQ(RtlSizeTMult(SIZE_T{1} << 32, SIZE_T{1} << 32, &size), STATUS_INTEGER_OVERFLOW);
  EXPECT_EQ(RtlULongLongToULong(0xFFFFFFFF, &word), STATUS_SUCCESS);
  EXPECT_EQ(RtlULongLongToULong(0x100000000, &word), STATUS_INTEGER_OVERFLOW);
  EXPECT_EQ(RtlLongToULong(-1, &word), STATUS_INTEGER_OVERFLOW);
}

TEST(Lists, KeepTheOrderInWhichEntriesCameAtEitherEnd) {
  LIST_ENTRY head, first, second, third;
  InitializeListHead(&head);
  EXPECT_TRUE(IsListEmpty(&head));
  InsertTailList(&head, &second);
  InsertTailList(&head, &third);
  InsertHeadList(&head, &first);
  EXPECT_FALSE(RemoveEntryList(&second));
  EXPECT_EQ(RemoveHeadList(&head), &first);
  EXPECT_EQ(RemoveTailList(&head), &third);
  EXPECT_TRUE(IsListEmpty(&head));
}

TEST(WideText, IsMeasuredAndComparedBy16Bits) {
  const WCHAR one[] = {'a', 0x100, 0}, other[] = {'a', 0x101, 0}, shorter[] = {'a', 0};
  EXPECT_EQ(GmmuWideLength(one), 2u);
  EXPECT_EQ(GmmuWideCompare(one, one), 0);
  EXPECT_LT(GmmuWideCompare(one, other), 0);
  EXPECT_GT(GmmuWideCompare(one, shorter), 0);
}

TEST(Guids, AreEqualByAllTheirBytes) {
  const GUID one = {1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
  GUID other = one;
  EXPECT_TRUE(one == other);
  other.Data4[7] = 0;
  EXPECT_TRUE(one != other);
}

// The data of an argument occupies at least 4 bytes. The next argument follows without padding.
TEST(AcpiArguments, FollowEachOtherByTheirLength) {
  alignas(8) UCHAR bytes[64] = {};
  auto* argument = reinterpret_cast<PACPI_METHOD_ARGUMENT>(bytes);
  argument->DataLength = 2;
  EXPECT_EQ(reinterpret_cast<PUCHAR>(ACPI_METHOD_NEXT_ARGUMENT(argument)), bytes + 8);
  argument->DataLength = 9;
  EXPECT_EQ(reinterpret_cast<PUCHAR>(ACPI_METHOD_NEXT_ARGUMENT(argument)), bytes + 13);
}

TEST(Pages, AreCountedAndRounded) {
  EXPECT_EQ(BYTES_TO_PAGES(0x1001u), 2u);
  EXPECT_EQ(ROUND_TO_PAGES(0x1001), 0x2000u);
  EXPECT_EQ(ADDRESS_AND_SIZE_TO_SPAN_PAGES(0x1FFF, 2), 2u);
  EXPECT_EQ(BYTE_OFFSET(0x1234), 0x234u);
}

}  // namespace
