// SPDX-License-Identifier: Apache-2.0
// Tests which members of two engines' reports of the same work must be equal, and which may differ.
#include "report/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json_report.h"

namespace gmmu::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

workload::JobResult Sample() {
  workload::JobResult result;
  result.verified = true;
  result.bytes = result.bytes_verified = 4096;
  result.cycles = 1000;
  result.simulated_ns = 1000;
  result.phases = {{"page in", 4096, 1000, 1000, true}};
  result.checks = {{"bytes", true, ""}};
  result.counters = {{"port_client0", "lookups", 100, "requests", ""}, {"port_client0", "hits", 75, "requests", ""},
                     {"gpu_mmu", "invalidations", 3, "", ""},          {"unit1.gpu_engine", "commands", 9, "", ""},
                     {"gpu_bus", "host_write_bytes", 4096, "", ""},    {"gpu_bus", "messages", 0, "", ""}};
  return result;
}

os::Fault Fault(const std::string& source, const std::string& text) {
  os::Fault fault;
  fault.source = source;
  fault.name = "entry_invalid";
  fault.text = text;
  return fault;
}

std::string Report(const workload::JobResult& result, const std::string& engine = "rtl") {
  Limits limits;
  limits.engine = engine;
  limits.timing = engine == "rtl" ? "exact" : "estimated";
  return JsonReport(result, limits);
}

/// Compares the report of a result with that of a copy that `change` has modified.
std::vector<std::string> After(void (*change)(workload::JobResult&), workload::JobResult first = Sample()) {
  workload::JobResult second = first;
  change(second);
  return Differences(Report(first), Report(second, "fast"));
}

using Result = workload::JobResult;

TEST(Differences, TimesRatesAndHitsMayDiffer) {
  EXPECT_THAT(After([](Result& r) {
                r.cycles = r.cycles_evaluated = r.simulated_ns = 7;
                r.host_seconds = 7;
                r.phases[0].ns = r.phases[0].cycles = 7;
                r.counters[1].value = 7;
              }),
              IsEmpty());
}

TEST(Differences, AreNamedWhateverChanged) {
  EXPECT_THAT(After([](Result& r) { r.bytes_verified = 0; }), ElementsAre("bytes_verified: 4096 and 0"));
  EXPECT_THAT(After([](Result& r) { r.modes = {os::DmaMode::kRemapped}; }),
              ElementsAre("machine.iommu: \"physical\" and \"remap\""));
  EXPECT_THAT(After([](Result& r) { r.clients = 2; }), ElementsAre("machine.clients: 0 and 2"));
  EXPECT_THAT(After([](Result& r) { r.checks[0].name = "words"; }),
              ElementsAre("check 1.name: \"bytes\" and \"words\""));
  EXPECT_THAT(After([](Result& r) { r.checks.push_back({"more", true, ""}); }),
              ElementsAre(HasSubstr("check 2: null and {\"name\":\"more\"")));
  EXPECT_THAT(After([](Result& r) { r.phases[0].bytes = 1; }), ElementsAre("phase 1.bytes: 4096 and 1"));
  EXPECT_THAT(After([](Result& r) { r.leaks.push_back({"adl", "3 pages", "driver", "DxgkCbAllocateAdl"}); })[1],
              HasSubstr("leaks: [] and [\"{"));
  EXPECT_THAT(After([](Result& r) { r.findings.push_back({"bus", "a text"}); })[1],
              HasSubstr("findings: [] and [\"bus\"]"));
}

TEST(Differences, OfCountersOfEveryGpuButNotOfMessages) {
  EXPECT_THAT(After([](Result& r) { r.counters[0].value = 99; }),
              ElementsAre("counters.port_client0.lookups but faults: 100 and 99"));
  EXPECT_THAT(After([](Result& r) { r.counters[3].value = 8; }),
              ElementsAre("counters.unit1.gpu_engine.commands: 9 and 8"));
  EXPECT_THAT(After([](Result& r) { r.counters[4].value = 4104, r.counters[5].value = 2; }), IsEmpty());
  EXPECT_THAT(After([](Result& r) { r.counters[4].value = 4104, r.counters[5].value = 1; }),
              ElementsAre("counters.gpu_bus.host_write_bytes but messages: 4096 and 4100"));
  EXPECT_THAT(After([](Result& r) { r.counters.pop_back(), r.counters.pop_back(); }),
              ElementsAre("counters.gpu_bus.host_write_bytes but messages: 4096 and 0"));
  EXPECT_THAT(After([](Result& r) { r.counters.push_back({"pcie_up", "bytes", 7, "", ""}); }), IsEmpty());
}

