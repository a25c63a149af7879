// SPDX-License-Identifier: Apache-2.0
#include "trace/error.h"

#include <gtest/gtest.h>

namespace gmmu::trace {
namespace {

TEST(TraceErrorTest, ShowsNothingThatATerminalActsOn) {
  EXPECT_EQ(Printable("a\tb\x1b[31m\x7f\r"), "a\\x09b\\x1b[31m\\x7f\\x0d");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(Printable("two\nlines"), "two\nlines");
  EXPECT_STREQ(TraceError("file:1: \x1b]0;title\x07").what(), "file:1: \\x1b]0;title\\x07");
}

TEST(TraceErrorTest, KeepsTextInUtf8AndNoOtherBytesAboveAscii) {
  EXPECT_EQ(Printable("gr\xc3\xb6\xc3\x9f\x65, \xe2\x82\xac, \xf0\x9f\x98\x80"),
            "gr\xc3\xb6\xc3\x9f\x65, \xe2\x82\xac, \xf0\x9f\x98\x80");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xc2\\x9b");           // U+009B, the control sequence introducer
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");           // truncated
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(TraceErrorTest, QuotesTheStartOfALongLine) {
  EXPECT_EQ(Quoted("short"), "\"short\"");
  EXPECT_EQ(Quoted(std::string(80, 'x')), "\"" + std::string(80, 'x') + "\"");
  EXPECT_EQ(Quoted(std::string(81, 'x')), "\"" + std::string(80, 'x') + "...\"");
}

}  // namespace
}  // namespace gmmu::trace
