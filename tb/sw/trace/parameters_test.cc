// SPDX-License-Identifier: Apache-2.0
#include "trace/parameters.h"

#include "tb/sw/trace/trace_bench.h"

namespace gmmu::trace {
namespace {

using ::testing::HasSubstr;

const std::vector<ParameterRule> kRules = {{"size", 4096, "bytes", 1, 1 << 30, "of it"},
                                           {"count", 7, "accesses", 1, 10, "of them"},
                                           {"matrix", std::nullopt, "file", 0, 0, "to read"}};

std::string Refused(const std::string& text) {
  return Refusal([&] { Parameters("demo", text, kRules); });
}

TEST(Parameters, AreNumbersWithSizesAndFiles) {
  const Parameters parameters("demo", "size=3MiB,matrix=a/b.mtx", kRules);
  EXPECT_EQ(parameters["size"], 3u << 20);
  EXPECT_EQ(parameters["count"], 7u);
  EXPECT_EQ(parameters.File("matrix"), "a/b.mtx");
  EXPECT_TRUE(parameters.given("size"));
  EXPECT_FALSE(parameters.given("count"));
  EXPECT_EQ(parameters.Spec(), "gen:demo,matrix=a/b.mtx,count=7,size=3145728");
}

TEST(Parameters, NameTheKeyThatIsWrong) {
  EXPECT_THAT(Refused("sise=1,matrix=m"), HasSubstr("gen:demo: unknown key \"sise\"; there are size, count, matrix"));
  EXPECT_THAT(Refused("count=11,matrix=m"), HasSubstr("gen:demo: count=11 is not 1 to 10 accesses"));
  EXPECT_THAT(Refused("count=1e3,matrix=m"), HasSubstr("count=1e3 is no whole number"));
  EXPECT_THAT(Refused("size=99999999999999GiB,matrix=m"), HasSubstr("is no whole number"));
  EXPECT_THAT(Refused("count=1,count=2,matrix=m"), HasSubstr("count stands twice"));
  EXPECT_THAT(Refused("count"), HasSubstr("\"count\" is not KEY=VALUE"));
  EXPECT_THAT(Refused("count=1"), HasSubstr("needs matrix=FILE: to read"));
  EXPECT_THAT(Refused("matrix="), HasSubstr("matrix has no path"));
  EXPECT_THAT(Refused("matrix=m,"), HasSubstr("ends in a comma"));
}

}  // namespace
}  // namespace gmmu::trace
