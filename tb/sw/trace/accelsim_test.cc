// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Kernel(int blocks, const std::string& body, const std::string& version = "4") {
  return "-kernel name = vectoradd\n-kernel id = 1\n-grid dim = (" + std::to_string(blocks) +
         ",1,1)\n-block dim = (64,1,1)\n-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = "
         "0x00007f2000000000\n"
         "-accelsim tracer version = " +
         version + "\n-enable lineinfo = 0\n\n#traces format = PC mask\n\n" + body;
}
std::string Block(const std::string& first, const std::string& second, int count = 2) {
  return "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " + std::to_string(count) + "\n" + first +
         "\nwarp = 1\ninsts = 1\n" + second + "\n#END_TB\n\n";
}

const char kAdd[] = "0010 ffffffff 1 R4 IMAD.MOV 2 R1 R255 0 0\n";
const char kLoad[] = "0020 ffffffff 1 R6 LDG.E.SYS 1 R2 4 1 0x1000 4 0\n";
const char kStore[] = "0030 0000000f 0 STG.E.64 2 R2 R6 8 2 0x2000 8 8 120 0\n";

class AccelSimTest : public TraceTest {};

TEST_F(AccelSimTest, MakesAnAccessOfEachLineThatAnInstructionTouches) {
  EXPECT_THAT(Imported("accelsim", Kernel(1, Block(std::string(kAdd) + kLoad, kStore))),
              ElementsAre(Read(0x1000, 128, 1, 0), Write(0x2000, 24, 0, 1), Write(0x2088, 8, 0, 1)));
  EXPECT_THAT(header_.provenance, HasSubstr("lines of 128 bytes, 1 thread blocks at once"));
}

TEST_F(AccelSimTest, MakesAnAccessOfEachThreadWhenAsked) {
  ImportOptions options;
  options.coalesce = 1;
  const std::vector<Access> all = Imported("accelsim", Kernel(1, Block(std::string(kAdd) + kLoad, kStore)), options);
  ASSERT_EQ(all.size(), 36u);
  EXPECT_EQ(all[0], Read(0x1000, 4, 1, 0));
  EXPECT_EQ(all[1], Write(0x2000, 8, 0, 1));
  EXPECT_EQ(all.back(), Read(0x107c, 4));
}

TEST_F(AccelSimTest, BlocksThatRunAtOnceTakeTurns) {
  ImportOptions options;
  options.blocks = 2;
  const std::string block = Block(std::string(kAdd) + kLoad, kLoad);
  EXPECT_THAT(Imported("accelsim", Kernel(3, block + block + block), options),
              ElementsAre(Read(0x1000, 128, 1, 0), Read(0x1000, 128, 0, 1), Read(0x1000, 128, 1, 2),
                          Read(0x1000, 128, 0, 3), Read(0x1000, 128, 1, 0), Read(0x1000, 128, 0, 1)));
}

TEST_F(AccelSimTest, ReadsListsOfAddressesAndGenericAccesses) {
  const std::string list = "0020 00000011 1 R6 LD.E.128 1 R2 16 0 0x1000 0x5000 0\n";
  const std::string shared = "0030 00000001 1 R6 LD.E 1 R2 4 0 0x7f0000000040 0\n";
  EXPECT_THAT(Imported("accelsim", Kernel(1, Block(list + shared, "0040 00000000 1 R6 ATOMG.E.ADD 1 R2 4 0\n"))),
              ElementsAre(Read(0x1000, 16), Read(0x5000, 16)));
  EXPECT_THAT(notes_, ElementsAre("left out: 1 instructions of shared memory"));
}

