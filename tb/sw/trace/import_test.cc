// SPDX-License-Identifier: Apache-2.0
#include "trace/import.h"

#include <random>
#include <tuple>

#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::HasSubstr;

class ImportTest : public TraceTest {};

TEST_F(ImportTest, AsksWhatAFormatDoesNotSay) {
  for (const char* format : {"ramulator-dram", "ramulator-cpu", "dramsim3"}) {
    ImportOptions options;
    EXPECT_THAT(ImportRefusal(format, "x\n", options), HasSubstr("Are the addresses virtual or physical? The format " +
                                                                 std::string(format) + " does not say."));
    options.addresses = Addresses::kPhysical;
    EXPECT_THAT(ImportRefusal(format, "x\n", options), HasSubstr("Are the addresses bytes or lines?"));
    options.unit = 1;
    EXPECT_THAT(ImportRefusal(format, "x\n", options), HasSubstr("How many bytes does an access have?"));
    options.bytes = 64;
    EXPECT_THAT(ImportRefusal(format, "x\n", options), HasSubstr("input:1: \"x\""));
  }
  EXPECT_THAT(ImportRefusal("champsim", "x\n"), HasSubstr("How many bytes does an access have?"));
}

TEST_F(ImportTest, RefusesOptionsThatContradictTheFormat) {
  ImportOptions physical, lines, bytes, both;
  physical.addresses = Addresses::kPhysical;
  lines.unit = 64;
  bytes.bytes = 8;
  both.addresses = Addresses::kVirtual;
  both.unit = 64;
  both.bytes = 8;
  EXPECT_THAT(ImportRefusal("lackey", "x\n", physical), HasSubstr("--addresses physical does not go with lackey"));
  EXPECT_THAT(ImportRefusal("accelsim", "x\n", lines), HasSubstr("--unit line does not go with accelsim"));
  EXPECT_THAT(ImportRefusal("lackey", "x\n", bytes), HasSubstr("--bytes does not go with lackey"));
  EXPECT_THAT(ImportRefusal("ramulator-dram", "x\n", both), HasSubstr("--bytes does not go with ramulator-dram"));
}

TEST_F(ImportTest, NamesTheFormatsThereAre) {
  EXPECT_THAT(ImportRefusal("pin", "x\n"),
              HasSubstr("there is no format \"pin\"; there are lackey, accelsim, champsim"));
}

TEST_F(ImportTest, SaysInTheHeaderWhereTheTraceIsFrom) {
  ImportOptions options;
  options.page_bytes = 4096;
  options.address_bits = 40;
  options.name = "loop";
  Imported("lackey", " L 1000,8\n", options);
  EXPECT_EQ(header_.name, "loop");
  EXPECT_EQ(header_.provenance, "imported from lackey, input; a cycle for each instruction");
  EXPECT_EQ(header_.page_bytes, 4096u);
  EXPECT_EQ(header_.address_bits, 40u);
  EXPECT_EQ(header_.addresses, Addresses::kVirtual);
}

}  // namespace
}  // namespace gmmu::trace
