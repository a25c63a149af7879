// SPDX-License-Identifier: Apache-2.0
#include "trace/input.h"

#include "tb/sw/trace/trace_bench.h"
#include "trace/number.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InputTest : public TraceTest {};

TEST_F(InputTest, GivesLinesAcrossItsPieces) {
  std::string text, line;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + (i % 2 ? "\r\n" : "\n");
  uint64_t watched = 0;
  Input input(File("lines", text), [&](uint64_t done, uint64_t total) {
    EXPECT_EQ(total, text.size());
    EXPECT_LE(done, total);
    watched = done;
  });
  for (int i = 0; i < 100000; ++i) {
    ASSERT_TRUE(input.Line(line));
    ASSERT_EQ(line, std::to_string(i));
  }
  EXPECT_FALSE(input.Line(line));
  EXPECT_EQ(input.line(), 100000u);
  EXPECT_EQ(input.offset(), text.size());
  EXPECT_EQ(watched, 0u);  // progress is not reported for less than 1 MiB
}

TEST_F(InputTest, AsksWhetherALastLineWithoutEndIsWhole) {
  Input input(File("cut", "one\ntw"));
  std::string line;
  ASSERT_TRUE(input.Line(line));
  EXPECT_THAT(Refusal([&] { input.Line(line); }),
              HasSubstr("cut:2: the last line has no end: does the file end in the middle?"));
}

TEST_F(InputTest, NamesTheOffsetAtWhichARecordIsCut) {
  Input input(File("cut", std::string(20, 'x')));
  char record[8];
  EXPECT_TRUE(input.Bytes(record, 8, "a record"));
  EXPECT_TRUE(input.Bytes(record, 8, "a record"));
  EXPECT_THAT(Refusal([&] { input.Bytes(record, 8, "a record"); }),
              HasSubstr("cut: offset 16: ends in the middle of a record: 4 of 8 bytes"));
}

TEST_F(InputTest, SaysHowToUnpackAPackedFile) {
  const std::string xz = File("t.xz", std::string("\xfd"
                                                  "7zXZ\0abc",
                                                  9)),
                    gz = File("t.gz", "\x1f\x8b\x08");
  EXPECT_THAT(Refusal([&] { Input input(xz); }), HasSubstr("xz -dc " + xz + " | gmmu trace import FORMAT - OUT"));
  EXPECT_THAT(Refusal([&] { Input input(gz); }), HasSubstr("gzip -dc " + gz));
}

TEST_F(InputTest, RefusesAnEmptyFileAndALineWithoutEnd) {
  EXPECT_THAT(Refusal([&] { Input input(File("e", "")); }), HasSubstr("e: is empty"));
  Input input(File("long", std::string(1 << 20, 'x')));
  std::string line;
  EXPECT_THAT(Refusal([&] { input.Line(line); }), HasSubstr("long:1: the line has more than 65536 bytes"));
}

TEST(Words, ArePartedBySpacesAndTabs) { EXPECT_THAT(Words("  a\tbc  d "), ElementsAre("a", "bc", "d")); }

TEST(Numbers, AreWholeTextsWithoutSign) {
  EXPECT_EQ(ParseNumber("18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(ParseNumber("0x10"), 16u);
  EXPECT_EQ(ParseHex("ff"), 255u);
  EXPECT_EQ(ParseHex("0xff"), 255u);
  for (const char* text : {"", "-1", "+1", "1 ", "0x", "18446744073709551616", "12g"})
    EXPECT_FALSE(ParseNumber(text)) << text;
}

}  // namespace
}  // namespace gmmu::trace
