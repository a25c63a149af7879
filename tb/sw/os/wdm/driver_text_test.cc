// SPDX-License-Identifier: Apache-2.0
#include "os/wdm/driver_text.h"

#include <gtest/gtest.h>

#include "ddi/wdm_strings.h"

namespace gmmu::os {
namespace {

std::string Format(const char* format, ...) {
  va_list list;
  va_start(list, format);
  const std::string text = DriverText(format, list);
  va_end(list);
  return text;
}
std::u16string Format(const char16_t* format, ...) {
  va_list list;
  va_start(list, format);
  const std::u16string text = DriverText(reinterpret_cast<const WCHAR*>(format), list);
  va_end(list);
  return text;
}

TEST(DriverTexts, HaveNumbersOfTheKitsSizes) {
  EXPECT_EQ(Format("%ld %lu %lx", -5, 0xFFFFFFFFu, 0xABCu), "-5 4294967295 abc") << "l is 32 bits";
  EXPECT_EQ(Format("%lx %x", 0x80000000u, 7), "80000000 7") << "the next argument is not swallowed";
  EXPECT_EQ(Format("%I64x %llu %I32u %Id", 0x123456789ABCULL, 5ULL, 6u, 7LL), "123456789abc 5 6 7");
  EXPECT_EQ(Format("%hd %hhu %zu", 0x18000, 0x101, size_t{9}), "-32768 1 9");
  EXPECT_EQ(Format("[%08X] [%-5d] [%+d] [%*d] [%.3d]", 0xBEEFu, 42, 7, 4, 1, 5),
            "[0000BEEF] [42   ] [+7] [   1] [005]");
  EXPECT_EQ(Format("%p", reinterpret_cast<void*>(0xAB0)), "0000000000000AB0");
  EXPECT_EQ(Format("%.2f %d%%", 1.5, 50), "1.50 50%");
}

TEST(DriverTexts, HaveTextsOfEitherWidth) {
  const char16_t* const wide = u"wide";
  EXPECT_EQ(Format("%s %S %ws %hs %ls", "a", wide, wide, "b", wide), "a wide wide b wide");
  EXPECT_EQ(Format(u"%s %S %hs", wide, "a", "b"), u"wide a b");
  EXPECT_EQ(Format("%.3s|%6s|%-6s|", "abcdef", "ab", "cd"), "abc|    ab|cd    |");
  EXPECT_EQ(Format("%c%C", 'x', u'y'), "xy");
  EXPECT_EQ(Format("%s", static_cast<const char*>(nullptr)), "(null)");
  EXPECT_EQ(Format("%S", u"\u00e4b"), "?b");
  UNICODE_STRING counted{4, 4, reinterpret_cast<PWSTR>(const_cast<char16_t*>(wide))};
  ANSI_STRING narrow{2, 2, const_cast<char*>("abcd")};
  EXPECT_EQ(Format("%wZ %Z", &counted, &narrow), "wi ab");
}

TEST(DriverTexts, KeepWhatIsNoFormatAndWriteNoCount) {
  int count = 7;
  EXPECT_EQ(Format("%y 100%", 1), "%y 100%");
  EXPECT_EQ(Format("a%nb", &count), "ab");
  EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace gmmu::os
