// SPDX-License-Identifier: Apache-2.0
// Tests gmmu check-driver, which runs a driver in several separate processes and summarizes its
// behaviour.
#include "app/check_driver.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/driver_verdict.h"
#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = ScenarioVerdict::Kind;

struct CheckDriverCommand : Cli {
  static std::string Named(const std::string& name) { return GMMU_DRIVERS + name + ".so"; }
  int Check(const std::string& driver, const std::string& only) {
    return Run({"check-driver", Named(driver), "--only", only, "--json", Path("v.json"), "--junit", Path("v.xml")});
  }
  nlohmann::json Verdict() const {
    std::ifstream file(Path("v.json"));
    return nlohmann::json::parse(file);
  }
  std::string JUnit() const {
    std::ifstream file(Path("v.xml"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(CheckDriverCommand, OurOwnDriverPasses) {
  EXPECT_EQ(Check("own", "main-*"), kExitGood) << out_ << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("1 tried: 1 passed, 0 failed, 0 not applicable"),
                          HasSubstr("\nPassed\n  main-job\n"), Not(HasSubstr("Failed"))));
  EXPECT_EQ(Verdict()["scenarios"].at(0)["verdict"], "passed");
  EXPECT_THAT(JUnit(), AllOf(HasSubstr("tests=\"1\" failures=\"0\""), HasSubstr("name=\"main-job\"")));
}

TEST_F(CheckDriverCommand, AFailureHasTheRuleThatWasBrokenAndTheCommandThatShowsIt) {
  setenv("GMMU_MISDEED", "no_waits", 1);
  EXPECT_EQ(Check("misbehaving", "main-job"), kExitFailed);
  unsetenv("GMMU_MISDEED");
  EXPECT_THAT(out_, AllOf(HasSubstr("  main-job: finding\n    waits checker: missing wait: "),
                          HasSubstr("    rule: rtl/dma/README.md, How software uses it"),
                          HasSubstr("    again: gmmu run --engine fast --scenario main-job --driver ")));
  EXPECT_EQ(Verdict()["scenarios"].at(0)["rules"].at(0)["section"], "How software uses it");
  EXPECT_THAT(JUnit(), AllOf(HasSubstr("failures=\"1\""), HasSubstr("<failure type=\"finding\""),
                             Not(HasSubstr("checker: missing wait: <"))));
}

TEST_F(CheckDriverCommand, ADriverThatCrashesEndsItsOwnRunOnly) {
  EXPECT_EQ(Check("wild", "main-job"), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("the program crashed outside of every call into the driver"));
  EXPECT_EQ(Check("past_pool", "main-job"), kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("  main-job: bug check 0xd6\n"), HasSubstr("rule: Driver Verifier, Special Pool")));
}

TEST_F(CheckDriverCommand, ADriverThatExitsOrDoesNotComeBackIsNamed) {
  setenv("GMMU_MISDEED", "exits", 1);
  EXPECT_EQ(Check("misbehaving", "main-job"), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("exit status 1: gmmu: the driver called exit inside of DxgkDdiEscape"));
  setenv("GMMU_MISDEED", "spins", 1);
  EXPECT_EQ(Run({"check-driver", Named("misbehaving"), "--only", "main-job", "--seconds", "1"}), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("  main-job: hung\n    the run did not end within 1 s and was ended"));
  unsetenv("GMMU_MISDEED");
}

TEST_F(CheckDriverCommand, WhatADriverNeedNotHaveIsNotApplicableWithTheCap) {
  EXPECT_EQ(Run({"check-driver", Named("software"), "--device", "none", "--only", "leaf-64k", "--junit",
                 Path("v.xml")}),
            kExitFailed)
      << "nothing passed";
  EXPECT_THAT(out_, AllOf(HasSubstr("0 passed, 0 failed, 1 not applicable"),
                          HasSubstr("  leaf-64k: DXGK_SEGMENTFLAGS.Use64KBPages is 0x0")));
  EXPECT_THAT(JUnit(), HasSubstr("<skipped message=\"DXGK_SEGMENTFLAGS.Use64KBPages is 0x0"));
}

TEST_F(CheckDriverCommand, RefusesWhatCannotBeRun) {
  ExpectRefusal({"check-driver", Path("nothing.so")}, "nothing.so");
  ExpectRefusal({"check-driver", Named("unknown_routine")}, "NobodyHasThisRoutine");
  ExpectRefusal({"check-driver", Named("own"), "--only", "nowhere"}, "--only nowhere: no scenario of that name");
  ExpectRefusal({"check-driver", Named("own"), "--engine", "board"}, "--engine board: a driver is checked on");
  ExpectRefusal({"check-driver", Named("own"), "--seconds", "0"}, "--seconds 0: give 1 to 86400");
  ExpectRefusal({"check-driver", Named("own"), "--json", Path("a"), "--junit", Path("a")},
                "is the file of --junit and of --json");
}

TEST(DriverVerdict, NamesTheCapThatIsMissing) {
  ChildRun run;
  run.end = "refused";
  run.wrong = {"the driver's table has no DxgkDdiQueryEngineStatus"};
  run.text = run.wrong[0];
  EXPECT_EQ(VerdictOf("s", "t", run, "c").kind, Kind::kNotApplicable);
  run.text =
      "the driver refused the start of a client (DxgkDdiEscape, code 2 of sw/kmd/escape.h) with status 0xc00000bb";
  EXPECT_EQ(VerdictOf("s", "t", run, "c").kind, Kind::kNotApplicable);
  run.text = "the driver refused DriverEntry with status 0xc00000bb";
  EXPECT_EQ(VerdictOf("s", "t", run, "c").kind, Kind::kFailed);
  run.end = "not applicable";
  EXPECT_EQ(VerdictOf("s", "t", run, "c").kind, Kind::kNotApplicable);
}

// The verdict quotes the driver's text; bytes that are not valid UTF-8 become U+FFFD.
TEST(DriverVerdict, OfTextThatIsNoUtf8IsStillXml) {
  DriverVerdict verdict;
  verdict.driver = "dr\xFCiver.so";
  ChildRun run;
  run.end = "refused";
  run.text = "caf\xC3\xA9 \x80 <\xED\xA0\x80>";
  run.wrong = {run.text};
  verdict.scenarios = {VerdictOf("s", "t", run, "again \xFF")};
  const std::string xml = verdict.JUnit();
  const std::string unknown = "\xEF\xBF\xBD";  // U+FFFD
  EXPECT_THAT(xml, AllOf(HasSubstr("dr" + unknown + "iver.so"), HasSubstr("message=\"caf\xC3\xA9 " + unknown + " &lt;"),
                         HasSubstr("again: again " + unknown)));
  EXPECT_NO_THROW(static_cast<void>(nlohmann::json(xml).dump())) << "dump() throws for what is no UTF-8";
}

TEST(DriverVerdict, FindsTheRuleOfALine) {
  EXPECT_EQ(RuleOf("translation checker: cycle 5")->page, "docs/ddi/tables.md");
  EXPECT_EQ(RuleOf("leaked adl 3 of driver, created by DxgkCbAllocateAdl")->document, "DXGKCB_FREEADL (d3dkmddi.h)");
  EXPECT_EQ(RuleOf("host_pages checker: a device read host memory at 0x0, in a page that nobody has")->page,
            "docs/ddi/remapping.md");
  EXPECT_EQ(RuleOf("something else"), nullptr);
}

}  // namespace
}  // namespace gmmu::app
