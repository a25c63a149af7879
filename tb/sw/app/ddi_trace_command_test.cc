// SPDX-License-Identifier: Apache-2.0
// Tests traces of the calls between driver and system, which gmmu run writes and gmmu trace reads.
#include "app/ddi_trace_command.h"

#include <nlohmann/json.hpp>
#include <set>

#include "app/ddi_trace_file.h"
#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct DdiTraceCommand : Cli {
  void Record(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"run",      "--engine",    "fast",    "--scenario",
                                          "main-job", "--trace-ddi", Path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ASSERT_EQ(Run(arguments), kExitGood) << err_;
  }
  int Read(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "trace");
    return Run(arguments);
  }
};

TEST_F(DdiTraceCommand, TwoRunsWithOneSeedAreEqualWithTheirTimes) {
  Record("a");
  Record("b");
  EXPECT_EQ(Read({Path("a"), "--compare", Path("b"), "--times"}), kExitGood);
  EXPECT_THAT(out_, HasSubstr("calls are equal, with their times\n"));
}

// The driver's load address makes no difference: the trace numbers handles and contains no
// addresses.
TEST_F(DdiTraceCommand, OfOurDriverInASharedObjectEqualsThatOfTheOneThatIsBuiltIn) {
  Record("a");
  Record("b", {"--driver", GMMU_DRIVERS "own.so"});
  EXPECT_EQ(Read({Path("a"), "--compare", Path("b"), "--times"}), kExitGood) << out_;
}

TEST_F(DdiTraceCommand, HasEveryCallWithItsHandlesArgumentsAndCallbacks) {
  Record("a");
  const DdiTraceFile trace = ReadDdiTrace(Path("a"));
  EXPECT_EQ(trace.about, "driver of the program, scenario main-job, engine fast, seed 0");
  std::set<std::string> names, created, destroyed;
  uint64_t number = 0;
  for (const DdiCall& call : trace.calls) {
    EXPECT_EQ(call.call, ++number) << "numbers have no gap";
    EXPECT_LT(call.inside, call.call);
    EXPECT_LE(call.ns, call.end_ns);
    EXPECT_TRUE(call.status) << call.name;
    names.insert(call.name);
    for (const auto& [name, value] : call.out)
      if (call.name == "DxgkDdiCreateContext" && name == "hContext") created.insert(value);
    if (call.name == "DxgkDdiDestroyContext") destroyed.insert(call.in.at(0).second);
  }
  for (const char* name :
       {"DxgkDdiAddDevice", "DxgkDdiStartDevice", "DxgkDdiQueryAdapterInfo", "DxgkDdiBuildPagingBuffer",
        "DxgkDdiSubmitCommandVirtual", "DxgkDdiInterruptRoutine", "DxgkDdiDpcRoutine", "DxgkDdiRemoveDevice",
        "DxgkCbMapMemory", "DxgkCbNotifyInterrupt", "DxgkCbQueueDpc", "DxgkCbNotifyDpc", "DxgkCbSynchronizeExecution"})
    EXPECT_THAT(names, Contains(name));
  EXPECT_THAT(created, Not(IsEmpty()));
  EXPECT_EQ(created, destroyed);
}

TEST_F(DdiTraceCommand, IsPrintedWithCallbacksInsideOfTheirCallsAndFiltered) {
  Record("a");
  EXPECT_EQ(Read({Path("a")}), kExitGood);
  EXPECT_THAT(out_, AllOf(HasSubstr("# driver of the program, scenario main-job"), HasSubstr(" DxgkDdiStartDevice("),
                          HasSubstr("   DxgkCbMapMemory(")));
  EXPECT_EQ(Read({Path("a"), "--name", "DxgkCb*Dpc"}), kExitGood);
  EXPECT_THAT(out_, AllOf(HasSubstr("DxgkCbQueueDpc"), HasSubstr("DxgkCbNotifyDpc"), Not(HasSubstr("DxgkDdi"))));
  EXPECT_EQ(Read({Path("a"), "--thread", "no such*"}), kExitGood);
  EXPECT_THAT(out_, HasSubstr(" 0 calls;"));
  EXPECT_EQ(Read({Path("a"), "--status", "0x0", "--name", "DxgkDdiAddDevice"}), kExitGood);
  EXPECT_THAT(out_, HasSubstr(" 1 calls;"));
  EXPECT_EQ(Read({Path("a"), "--status", "failed", "--name", "DxgkDdiAddDevice"}), kExitGood);
  EXPECT_THAT(out_, HasSubstr(" 0 calls;"));
  ExpectRefusal({"trace", Path("a"), "--status", "bad"}, "--status bad: give a number");
}

