// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "gmmu/gmmu.h"
#include "host/bare_machine.h"

namespace gmmu {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const Engine kFast{"fast", 3};

Job SmallJob() {
  Job job{kFast, "", std::vector<uint8_t>(64 << 10)};
  for (size_t i = 0; i < job.input.size(); ++i) job.input[i] = static_cast<uint8_t>(i * 11 + i / 256);
  return job;
}

Replay SmallReplay(const std::string& workload = "gen:random,footprint=1MiB,count=2000") {
  Replay replay;
  replay.engine = kFast;
  replay.options.workload = workload;
  replay.options.warmup = 500;
  return replay;
}

Json ReportOf(const Machine& machine) {
  Json report = Json::parse(machine.Report());
  report.erase("host_seconds");
  return report;
}

std::string ErrorOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Machine, RunsAJobAndGivesItsBytesBack) {
  const Job job = SmallJob();
  std::vector<uint8_t> back;
  std::set<std::string> phases;
  Listener listener;
  listener.output = [&](const void* bytes, size_t size) {
    const auto* from = static_cast<const uint8_t*>(bytes);
    back.insert(back.end(), from, from + size);
  };
  listener.progress = [&](const std::string& phase, uint64_t, uint64_t) { phases.insert(phase); };
  Machine machine({}, job, listener);
  EXPECT_EQ(machine.cycles(), 0u);
  EXPECT_THROW(machine.Report(), std::logic_error);
  machine.Run();
  EXPECT_TRUE(machine.done());
  EXPECT_TRUE(machine.Passed());
  EXPECT_EQ(back, job.input);
  EXPECT_THAT(phases, Contains("page in"));
  EXPECT_EQ(ReportOf(machine)["cycles"], machine.cycles());
}

