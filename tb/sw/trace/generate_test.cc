// SPDX-License-Identifier: Apache-2.0
#include "trace/generate.h"

#include "tb/sw/trace/trace_bench.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GenerateTest : public TraceTest {
 protected:
  /// Returns a small workload of each generator.
  std::vector<std::string> Specs() {
    const std::string matrix =
        File("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 2\n2 3\n3 1\n1 4\n4 4\n");
    std::vector<std::string> specs;
    for (const Generator& generator : Generators()) {
      specs.push_back("gen:" + generator.name);
      for (const ParameterRule& rule : generator.rules) {
        if (rule.name == "count") specs.back() += ",count=2000";
        if (rule.name == "matrix") specs.back() += ",matrix=" + matrix;
        if (rule.name == "m" || rule.name == "n" || rule.name == "k") specs.back() += "," + rule.name + "=70";
        if (rule.name == "nx" || rule.name == "ny") specs.back() += "," + rule.name + "=40";
        if (rule.name == "build" || rule.name == "probe") specs.back() += "," + rule.name + "=300";
      }
    }
    return specs;
  }
};

TEST_F(GenerateTest, EachIsTheSameForTheSameSeedAndStaysInItsBounds) {
  for (const std::string& spec : Specs()) {
    SCOPED_TRACE(spec);
    Workload first = Open(spec, 5), second = Open(spec, 5);
    const std::vector<Access> accesses = All(*first.source);
    EXPECT_FALSE(accesses.empty());
    EXPECT_EQ(All(*second.source), accesses);
    Workload again = Open(first.header.provenance, 99);  // the seed comes from the provenance
    EXPECT_EQ(All(*again.source), accesses);
    if (first.header.count) EXPECT_EQ(accesses.size(), *first.header.count);
    for (const Access& access : accesses) {
      ASSERT_EQ(Wrong(access, first.header), "");
      ASSERT_GE(access.address, 256u << 20);
    }
  }
}

TEST_F(GenerateTest, EachHasItsSourceAndItsParameters) {
  for (const Generator& generator : Generators()) {
    SCOPED_TRACE(generator.name);
    EXPECT_GT(generator.follows.size(), 20u);
    for (const ParameterRule& rule : generator.rules) {
      EXPECT_FALSE(rule.unit.empty()) << rule.name;
      EXPECT_FALSE(rule.text.empty()) << rule.name;
      if (rule.initial) EXPECT_TRUE(*rule.initial >= rule.min && *rule.initial <= rule.max) << rule.name;
    }
  }
}

TEST_F(GenerateTest, SeedsMakeOtherAccesses) {
  Workload one = Open("gen:random,count=100", 1), two = Open("gen:random,count=100", 2);
  EXPECT_NE(All(*one.source), All(*two.source));
}

TEST_F(GenerateTest, ComputesBeforeEachAccessOrArrivesInAPeriod) {
  Workload closed = Open("gen:sequential,count=3,streams=1,compute=7", 0);
  EXPECT_EQ(closed.header.loop, Loop::kClosed);
  const std::vector<Access> computing = All(*closed.source);
  ASSERT_EQ(computing.size(), 3u);
  for (const Access& access : computing) EXPECT_EQ(access.cycles, 7u);
  Workload open = Open("gen:sequential,count=3,streams=1,period=10", 0);
  EXPECT_EQ(open.header.loop, Loop::kOpen);
  EXPECT_THAT(All(*open.source),
              ElementsAre(Read(256 << 20, 64, 0), Read((256 << 20) + 64, 64, 10), Read((256 << 20) + 128, 64, 20)));
}

TEST_F(GenerateTest, RefusesWhatDoesNotGoTogether) {
  const auto refused = [](const std::string& spec, unsigned bits = 64) {
    return Refusal([&] { Open(spec, 0, bits); });
  };
  EXPECT_THAT(refused("gen:walk"), HasSubstr("there is no generator \"walk\"; there are sequential, stride"));
  EXPECT_THAT(refused("gen:random,compute=1,period=1"), HasSubstr("give one of them"));
  EXPECT_THAT(refused("gen:chase,period=1"), HasSubstr("it has no period"));
  EXPECT_THAT(refused("gen:random,base=4096"), HasSubstr("base is not a multiple of 2 MiB"));
  EXPECT_THAT(refused("gen:random,footprint=64MiB", 28), HasSubstr("beyond the address space of 28 bits"));
  EXPECT_THAT(refused("gen:random,"), HasSubstr("ends in a comma"));
  EXPECT_EQ(refused("gen:random,footprint=64MiB,base=0", 26), "");
}

TEST(InTurn, TakesOneOfEachListThatHasSome) {
  std::vector<std::vector<Access>> lists = {{Read(1, 1), Read(2, 1)}, {}, {Read(3, 1)}};
  std::vector<Access> queue;
  InTurn(lists, queue);
  EXPECT_THAT(queue, ElementsAre(Read(1, 1), Read(3, 1), Read(2, 1)));
  EXPECT_TRUE(lists[0].empty());
}

TEST(Span, IsSplitAtLines) {
  std::vector<Access> list;
  Span(list, 0x70, 0x120, 0x80, Kind::kWrite, 3);
  EXPECT_THAT(list, ElementsAre(Write(0x70, 0x10, 0, 3), Write(0x80, 0x80, 0, 3), Write(0x100, 0x80, 0, 3),
                                Write(0x180, 0x10, 0, 3)));
}

}  // namespace
}  // namespace gmmu::trace
