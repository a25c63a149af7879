// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "tb/sw/trace/trace_bench.h"
#include "trace/summary.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char kHead[] = "==7== Lackey, an example Valgrind tool\n==7== Command: ./loop\n==7==\n";
const char kBody[] = "I  0401ab70,3\nI  0401ab73,5\n S 1fff000778,8\nI  0401b770,1\n L 1fff000778,4\n M 0421a000,16\n";
const char kTail[] = "==7== \n==7== Exit code:       0\n";

class LackeyTest : public TraceTest {};

TEST_F(LackeyTest, CountsInstructionsAsCycles) {
  EXPECT_THAT(Imported("lackey", std::string(kHead) + kBody + kTail),
              ElementsAre(Write(0x1fff000778, 8, 2), Read(0x1fff000778, 4, 1), Read(0x421a000, 16),
                          Write(0x421a000, 16)));
}

TEST_F(LackeyTest, MakesFetchesAccessesWhenAsked) {
  ImportOptions options;
  options.fetches = true;
  const std::vector<Access> all = Imported("lackey", kBody, options);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[0], (Access{0x401ab70, 3, Kind::kExecute, 0, 0}));
  EXPECT_EQ(all[2], Write(0x1fff000778, 8));
}

TEST_F(LackeyTest, PassesOverBlankLines) {
  EXPECT_THAT(Imported("lackey", "\n L 1000,8\n  \n S 2000,4\n"), ElementsAre(Read(0x1000, 8), Write(0x2000, 4)));
}

TEST_F(LackeyTest, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(ImportRefusal("lackey", " L 1000,65537\n"),
              HasSubstr("input:1: \" L 1000,65537\" has 65537 bytes; an access has at most 65536"));
  EXPECT_THAT(ImportRefusal("lackey", std::string(kHead) + kBody), HasSubstr("input:9: ends in the middle"));
  EXPECT_THAT(ImportRefusal("lackey", std::string(kBody) + "hello\n"),
              HasSubstr("input:7: \"hello\" is no line of lackey"));
  EXPECT_THAT(ImportRefusal("lackey", " L 10z0,8\n"), HasSubstr("input:1: \" L 10z0,8\" has no address,size"));
  EXPECT_THAT(ImportRefusal("lackey", " L 1000,8\n L 1000"), HasSubstr("input:2: the last line has no end"));
  EXPECT_THAT(ImportRefusal("lackey", " L ffffffffff600000,8\n"),
              HasSubstr("input:1: 8 bytes at 0xffffffffff600000 end beyond"));
  EXPECT_THAT(ImportRefusal("lackey", std::string(kHead) + kTail), HasSubstr("was it made with --trace-mem=yes?"));
}

// Imports a trace of a real program, if valgrind is installed.
TEST_F(LackeyTest, ReadsWhatValgrindWrites) {
  if (std::system("valgrind --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind is not installed";
  const std::string log = Path("true.lackey");
  ASSERT_EQ(std::system(("valgrind --tool=lackey --trace-mem=yes --log-file=" + log + " /bin/true").c_str()), 0);
  Workload workload = Import("lackey", log, {}, notes_);
  Summary summary;
  while (const auto access = workload.source->Next()) summary.Add(*access);
  uint64_t loads = 0, stores = 0, modifies = 0;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    loads += line.rfind(" L", 0) == 0;
    stores += line.rfind(" S", 0) == 0;
    modifies += line.rfind(" M", 0) == 0;
  }
  EXPECT_GT(loads, 10000u);
  EXPECT_EQ(summary.count(Kind::kRead), loads + modifies);
  EXPECT_EQ(summary.count(Kind::kWrite), stores + modifies);
  EXPECT_GT(summary.pages_4k(), 30u);
  EXPECT_LT(summary.pages_4k(), 1000u);
}

}  // namespace
}  // namespace gmmu::trace
