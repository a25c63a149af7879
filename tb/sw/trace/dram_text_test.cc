// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DramTextTest : public TraceTest {
 protected:
  DramTextTest() {
    bytes_.addresses = lines_.addresses = Addresses::kPhysical;
    bytes_.unit = 1;
    bytes_.bytes = 64;
    lines_.unit = 64;
  }
  ImportOptions bytes_, lines_;
};

TEST_F(DramTextTest, ReadsMemoryTracesOfRamulator) {
  const char text[] = "# memory\n0x12340 R\n12380 W\n\n123c0\n";
  EXPECT_THAT(Imported("ramulator-dram", text, bytes_),
              ElementsAre(Read(0x12340, 64), Write(0x12380, 64), Read(0x123c0, 64)));
  EXPECT_EQ(header_.addresses, Addresses::kPhysical);
  EXPECT_THAT(Imported("ramulator-dram", text, lines_),
              ElementsAre(Read(0x12340 * 64, 64), Write(0x12380 * 64, 64), Read(0x123c0 * 64, 64)));
  EXPECT_EQ(header_.unit, 64u);
}

TEST_F(DramTextTest, ReadsTracesOfCoresOfRamulator) {
  EXPECT_THAT(Imported("ramulator-cpu", "3 4096\n0 0x2000 8192\n5 64 W\n", bytes_),
              ElementsAre(Read(4096, 64, 3), Read(0x2000, 64), Write(8192, 64), Write(64, 64, 5)));
}

TEST_F(DramTextTest, ReadsTracesOfDramSim) {
  EXPECT_THAT(Imported("dramsim3", "0x1000 READ 0\n2000 WRITE 10\n3000 P_FETCH 10\n", bytes_),
              ElementsAre(Read(0x1000, 64), Write(0x2000, 64, 10), Access{0x3000, 64, Kind::kExecute, 0, 10}));
  EXPECT_EQ(header_.loop, Loop::kOpen);
}

TEST_F(DramTextTest, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(ImportRefusal("ramulator-dram", "10 R\n10 X\n", bytes_),
              HasSubstr("input:2: \"10 X\" is not ADDRESS [R|W]"));
  EXPECT_THAT(ImportRefusal("ramulator-dram", "zz R\n", bytes_), HasSubstr("input:1: \"zz R\" has no address"));
  EXPECT_THAT(ImportRefusal("ramulator-cpu", "0x1 10\n", bytes_),
              HasSubstr("input:1: \"0x1 10\" is not BUBBLES ADDRESS"));
  EXPECT_THAT(ImportRefusal("ramulator-cpu", "1 10 11 12\n", bytes_), HasSubstr("input:1:"));
  EXPECT_THAT(ImportRefusal("dramsim3", "10 READ 5\n10 READ 4\n", bytes_),
              HasSubstr("input:2: \"10 READ 4\" comes before cycle 5"));
  EXPECT_THAT(ImportRefusal("dramsim3", "10 ERASE 5\n", bytes_), HasSubstr("is neither READ nor WRITE"));
  EXPECT_THAT(ImportRefusal("dramsim3", "10 READ 5\n10 REA", bytes_), HasSubstr("input:2: the last line has no end"));
}

TEST_F(DramTextTest, AsksForBytesWhereLinesDoNotFit) {
  EXPECT_THAT(
      ImportRefusal("ramulator-dram", "7f0000001000 R\n", lines_),
      HasSubstr(
          "input:1: 64 bytes at 0x1fc00000040000 end beyond the address space of 48 bits; are the addresses bytes?"));
  EXPECT_THAT(ImportRefusal("ramulator-dram", "ffffffffffffffff R\n", lines_), HasSubstr("more than 64 bits"));
}

}  // namespace
}  // namespace gmmu::trace