TEST(Machine, HasTheSameReportWhateverItsSteps) {
  Json whole;
  {
    Machine machine({}, SmallJob());
    machine.Run();
    whole = ReportOf(machine);
  }
  for (const uint64_t step : {1'000, 77'777}) {
    Machine machine({}, SmallJob());
    uint64_t last = 0;
    while (machine.Step(step)) {
      EXPECT_GE(machine.cycles(), last + step);
      EXPECT_LT(machine.cycles(), last + step + 60'000) << "a read of a register waits behind the copies of the GPU";
      last = machine.cycles();
      ASSERT_FALSE(machine.Counters().empty());
    }
    EXPECT_EQ(ReportOf(machine), whole) << step;
  }
}

TEST(Machine, CountsBetweenSteps) {
  Machine machine({}, SmallReplay());
  EXPECT_TRUE(machine.Counters().empty());
  const auto hits = [&] {
    uint64_t sum = 0;
    for (const hw::Counter& counter : machine.Counters())
      if (counter.block == "l2" || counter.name.find("requests") != std::string::npos) sum += counter.value;
    return sum;
  };
  uint64_t last = 0, grown = 0;
  while (machine.Step(20'000)) {
    const uint64_t now = hits();
    EXPECT_GE(now, last);
    grown += now > last;
    last = now;
  }
  EXPECT_GT(grown, 1u);
  EXPECT_TRUE(machine.Passed());
}

TEST(Machine, TellsEachAccessOfAReplay) {
  std::vector<Access> accesses;
  Listener listener;
  listener.accesses = [&](const Access* some, size_t count) { accesses.insert(accesses.end(), some, some + count); };
  Machine machine({}, SmallReplay(), listener);
  machine.Run();
  const Json phases = ReportOf(machine)["replay"]["phases"];
  uint64_t requests = 0;
  for (const Json& phase : phases) requests += phase["requests"].get<uint64_t>();
  ASSERT_EQ(accesses.size(), requests);
  uint64_t slowest = 0;
  for (const Access& access : accesses) {
    EXPECT_EQ(access.fault, 0);
    slowest = std::max(slowest, access.answered - access.requested);
  }
  EXPECT_GE(slowest, phases.back()["port_latency"]["min"].get<uint64_t>());
}

TEST(Machine, GoesOnBehindAnEventWhoseListenerThrew) {
  unsigned calls = 0;
  Listener listener;
  listener.progress = [&](const std::string&, uint64_t, uint64_t) {
    if (++calls == 3) throw std::out_of_range("enough");
  };
  Machine machine({}, SmallJob(), listener);
  EXPECT_THROW(machine.Run(), std::out_of_range);
  EXPECT_FALSE(machine.done());
  EXPECT_FALSE(machine.Counters().empty());
  machine.Run();
  EXPECT_TRUE(machine.Passed());
}

TEST(Machine, CanBeGivenUpAtAnyTime) {
  for (const uint64_t cycles : {0, 1, 5'000, 30'000, 60'000, 90'000, 120'000}) {
    Machine machine({}, SmallJob());
    if (cycles != 0) ASSERT_TRUE(machine.Step(cycles)) << cycles;
  }
  Machine next({}, SmallReplay());
  ASSERT_TRUE(next.Step(10'000));
}

TEST(Machine, TellsTheFaultsOfAScenario) {
  std::vector<std::string> names;
  Listener listener;
  listener.fault = [&](const os::Fault& fault) { names.push_back(fault.name); };
  const std::string scenario = "noisy-device";
  Machine machine(Configuration::OfScenario(scenario), Job{kFast, scenario, {}}, listener);
  machine.Run();
  EXPECT_EQ(names.size(), ReportOf(machine)["faults"].size());
  EXPECT_FALSE(names.empty());
}

/// An example of a library user's software: copies 4 KiB to VRAM and back, and returns 42 if they
/// are unchanged.
int CopyThroughVram(hw::Platform& platform) {
  using regs::Target;
  sim::BareMachine machine(platform);
  machine.PowerOn();
  machine.StartRing();
  machine.Fill(0x400000, 4096, 5);
  if (!machine.Execute(sim::BareMachine::Copy(Target::kSystem, 0x400000, Target::kVram, 0x10000, 4096)) ||
      !machine.Execute(sim::BareMachine::Copy(Target::kVram, 0x10000, Target::kSystem, 0x500000, 4096)))
    return 1;
  return machine.Bytes(0x400000, 4096) == machine.Bytes(0x500000, 4096) ? 42 : 2;
}

TEST(Machine, RunsSoftwareOfItsUser) {
  Machine machine({}, Software{kFast, CopyThroughVram});
  while (machine.Step(100)) {}
  EXPECT_EQ(machine.result(), 42);
  EXPECT_FALSE(machine.Counters().empty());
  EXPECT_THROW(machine.Report(), std::logic_error);
}

TEST(Machine, ComesAfterOthersInOneProcessOnEveryEngine) {
  std::map<std::string, uint64_t> cycles;
  for (unsigned round = 0; round < 2; ++round) {
    for (const std::string& engine : Engines()) {
      {
        Machine given_up({}, Job{{engine, 0}, "", std::vector<uint8_t>(4096)});
        ASSERT_TRUE(given_up.Step(5'000)) << engine;
        EXPECT_FALSE(given_up.Counters().empty()) << engine;
      }
      Machine machine({}, Software{{engine, 0}, CopyThroughVram});
      while (machine.Step(1'000)) {}
      EXPECT_EQ(machine.result(), 42) << engine;
      if (round == 0) cycles[engine] = machine.cycles();
      EXPECT_EQ(machine.cycles(), cycles[engine]) << engine;
    }
  }
}

TEST(Machine, PassesOnWhatItsSoftwareThrowsOnEveryEngine) {
  for (const std::string& engine : Engines()) {
    Machine machine({}, Software{{engine, 0}, [](hw::Platform& platform) -> int {
                                   sim::BareMachine(platform).PowerOn();
                                   throw std::out_of_range("far");
                                 }});
    EXPECT_THROW(machine.Run(), std::out_of_range) << engine;
    EXPECT_TRUE(machine.done()) << engine;
  }
}

TEST(Machine, RefusesWhatCannotRunBeforeAnythingIsSimulated) {
  Job job = SmallJob();
  job.engine.name = "slow";
  EXPECT_THAT(ErrorOf([&] { Machine machine({}, job); }), HasSubstr("no engine \"slow\" in this build; there is: "));
  job.engine = kFast;
  job.scenario = "none";
  EXPECT_THAT(ErrorOf([&] { Machine machine({}, job); }), HasSubstr("none"));
  EXPECT_THAT(ErrorOf([&] { Machine machine({}, SmallReplay("gen:random,footprint=2048GiB,count=9")); }),
              HasSubstr("footprint=2048GiB is not "));
  EXPECT_THAT(ErrorOf([&] { Machine machine({}, SmallReplay("/no/trace")); }), HasSubstr("/no/trace"));
  Configuration reorders;
  reorders.Set({"gpu.vram_reorder=true"});
  EXPECT_THAT(ErrorOf([&] { Machine machine(reorders, SmallJob()); }), HasSubstr("gpu.vram_reorder"));
  Machine first({}, SmallJob());
  EXPECT_THAT(ErrorOf([&] { Machine second({}, SmallJob()); }), HasSubstr("another machine"));
}

}  // namespace
}  // namespace gmmu