TEST_F(AccelSimTest, ReadsTheKernelsOfAList) {
  File("kernel-1.traceg", Kernel(1, Block(std::string(kAdd) + kLoad, kLoad)));
  File("kernel-2.traceg", Kernel(1, Block(std::string(kLoad) + kAdd, kStore)));
  EXPECT_THAT(Imported("accelsim", "MemcpyHtoD,0x1000,256\nkernel-1.traceg\nkernel-2.traceg\n"),
              ElementsAre(Read(0x1000, 128, 1, 0), Read(0x1000, 128, 0, 1), Read(0x1000, 128, 0, 0),
                          Write(0x2000, 24, 0, 1), Write(0x2088, 8, 0, 1)));
}

TEST_F(AccelSimTest, FindsTheKernelsOfAListByTheirPaths) {
  std::filesystem::create_directories(Path("deep"));
  File("kernel-1.traceg", Kernel(1, Block(std::string(kAdd) + kLoad, kLoad)));
  File("deep/kernel-2.traceg", Kernel(1, Block(std::string(kLoad) + kAdd, kStore)));
  const std::string store = Path("deep/kernel-2.traceg");
  const auto both = Imported("accelsim", "\n# run 1\nncclGroupStart\n./kernel-1.traceg \n" + store + "\n");
  EXPECT_EQ(both.size(), 5u);
  EXPECT_EQ(Imported("accelsim", "kernel-1.traceg\ndeep/kernel-2.traceg\n"), both);
  EXPECT_THAT(ImportRefusal("accelsim", "kernel-1.traceg\n./krenel-2.traceg\n"),
              HasSubstr("input:2: \"./krenel-2.traceg\" is no line of a kernel's file"));
  EXPECT_THAT(ImportRefusal("accelsim", "kernel-9.traceg\n"), HasSubstr("kernel-9.traceg: cannot be opened"));
}

TEST_F(AccelSimTest, NamesTheLineOfWhatIsWrong) {
  const auto refused = [&](const std::string& line) {
    return ImportRefusal("accelsim", Kernel(1, Block(kAdd + line, kLoad)));
  };
  EXPECT_THAT(refused("0020 ffffffff 1 R6 LDG.E 1 R2 4 3 0x1000\n"), HasSubstr("input:19: \"0020 ffffffff"));
  EXPECT_THAT(refused("0020 ffffffff 1 R6 LDG.E 1 R2 4 3 0x1000\n"), HasSubstr("has mode 3 of the addresses"));
  EXPECT_THAT(refused("0020 ffff00ff 1 R6 LDG.E 1 R2 4 1 0x1000 4\n"), HasSubstr("a mask with holes"));
  EXPECT_THAT(refused("0020 0000000f 1 R6 LDG.E 1 R2 4 2 0x1000 4\n"), HasSubstr("ends where a difference must be"));
  EXPECT_THAT(refused("0020 ffffffff 1 R6 UTMALDG 1 R2 4 0 0x1000\n"),
              HasSubstr("accesses memory by UTMALDG, which is not known"));
  EXPECT_THAT(refused("0020 xyz 1 R6 LDG 1 R2 4\n"), HasSubstr("has \"xyz\" where the mask must be"));
  EXPECT_THAT(refused("\n"), HasSubstr("the warp ends 1 instructions early"));
  EXPECT_THAT(ImportRefusal("accelsim", Kernel(2, Block(std::string(kAdd) + kLoad, kLoad))),
              HasSubstr("ends in the middle: 1 of the 2 thread blocks"));
  EXPECT_THAT(ImportRefusal("accelsim", Kernel(1, "#BEGIN_TB\nwarp = 0\n")),
              HasSubstr("ends in the middle of a thread block"));
  EXPECT_THAT(ImportRefusal("accelsim", Kernel(1, "#BEGIN_TB\nwarp = 2\n")), HasSubstr("a block has 2 warps"));
  EXPECT_THAT(ImportRefusal("accelsim", Kernel(1, "", "2")), HasSubstr("tracer version 2"));
  EXPECT_THAT(ImportRefusal("accelsim", "-grid dim = 5\n"), HasSubstr("input:1: \"5\" is not (X,Y,Z)"));
}

}  // namespace
}  // namespace gmmu::trace
