// SPDX-License-Identifier: Apache-2.0
#include "trace/header.h"

#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::HasSubstr;

const char kText[] =
    "gmmu-trace 1\nname = matmul\nprovenance = by hand\naddresses = physical\nunit = lines of 64\npage = 65536\n"
    "address_bits = 39\nloop = open\nwindow = 4\ncount = 7\n\n";

std::string Changed(const std::string& from, const std::string& to) {
  std::string text = kText;
  text.replace(text.find(from), from.size(), to);
  return Refusal([&] { ParseHeader(text, "f"); });
}

TEST(TraceHeader, IsReadAsItWasWritten) {
  const Header header = ParseHeader(kText, "f");
  EXPECT_EQ(header.name, "matmul");
  EXPECT_EQ(header.provenance, "by hand");
  EXPECT_EQ(header.addresses, Addresses::kPhysical);
  EXPECT_EQ(header.unit, 64u);
  EXPECT_EQ(header.page_bytes, 65536u);
  EXPECT_EQ(header.address_bits, 39u);
  EXPECT_EQ(header.loop, Loop::kOpen);
  EXPECT_EQ(header.window, 4u);
  EXPECT_EQ(header.count, 7u);
  EXPECT_EQ(ToText(header), kText);
}

TEST(TraceHeader, HoldsItsNameAndProvenanceOnOneLine) {
  Header header;
  header.name = "a";
  header.provenance = "x\nunit = lines of 64";
  EXPECT_EQ(ParseHeader(ToText(header), "f").unit, 1u);
}

TEST(TraceHeader, NamesABlankAtTheEndOfALine) {
  const std::string good = ToText(Header{});
  const auto refused = [&](const std::string& line, const std::string& blank) {
    std::string text = good;
    text.insert(text.find(line) + line.size(), blank);
    return Refusal([&] { ParseHeader(text, "f"); });
  };
  EXPECT_THAT(refused("gmmu-trace 1", "\r"), HasSubstr("f:1: \"gmmu-trace 1\\x0d\" ends in a carriage return"));
  EXPECT_THAT(refused("loop = closed", " "), HasSubstr("f:8: \"loop = closed \" ends in a space"));
  EXPECT_THAT(refused("unit = bytes", "\t"), HasSubstr("f:5: \"unit = bytes\\x09\" ends in a tab"));
  Header header;
  header.name = "two words  ";
  EXPECT_EQ(ParseHeader(ToText(header), "f").name, "two words");
}

TEST(TraceHeader, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(Changed("gmmu-trace 1", "gmmu-trace 2"),
              HasSubstr("f:1: version \"2\" of the trace format is not known"));
  EXPECT_THAT(Changed("gmmu-trace 1", "==1== Lackey"), HasSubstr("f:1: not a trace of gmmu"));
  EXPECT_THAT(Changed("unit = lines of 64", "unit = words"),
              HasSubstr("f:5: \"words\" is neither bytes nor lines of N"));
  EXPECT_THAT(Changed("lines of 64", "lines of 48"), HasSubstr("f:5: a line of 48 bytes is not a power of two"));
  EXPECT_THAT(Changed("count = 7", "colour = red"), HasSubstr("f:10: unknown key \"colour\""));
  EXPECT_THAT(Changed("count = 7", "unit = bytes"), HasSubstr("f:10: \"unit\" stands in line 5 too"));
  EXPECT_THAT(Changed("page = 65536\n", ""), HasSubstr("f: the header has no \"page\""));
  EXPECT_THAT(Changed("address_bits = 39", "address_bits = 65"),
              HasSubstr("f:7: \"65\" is not a width in bits, 12 to 64"));
  EXPECT_THAT(Changed("loop = open", "loop = half"), HasSubstr("f:8: \"half\" is neither closed nor open"));
  EXPECT_THAT(Changed("window = 4", "window 4"), HasSubstr("f:9: \"window 4\" is not KEY = VALUE"));
}

TEST(TraceHeader, KeepsOutAccessesThatDoNotFit) {
  Header header;
  header.address_bits = 20;
  EXPECT_EQ(Wrong(Read(0xfffff, 1), header), "");
  EXPECT_THAT(Wrong(Read(0xfffff, 2), header), HasSubstr("end beyond the address space of 20 bits"));
  EXPECT_THAT(Wrong(Read(0, 0), header), HasSubstr("0 bytes are not 1 to 65536"));
  EXPECT_THAT(Wrong(Read(0, 65537), header), HasSubstr("65537 bytes are not"));
  EXPECT_THAT(Wrong(Read(0, 1, 0, kMaxStreams), header), HasSubstr("stream 1048576 is not below"));
  header.address_bits = 64;
  EXPECT_EQ(Wrong(Read(~uint64_t{0}, 1), header), "");
  EXPECT_THAT(Wrong(Read(~uint64_t{0}, 2), header), HasSubstr("end beyond"));
  header.unit = 64;
  EXPECT_THAT(Wrong(Read(0x1020, 64), header), HasSubstr("units are mixed"));
  EXPECT_THAT(Wrong(Read(0x1000, 32), header), HasSubstr("units are mixed"));
  EXPECT_EQ(Wrong(Read(0x1000, 128), header), "");
}

}  // namespace
}  // namespace gmmu::trace
