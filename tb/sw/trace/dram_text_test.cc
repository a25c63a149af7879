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

TEST_F(DramTextTest, ReadsEveryCommandOfBothKindsOfTracesOfDramSim2) {
  EXPECT_THAT(Imported("dramsim3",
                       "0x40 P_MEM_RD 0\n0x80 P_LOCK_RD 1\n0xc0 P_MEM_WR 2\n0x100 P_LOCK_WR 3\n0x140 BOFF 4\n"
                       "0x180 P_FETCH 5\n0x1c0 IFETCH 6\n0x200 READ 7\n0x240 WRITE 8\n",
                       bytes_),
              ElementsAre(Read(0x40, 64), Read(0x80, 64, 1), Write(0xc0, 64, 2), Write(0x100, 64, 3),
                          Write(0x140, 64, 4), Access{0x180, 64, Kind::kExecute, 0, 5},
                          Access{0x1c0, 64, Kind::kExecute, 0, 6}, Read(0x200, 64, 7), Write(0x240, 64, 8)));
}

TEST_F(DramTextTest, ReadsLoadsAndStoresOfRamulator2) {
  EXPECT_THAT(Imported("ramulator2-loadstore", "LD 0x1040\nST 128\n", bytes_),
              ElementsAre(Read(0x1040, 64), Write(128, 64)));
  EXPECT_THAT(ImportRefusal("ramulator2-loadstore", "LD 0\nLD\n", bytes_),
              HasSubstr("input:2: \"LD\" is not LD|ST ADDRESS"));
  EXPECT_THAT(ImportRefusal("ramulator2-loadstore", "R 0\n", bytes_), HasSubstr("is not LD|ST ADDRESS"));
  EXPECT_THAT(ImportRefusal("ramulator2-loadstore", "ST 0y\n", bytes_), HasSubstr("has no address"));
}

TEST_F(DramTextTest, CountsLinesFromAddressVectorsOfRamulator2) {
  lines_.organization = {2, 1, 4, 4, 1024, 128};
  EXPECT_THAT(Imported("ramulator2-readwrite",
                       "R 0,0,0,0,0,1\nW 0,0,0,0,1,0\nR 0,0,0,1,0,0\nR 0,0,1,0,0,0\nR 1,0,0,0,0,0\n", lines_),
              ElementsAre(Read(64, 64), Write(128 * 64, 64), Read(1024 * 128 * 64, 64),
                          Read(uint64_t{4} * 1024 * 128 * 64, 64), Read(uint64_t{16} * 1024 * 128 * 64, 64)));
  const auto refused = [&](const std::string& text) { return ImportRefusal("ramulator2-readwrite", text, lines_); };
  EXPECT_THAT(refused("R 0,0,4,0,0,0\n"), HasSubstr("has index 4 of level 3, which has 4"));
  EXPECT_THAT(refused("R 0,0,0,0,0\n"), HasSubstr("has 5 indices, and --organization has 6 levels"));
  EXPECT_THAT(refused("R 0,0,0,0,0,0,0\n"), HasSubstr("has 7 indices"));
  EXPECT_THAT(refused("R 0,,0,0,0,0\n"), HasSubstr("has no index of level 2"));
  EXPECT_THAT(refused("LD 64\n"), HasSubstr("is not R|W INDEX,INDEX"));
  lines_.organization = {};
  EXPECT_THAT(refused("R 0\n"), HasSubstr("Give --organization"));
  bytes_.organization = {2};
  EXPECT_THAT(ImportRefusal("ramulator-dram", "0 R\n", bytes_),
              HasSubstr("--organization does not go with ramulator-dram"));
}

TEST_F(DramTextTest, QuotesALineOfAnotherKindOfFileSoThatATerminalStaysAsItIs) {
  EXPECT_THAT(ImportRefusal("ramulator-dram", "\x1b[2J\x01 R\n", bytes_),
              HasSubstr("input:1: \"\\x1b[2J\\x01 R\" has no address"));
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
