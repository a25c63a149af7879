// SPDX-License-Identifier: Apache-2.0
#include "workload/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <set>
#include <string>

#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGood[] = R"(
title = "A title"
parts = ["one", "two"]
evidence = "documents"
procedure = "main_job"
[machine.host]
memory_gib = 64
[parameters]
bytes = 4096
)";

std::string ErrorOf(const std::string& text) {
  try {
    ParseScenario(text, "folder/some-name.toml");
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "";
}

TEST(Scenario, HoldsWhatItsFileSays) {
  const Scenario scenario = ParseScenario(kGood, "folder/some-name.toml");
  EXPECT_EQ(scenario.name, "some-name");
  EXPECT_EQ(scenario.title, "A title");
  EXPECT_THAT(scenario.parts, ElementsAre("one", "two"));
  EXPECT_EQ(scenario.evidence, "documents");
  EXPECT_THAT(scenario.machine, HasSubstr("memory_gib = 64"));
  EXPECT_EQ(scenario.parameters.at("bytes"), 4096u);
  EXPECT_EQ(scenario.parameters.at("pages_out_of_reach"), 0u) << "the procedure's own value";
  EXPECT_FALSE(scenario.expected);
}

TEST(Scenario, MayNameCountersThatDependOnTime) {
  EXPECT_THAT(ParseScenario("by_time = [\"gpu_engine.commands\"]\n" + std::string(kGood), "x.toml").by_time,
              ElementsAre("gpu_engine.commands"));
}

TEST(Scenario, MayExpectAFault) {
  const Scenario scenario = ParseScenario(
      std::string(kGood) + "[expect]\nfault = \"bug_check\"\nstop_code = 0x10E\ntext = \"busy\"\n", "x.toml");
  ASSERT_TRUE(scenario.expected);
  EXPECT_EQ(scenario.expected->fault, "bug_check");
  EXPECT_EQ(scenario.expected->stop_code, 0x10Eu);
  EXPECT_EQ(scenario.expected->text, "busy");
}

TEST(Scenario, StatesWhatMustHaveHappened) {
  const Scenario scenario =
      ParseScenario(std::string(kGood) + "[happens]\nevictions = 2\n\"FILL + VIRTUAL_FILL\" = 3\n", "x.toml");
  JobResult result;
  result.verified = true;
  result.happened = {{"evictions", 2}, {"FILL", 1}, {"VIRTUAL_FILL", 2}};
  CompareHappenings(scenario.happens, result);
  EXPECT_TRUE(result.verified);
  EXPECT_EQ(result.checks.size(), 2u);
  result.happened.erase("FILL");
  CompareHappenings(scenario.happens, result);
  EXPECT_FALSE(result.verified);
  EXPECT_EQ(std::count_if(result.checks.begin(), result.checks.end(),
                          [](const Check& check) {
                            return check.name == "at least 3 FILL + VIRTUAL_FILL" && check.text == "2 happened";
                          }),
            1);
}

TEST(Scenario, ARunThatEndsWithAFaultNeedNotHaveDoneEverything) {
  JobResult result;
  result.faults.emplace_back();
  CompareHappenings({{"evictions", 1}}, result);
  EXPECT_TRUE(result.checks.empty());
}

TEST(Scenario, ErrorsNameFileLineAndWhatIsKnown) {
  const std::string good = kGood;
  EXPECT_THAT(ErrorOf("title = "), HasSubstr("folder/some-name.toml:1: not TOML"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("title is missing"));
  EXPECT_THAT(ErrorOf("titel = \"a\"\n" + good), HasSubstr(":1: unknown key titel; known: title"));
  EXPECT_THAT(ErrorOf("title = 3"), HasSubstr("title is a text"));
  EXPECT_THAT(ErrorOf("procedure = \"x\""), HasSubstr("no procedure \"x\"; there are: main_job"));
  EXPECT_THAT(ErrorOf("parts = []"), HasSubstr("parts is a list"));
  EXPECT_THAT(ErrorOf(good + "pages = 1"), HasSubstr(":10: procedure main_job has no parameter pages; it has: bytes"));
  EXPECT_THAT(ErrorOf(good + "pages_out_of_reach = -1"), HasSubstr("a whole number from 0 to"));
  EXPECT_THAT(ErrorOf(good + "[expect]\nstop_code = 3"), HasSubstr("needs fault"));
  EXPECT_THAT(ErrorOf(good + "[expect]\nfualt = \"a\""), HasSubstr("unknown key expect.fualt"));
}

TEST(Scenario, TheBuiltInOnesHaveDifferentNamesAndCanBeFound) {
  std::set<std::string> names;
  for (const Scenario& scenario : Scenarios()) {
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    EXPECT_EQ(FindScenario(scenario.name).title, scenario.title);
    EXPECT_NE(FindProcedure(scenario.procedure), nullptr);
  }
  EXPECT_THAT(names, Contains("main-job"));
  EXPECT_THROW(FindScenario("nothing"), ScenarioError);
  EXPECT_THROW(FindScenario("no/such/file.toml"), ScenarioError);
}

TEST(JobResult, PassesWithTheExpectedFaultAndNothingElse) {
  JobResult result;
  result.verified = true;
  EXPECT_TRUE(result.Passed());
  os::Fault fault;
  fault.name = "bug_check";
  fault.stop_code = 0x10E;
  fault.text = "the driver was busy";
  result.faults = {fault};
  EXPECT_FALSE(result.Passed());
  result.expected = Expectation{"bug_check", 0x10E, "busy"};
  EXPECT_TRUE(result.Passed());
  result.expected->stop_code = 0x119;
  EXPECT_FALSE(result.Passed());
  result.expected->stop_code = 0x10E;
  result.findings.push_back({"bus", "something"});
  EXPECT_FALSE(result.Passed());
  result.findings.clear();
  result.faults.clear();
  EXPECT_FALSE(result.Passed()) << "what was expected did not happen";
}

}  // namespace
}  // namespace gmmu::workload
