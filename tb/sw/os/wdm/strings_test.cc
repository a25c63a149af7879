// SPDX-License-Identifier: Apache-2.0
// Tests counted strings, and the bounded string functions of ntstrsafe.h.
#include "ddi/wdm_strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ddi/ntstrsafe.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

PCWSTR Wide(const char16_t* text) { return reinterpret_cast<PCWSTR>(text); }
std::u16string Text(const UNICODE_STRING& text) {
  return {reinterpret_cast<const char16_t*>(text.Buffer), text.Length / sizeof(WCHAR)};
}
UNICODE_STRING Counted(const char16_t* text) {
  UNICODE_STRING string;
  RtlInitUnicodeString(&string, Wide(text));
  return string;
}
struct Room {
  explicit Room(size_t units) : text(units, u'x') {
    string = {0, static_cast<USHORT>(units * sizeof(WCHAR)), reinterpret_cast<PWSTR>(text.data())};
  }
  std::u16string text;
  UNICODE_STRING string;
};

TEST(CountedStrings, HaveTheirLengthsInBytes) {
  const UNICODE_STRING text = Counted(u"abc");
  EXPECT_EQ(text.Length, 6);
  EXPECT_EQ(text.MaximumLength, 8);
  const UNICODE_STRING none = Counted(nullptr);
  EXPECT_EQ(none.Length, 0);
  EXPECT_EQ(none.MaximumLength, 0);
  ANSI_STRING narrow;
  RtlInitAnsiString(&narrow, "abcd");
  EXPECT_EQ(narrow.Length, 4);
  EXPECT_EQ(narrow.MaximumLength, 5);
}

TEST(CountedStrings, AreCopiedAndAppendedAsFarAsThereIsRoom) {
  Room room(5);
  const UNICODE_STRING longer = Counted(u"longer");
  RtlCopyUnicodeString(&room.string, &longer);
  EXPECT_EQ(Text(room.string), u"longe");
  RtlCopyUnicodeString(&room.string, nullptr);
  EXPECT_EQ(room.string.Length, 0);
  EXPECT_EQ(RtlAppendUnicodeToString(&room.string, Wide(u"abc")), STATUS_SUCCESS);
  EXPECT_EQ(room.text[3], 0) << "an end where there is room";
  EXPECT_EQ(RtlAppendUnicodeToString(&room.string, Wide(u"def")), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(Text(room.string), u"abc");
}

TEST(CountedStrings, AreComparedWithAndWithoutCase) {
  Machine machine;
  const UNICODE_STRING a = Counted(u"Gpu0"), b = Counted(u"gPU0"), c = Counted(u"Gpu01");
  EXPECT_TRUE(RtlEqualUnicodeString(&a, &b, TRUE));
  EXPECT_FALSE(RtlEqualUnicodeString(&a, &b, FALSE));
  EXPECT_LT(RtlCompareUnicodeString(&a, &c, FALSE), 0);
  EXPECT_TRUE(RtlPrefixUnicodeString(&b, &c, TRUE));
  EXPECT_FALSE(RtlPrefixUnicodeString(&c, &a, TRUE));
}

TEST(CountedStrings, BecomeNumbersAndComeFromThem) {
  Machine machine;
  const auto value = [](const char16_t* text, ULONG base) {
    const UNICODE_STRING string = Counted(text);
    ULONG result = 0;
    EXPECT_EQ(RtlUnicodeStringToInteger(&string, base, &result), STATUS_SUCCESS);
    return result;
  };
  EXPECT_EQ(value(u" 42x", 0), 42u);
  EXPECT_EQ(value(u"0x2a", 0), 42u);
  EXPECT_EQ(value(u"0b101", 0), 5u);
  EXPECT_EQ(value(u"-1", 10), 0xFFFFFFFFu);
  EXPECT_EQ(value(u"ff", 16), 255u);
  Room room(4);
  EXPECT_EQ(RtlIntegerToUnicodeString(0xBEEF, 16, &room.string), STATUS_SUCCESS);
  EXPECT_EQ(Text(room.string), u"BEEF");
  EXPECT_EQ(RtlIntegerToUnicodeString(12345, 10, &room.string), STATUS_BUFFER_OVERFLOW);
  ULONG none;
  const UNICODE_STRING seven = Counted(u"7");
  EXPECT_EQ(RtlUnicodeStringToInteger(&seven, 7, &none), STATUS_INVALID_PARAMETER);
}

TEST(CountedStrings, OfTheOtherWidthAreMadeInPoolMemoryAndFreed) {
  Machine machine;
  ANSI_STRING narrow;
  UNICODE_STRING wide{};
  RtlInitAnsiString(&narrow, "name");
  ASSERT_EQ(RtlAnsiStringToUnicodeString(&wide, &narrow, TRUE), STATUS_SUCCESS);
  EXPECT_EQ(Text(wide), u"name");
  ANSI_STRING back{};
  ASSERT_EQ(RtlUnicodeStringToAnsiString(&back, &wide, TRUE), STATUS_SUCCESS);
  EXPECT_EQ(std::string(back.Buffer), "name");
  EXPECT_EQ(machine.kernel.ledger().open(), 2u);
  RtlFreeAnsiString(&back);
  RtlFreeUnicodeString(&wide);
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
  Room small(4);
  EXPECT_EQ(RtlAnsiStringToUnicodeString(&small.string, &narrow, FALSE), STATUS_BUFFER_OVERFLOW);
}

TEST(MemoryRoutines, CompareUpToTheFirstDifference) {
  EXPECT_EQ(RtlCompareMemory("abcd", "abxd", 4), 2u);
  EXPECT_EQ(RtlCompareMemory("abcd", "abcd", 4), 4u);
}

TEST(StringsWithASize, AreCutAndHaveTheirEnd) {
  Machine machine;
  CHAR text[6];
  EXPECT_EQ(RtlStringCbCopyA(text, sizeof text, "abc"), STATUS_SUCCESS);
  EXPECT_EQ(RtlStringCbCatA(text, sizeof text, "defg"), STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(text, "abcde");
  EXPECT_EQ(RtlStringCchCopyNA(text, 6, "abcdef", 2), STATUS_SUCCESS);
  EXPECT_STREQ(text, "ab");
  EXPECT_EQ(RtlStringCbCopyA(text, 0, "abc"), STATUS_INVALID_PARAMETER);
  WCHAR wide[4];
  EXPECT_EQ(RtlStringCbPrintfW(wide, sizeof wide, Wide(u"%d"), 123456), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string(reinterpret_cast<char16_t*>(wide)), u"123") << "a size in bytes";
  EXPECT_EQ(RtlStringCchPrintfW(wide, 4, Wide(u"%S"), "ab"), STATUS_SUCCESS);
  size_t length = 9;
  EXPECT_EQ(RtlStringCbLengthW(wide, sizeof wide, &length), STATUS_SUCCESS);
  EXPECT_EQ(length, 4u);
  EXPECT_EQ(RtlStringCchLengthW(wide, 4, &length), STATUS_SUCCESS);
  EXPECT_EQ(length, 2u);
  EXPECT_EQ(RtlStringCbLengthA("abc", 3, &length), STATUS_INVALID_PARAMETER) << "no end within the size";
  machine.kernel.scheduler().Raise(kDispatch);
  EXPECT_THROW(RtlStringCbCopyA(text, sizeof text, "abc"), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