TEST(Differences, OfFaultedLookupsIsWhetherNotHowMany) {
  Result first = Sample();
  first.counters.push_back({"port_client0", "faults", 2, "", ""});
  first.counters[0].value = 102;
  EXPECT_THAT(After([](Result& r) { r.counters[0].value = 228, r.counters.back().value = 128; }, first), IsEmpty());
  EXPECT_THAT(After([](Result& r) { r.counters.back().value = 3; }, first),
              ElementsAre("counters.port_client0.lookups but faults: 100 and 99"));
  EXPECT_THAT(After([](Result& r) { r.counters[0].value = 100, r.counters.back().value = 0; }, first),
              ElementsAre("counters.port_client0.faults at all: true and false"));
}

TEST(Differences, OfACounterThatTheReportCallsByTimeIsNone) {
  Result first = Sample();
  first.by_time = {"gpu_engine.commands", "port_client0.lookups"};
  EXPECT_THAT(After([](Result& r) { r.counters[0].value = 1, r.counters[3].value = 1; }, first), IsEmpty());
  EXPECT_THAT(After([](Result& r) { r.counters[2].value = 1; }, first),
              ElementsAre(HasSubstr("gpu_mmu.invalidations")));
}

/// Every read in flight can report a blocked access, so the number of faults and their messages may
/// differ.
TEST(Differences, OfFaultsAreThoseOfKindNotOfNumber) {
  workload::JobResult faulted = Sample();
  faulted.verified = false;
  faulted.faults = {Fault("gpu", "client 0 read")};
  EXPECT_THAT(After([](Result& r) { r.faults.push_back(Fault("gpu", "client 0 read again")); }, faulted), IsEmpty());
  EXPECT_THAT(After([](Result& r) { r.faults[0].address = 0x1000; }, faulted), ElementsAre(HasSubstr("faults: ")));
  EXPECT_THAT(After([](Result& r) { r.faults[0].name = "write_protect"; }, faulted),
              ElementsAre(HasSubstr("write_protect")));
  EXPECT_THAT(After([](Result& r) { r.counters[0].value = 7; }, faulted), IsEmpty()) << "it was stopped somewhere";
  faulted.faults = {Fault("bus", "1 reads")};
  EXPECT_THAT(After([](Result& r) { r.faults[0].text = "2 reads"; }, faulted), ElementsAre(HasSubstr("2 reads")));
}

TEST(Differences, NeedTwoReports) {
  EXPECT_THROW(Differences("", Report(Sample())), CompareError);
  EXPECT_THROW(Differences(Report(Sample()), "{}"), CompareError);
}

/// Removes each member that the comparison reads, or changes its type. The comparison must name the
/// member or find a difference.
TEST(Differences, OfAReportWhoseMembersAreOfOtherTypesAreRefusedByTheMembersName) {
  workload::JobResult full = Sample();
  full.faults = {Fault("gpu", "client 0 read")};
  full.leaks = {{"adl", "3 pages", "driver", "DxgkCbAllocateAdl"}};
  full.findings = {{"bus", "a text"}};
  full.by_time = {"gpu_engine.commands"};
  unsigned refused = 0;
  for (const auto& sample : {Sample(), full}) {
    const std::string good = Report(sample);
    const auto report = nlohmann::json::parse(good);
    const auto flat = report.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      for (nlohmann::json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
        for (const char* other :
             {"null", "7", "\"x\"", "[]", "{}", "[{}]", "[[]]", "{\"x\": null}", "{\"x\": {\"y\": []}}"}) {
          nlohmann::json changed = report;
          changed[at] = nlohmann::json::parse(other);
          try {
            Differences(good, changed.dump());
            Differences(changed.dump(), good);
          } catch (const CompareError& error) {
            EXPECT_THAT(error.what(), HasSubstr(" is no report of gmmu run --json: member ")) << at << other;
            ++refused;
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 0u);
  const auto refusal = [](const std::string& second) {
    try {
      Differences(Report(Sample()), second);
    } catch (const CompareError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  auto report = nlohmann::json::parse(Report(Sample()));
  report["phases"] = {nlohmann::json::object()};
  EXPECT_EQ(refusal(report.dump()), "the second is no report of gmmu run --json: member phases[0].name is missing");
  report["machine"] = nullptr;
  EXPECT_EQ(refusal(report.dump()), "the second is no report of gmmu run --json: member machine is no object");
  EXPECT_THAT(refusal("{\n x"), HasSubstr("is no report of gmmu run --json: parse error at line 2, column 2"));
}

}  // namespace
}  // namespace gmmu::report
