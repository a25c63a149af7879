// SPDX-License-Identifier: Apache-2.0
#include "app/trace_command.h"

#include <nlohmann/json.hpp>

#include "tb/sw/app/cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TraceCommand : public Cli {
 protected:
  std::string File(const std::string& name, const std::string& text) {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }
};

TEST_F(TraceCommand, ImportsThenSaysAndPrintsWhatIsThere) {
  const std::string in = File("in.lackey", "I  0401ab70,3\n S 1fff000ffc,8\n L 1000,4\n");
  ASSERT_EQ(Run({"trace", "import", "lackey", in, Path("t.gtrace"), "--page", "4096"}), kExitGood) << err_;
  EXPECT_THAT(out_, HasSubstr("t.gtrace: 2 accesses"));
  ASSERT_EQ(Run({"trace", "print", Path("t.gtrace")}), kExitGood);
  EXPECT_EQ(out_,
            "# in virtual: stream, kind, address, bytes, cycles of computing before\n"
            "0 write 0x1fff000ffc 8 1\n0 read 0x1000 4 0\n");
  ASSERT_EQ(Run({"trace", "print", Path("t.gtrace"), "--first", "1"}), kExitGood);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
  ASSERT_EQ(Run({"trace", "info", Path("t.gtrace"), "--json"}), kExitGood);
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["schema"], "gmmu-trace-info 1");
  EXPECT_EQ(json["accesses"], 2);
  EXPECT_EQ(json["writes"], 1);
  EXPECT_EQ(json["pages_4k"], 3);
  EXPECT_EQ(json["pages_2m"], 2);
  EXPECT_EQ(json["page_bytes"], 4096);
  EXPECT_TRUE(json["window"].is_null());
  ASSERT_EQ(Run({"trace", "info", Path("t.gtrace")}), kExitGood);
  EXPECT_THAT(out_, HasSubstr("pages_4k      3\n"));
}

TEST_F(TraceCommand, AFileOfAGeneratorHoldsWhatItMakes) {
  const std::string spec = "gen:zipf,footprint=1MiB,count=500";
  ASSERT_EQ(Run({"trace", "generate", spec, Path("z.gtrace"), "--seed", "4"}), kExitGood) << err_;
  EXPECT_THAT(out_, HasSubstr("seed=4"));
  ASSERT_EQ(Run({"trace", "print", Path("z.gtrace")}), kExitGood);
  const std::string file = out_;
  ASSERT_EQ(Run({"trace", "print", spec, "--seed", "4"}), kExitGood);
  EXPECT_EQ(out_, file);
}

TEST_F(TraceCommand, ListsGeneratorsWithTheirSourcesAndFormats) {
  ASSERT_EQ(Run({"trace", "list"}), kExitGood);
  EXPECT_THAT(out_, HasSubstr("gen:gemm\n"));
  EXPECT_THAT(out_, HasSubstr("follows Volkov and Demmel"));
  EXPECT_THAT(out_, HasSubstr("    tile=64 elements, 1 to 256: of a tile's side\n"));
  EXPECT_THAT(out_, HasSubstr("import dramsim3\n"));
  ASSERT_EQ(Run({"trace", "list", "--json"}), kExitGood);
  EXPECT_EQ(nlohmann::json::parse(out_)["generators"].size(), 11u);
}

TEST_F(TraceCommand, RefusesWithoutWritingAnything) {
  const std::string in = File("in.txt", "1000 R\n10zz R\n"), out = Path("o.gtrace");
  ExpectRefusal({"trace", "import", "ramulator-dram", in, out}, "Are the addresses virtual or physical?");
  ExpectRefusal({"trace", "import", "ramulator-dram", in, out, "--addresses", "physical"},
                "Are the addresses bytes or lines?");
  ExpectRefusal({"trace", "import", "ramulator-dram", in, out, "--addresses", "both"}, "give virtual or physical");
  ExpectRefusal({"trace", "import", "ramulator-dram", in, out, "--unit", "line:48"}, "a power of two");
  ExpectRefusal({"trace", "import", "ramulator-dram", in, out, "--addresses", "physical", "--unit", "line:64"},
                "in.txt:2: \"10zz R\" has no address");
  ExpectRefusal({"trace", "import", "ramulator-dram", in, in}, "is the file of OUT and of IN");
  ExpectRefusal({"trace", "import", "ramulator2-readwrite", in, out, "--organization", "2,0,8"},
                "how many of each level");
  ExpectRefusal({"trace", "import", "ramulator2-readwrite", in, out, "--organization", "4294967296,4294967296"},
                "2^64 lines at most");
  ExpectRefusal({"trace", "import", "lackey", Path("none"), out}, "none: cannot be opened");
  ExpectRefusal({"trace", "import", "lackey", in, Path("no/o.gtrace")}, "cannot be created");
  ExpectRefusal({"trace", "import", "lackey", in, out, "--address-bits", "70"}, "--address-bits 70: give 12 to 64");
  ExpectRefusal({"trace", "generate", "gen:random,count=0", out}, "count=0 is not 1 to");
  ExpectRefusal({"trace", "generate", "random", out}, "is no generator");
  ExpectRefusal({"trace", "info", in}, "in.txt:1: not a trace of gmmu");
  ExpectRefusal({"trace", "print", "gen:random", "--first", "many"}, "\"many\" is not a number");
  ExpectRefusal({"trace"}, "gmmu trace needs a trace");
}

}  // namespace
}  // namespace gmmu::app