TEST_F(DdiTraceCommand, TheFirstDifferenceIsToldInWords) {
  Record("a");
  Record("b", {"--set", "os.window_pages=64"});
  EXPECT_EQ(Read({Path("a"), "--compare", Path("b")}), kExitFailed);
  EXPECT_THAT(out_, AllOf(HasSubstr("calls are equal; then call "), HasSubstr(" in the other\n")));
  std::ifstream file(Path("a"));
  std::string line, some;
  for (int i = 0; i < 6 && std::getline(file, line); ++i) some += line + "\n";
  std::ofstream(Path("short")) << some;
  EXPECT_EQ(Read({Path("short"), "--compare", Path("a")}), kExitFailed);
  EXPECT_THAT(out_, HasSubstr("short ends, and "));
}

TEST_F(DdiTraceCommand, TheCallThatDidNotReturnHasNoStatus) {
  EXPECT_EQ(Run({"run", "--engine", "fast", "--driver", GMMU_DRIVERS "past_pool.so", "--trace-ddi", Path("a")}),
            kExitFailed);
  EXPECT_EQ(Read({Path("a"), "--status", "none"}), kExitGood);
  EXPECT_THAT(out_, AllOf(HasSubstr("DxgkDdiAddDevice("), HasSubstr("-> did not return")));
}

TEST_F(DdiTraceCommand, PerfettoGetsARowForEachThread) {
  Record("a");
  EXPECT_EQ(Read({Path("a"), "--perfetto", Path("p.json")}), kExitGood);
  std::ifstream file(Path("p.json"));
  const auto events = nlohmann::json::parse(file)["traceEvents"];
  std::set<std::string> threads;
  size_t calls = 0;
  for (const auto& event : events) {
    if (event["ph"] == "M") threads.insert(event["args"]["name"].get<std::string>());
    if (event["ph"] == "X") ++calls;
  }
  EXPECT_EQ(calls, ReadDdiTrace(Path("a")).calls.size());
  EXPECT_THAT(threads, Contains("vidmm worker"));
  ExpectRefusal({"trace", Path("a"), "--perfetto", Path("a")}, "is the file of --perfetto and of the trace");
}

TEST_F(DdiTraceCommand, ATraceOfTheOtherKindIsRefusedWithTheCommandForIt) {
  Record("calls");
  ExpectRefusal({"trace", "print", Path("calls")}, "is a trace of a driver's calls: gmmu trace ");
  ExpectRefusal({"trace", "info", Path("calls")}, "is a trace of a driver's calls: gmmu trace ");
  ASSERT_EQ(Run({"trace", "generate", "gen:sequential", Path("accesses")}), kExitGood) << err_;
  ExpectRefusal({"trace", Path("accesses")}, "is printed by gmmu trace print");
  ExpectRefusal({"trace", "list", "--compare", Path("calls")}, "--compare");
  std::ofstream(Path("newer")) << "{\"schema\": \"gmmu-ddi-trace 2\"}\n";
  ExpectRefusal({"trace", Path("newer")}, "newer:1: is a gmmu-ddi-trace 2; this program reads gmmu-ddi-trace 1");
  std::ofstream(Path("broken")) << "{\"schema\": \"gmmu-ddi-trace 1\"}\n{\"call\": 1}\n";
  ExpectRefusal({"trace", Path("broken")}, "broken:2: is no call");
  ExpectRefusal({"trace"}, "gmmu trace needs a trace of a driver's calls, or list");
}

TEST_F(DdiTraceCommand, AHeaderWithAMemberOfAnotherTypeIsRefusedWithFileAndLine) {
  for (const char* member :
       {"\"engine\": 7", "\"seed\": \"x\"", "\"seed\": null", "\"set\": \"a=b\"", "\"set\": [7]", "\"scenario\": null",
        "\"driver\": []", "\"device\": {}", "\"config\": true", "\"file\": 1.5"}) {
    std::ofstream(Path("calls")) << "{\"schema\": \"gmmu-ddi-trace 1\", " << member << "}\n";
    ExpectRefusal({"trace", Path("calls")}, "calls:1: is no header: type must be ");
    ExpectRefusal({"replay-ddi", Path("calls")}, "calls:1: is no header: type must be ");
  }
}

}  // namespace
}  // namespace gmmu::app
