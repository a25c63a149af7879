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

// Truncates files and flips bits. A damaged file must cause an error that names it, or contain only
// valid accesses.
TEST_F(ImportTest, SurvivesDamagedFiles) {
  constexpr uint64_t kSeed = 23;
  std::mt19937_64 random(kSeed);
  ImportOptions sizes, units;
  sizes.bytes = 8;
  units.addresses = Addresses::kPhysical;
  units.unit = 64;
  std::string record(64, 0);
  record[8] = 1, record[33] = 0x50;
  const std::string kernel =
      "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 4\n#\n#BEGIN_TB\nthread block = "
      "0,0,0\nwarp = "
      "0\ninsts = 2\n0020 ffffffff 1 R6 LDG.E 1 R2 4 1 0x1000 4\n0030 0000000f 0 STG.E.64 2 R2 R6 8 2 0x2000 8 8 "
      "120\n#END_TB\n";
  const std::vector<std::tuple<std::string, std::string, ImportOptions>> whole = {
      {"lackey", "==1== Lackey\nI  0401ab70,3\n S 1fff000778,8\n M 1000,4\n==1== Exit code: 0\n", {}},
      {"accelsim", kernel, {}},
      {"champsim", record + record, sizes},
      {"ramulator-dram", "0x12340 R\n12380 W\n", units},
      {"ramulator-cpu", "3 4096\n0 0x2000 8192\n", units},
      {"dramsim3", "0x1000 READ 0\n2000 WRITE 10\n", units}};
  for (const auto& [format, text, options] : whole) {
    EXPECT_FALSE(Imported(format, text, options).empty()) << format;
    size_t refused = 0;
    for (int i = 0; i < 300; ++i) {
      SCOPED_TRACE(testing::Message() << format << ", seed " << kSeed << ", number " << i);
      std::string bytes = text;
      const size_t at = random() % bytes.size();
      if (random() % 3 == 0) bytes.resize(at);
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      std::vector<Access> read;
      const std::string refusal = Refusal([&] { read = Imported(format, bytes, options); });
      if (!refusal.empty()) {
        EXPECT_THAT(refusal, HasSubstr("input"));
        ++refused;
      }
      for (const Access& access : read) EXPECT_EQ(Wrong(access, header_), "");
    }
    EXPECT_GT(refused, 60u) << format;
  }
}

}  // namespace
}  // namespace gmmu::trace
