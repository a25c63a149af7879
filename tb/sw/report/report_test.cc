// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/json_report.h"
#include "report/text_report.h"

namespace gmmu::report {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

workload::JobResult Sample() {
  workload::JobResult result;
  result.verified = true;
  result.bytes = result.bytes_verified = 4096;
  result.cycles = 1000;
  result.simulated_ns = 1000;
  result.modes = {os::DmaMode::kRemapped};
  result.phases = {{"page in", 4096, 1000, 1000, true}};
  result.counters = {{"port_client0", "lookups", 100, "requests", ""}, {"port_client0", "hits", 75, "requests", ""},
                     {"port_client1", "lookups", 100, "requests", ""}, {"port_client1", "hits", 25, "requests", ""},
                     {"iommu", "iotlb_hits", 9, "requests", ""},       {"iommu", "iotlb_misses", 1, "requests", ""}};
  return result;
}

Limits SampleLimits() {
  Limits limits;
  limits.link_bytes_per_second = 8.192e9;
  limits.bus_bytes_per_second = 4.096e9;
  return limits;
}

TEST(TextReport, ShowsRatesAgainstTheirLimits) {
  const std::string text = TextReport(Sample(), SampleLimits());
  EXPECT_THAT(text, HasSubstr("verified"));
  EXPECT_THAT(text, HasSubstr("4.096 GB/s   50.0 % of link  100.0 % of bus"));
  EXPECT_THAT(text, HasSubstr("50.0 %  (100 of 200)"));
  EXPECT_THAT(text, HasSubstr("90.0 %  (9 of 10)"));
}

TEST(TextReport, SaysOfADeviceThatMightNotBeBusMasterHowOftenItTriedAllTheSame) {
  workload::JobResult result = Sample();
  EXPECT_THAT(TextReport(result, SampleLimits()), Not(HasSubstr("bus master")));
  result.counters = {{"device", "dma_not_master", 6492, "calls", ""}};
  EXPECT_THAT(TextReport(result, SampleLimits()),
              HasSubstr("\n  refused: 6492 accesses of host memory by a device that might not be bus master\n"));
}

TEST(TextReport, OfManyFaultsNamesTheFirstAndTheOneThatEndedTheRun) {
  workload::JobResult result = Sample();
  for (int i = 0; i < 200; ++i) {
    os::Fault fault;
    fault.source = "iommu";
    fault.text = "page " + std::to_string(i % 100);
    result.faults.push_back(fault);
  }
  result.faults.emplace_back().text = "the end";
  const std::string text = TextReport(result, SampleLimits());
  EXPECT_THAT(text, HasSubstr("iommu: page 11 (2 times)\n  and 88 faults more (--json names all)\n  : the end\n"));
  EXPECT_THAT(text, Not(HasSubstr("page 12")));
}

TEST(TextReport, NamesEverythingThatWentWrong) {
  workload::JobResult result = Sample();
  os::Fault fault;
  fault.source = "iommu";
  fault.text = "no read permission";
  os::Fault other = fault;
  other.text = "no write permission";
  result.faults = {fault, other, fault, fault};
  for (int i = 0; i < 20; ++i) result.leaks.push_back({"page", "0x1000", "vidmm", "test"});
  result.leaks.push_back({"adl", "3 pages", "driver", "DxgkCbAllocateAdl"});
  for (int i = 0; i < 10; ++i) result.findings.push_back({"bus", "beat " + std::to_string(i)});
  const std::string text = TextReport(result, SampleLimits());
  EXPECT_THAT(text, HasSubstr("FAILED"));
  EXPECT_THAT(text, HasSubstr("iommu: no read permission (3 times)\n  iommu: no write permission\n"));
  EXPECT_THAT(text, HasSubstr("leaked adl 3 pages of driver, created by DxgkCbAllocateAdl"));
  EXPECT_THAT(text, HasSubstr("and 9 leaks more"));
  EXPECT_THAT(text, HasSubstr("bus checker: beat 7\n"));
  EXPECT_THAT(text, HasSubstr("and 2 findings more"));
  EXPECT_THAT(text, Not(HasSubstr("beat 8")));
  EXPECT_THAT(text, Not(HasSubstr("no leak\n")));
}

TEST(TextReport, HasEveryModeOfTheIommuInItsOrder) {
  workload::JobResult result = Sample();
  EXPECT_THAT(TextReport(result, SampleLimits()), HasSubstr("IOMMU remapping, seed"));
  result.modes = {os::DmaMode::kPhysical, os::DmaMode::kIdentity};
  const std::string text = TextReport(result, SampleLimits());
  EXPECT_THAT(text, HasSubstr("IOMMU off (physical), then 1:1, seed"));
  EXPECT_THAT(text, HasSubstr("IOTLB hits")) << "of the second";
  EXPECT_EQ(nlohmann::json::parse(JsonReport(result, SampleLimits()))["machine"]["iommu"], "identity");
  result.modes = {};
  EXPECT_THAT(TextReport(result, SampleLimits()), HasSubstr("IOMMU off (physical), seed"));
}

TEST(TextReport, HasNoShareOfALinkOrABusThatIsNotModelled) {
  Limits limits = SampleLimits();
  limits.bus_bits = 64;
  EXPECT_THAT(TextReport(Sample(), limits),
              AllOf(HasSubstr("64-bit bus"), HasSubstr("link 8.192 GB/s, bus 4.096 GB/s")));
  limits.link_bytes_per_second = limits.bus_bytes_per_second = 0;
  const std::string text = TextReport(Sample(), limits);
  EXPECT_THAT(text, HasSubstr("4.096 GB/s\n"));
  EXPECT_THAT(text, Not(AnyOf(HasSubstr("of link"), HasSubstr("of bus"), HasSubstr("-bit bus"))));
}

TEST(TextReport, PutsWhatWasExpectedBehindWhatWentWrong) {
  workload::JobResult result = Sample();
  result.expected = workload::Expectation{"entry_invalid", 0, "at 0x5000"};
  os::Fault fault;
  fault.source = "gpu";
  fault.name = "entry_invalid";
  fault.text = "entry_invalid at 0x5000";
  result.faults = {fault, fault};
  result.checks = {{"the bytes", false, "differ"}};
  std::string text = TextReport(result, SampleLimits());
  EXPECT_THAT(text, AllOf(HasSubstr("ended as it must"), Not(HasSubstr("What went wrong"))));
  EXPECT_THAT(text, HasSubstr("What was expected\n"
                              "  check \"the bytes\": differ\n"
                              "  gpu: entry_invalid at 0x5000 (2 times)\n"));

  fault.text = "entry_invalid at 0x6000";
  result.faults.push_back(fault);
  result.leaks = {{"adl", "a", "driver", "b"}};
  text = TextReport(result, SampleLimits());
  EXPECT_THAT(text, HasSubstr("What went wrong\n"
                              "  gpu: entry_invalid at 0x6000\n"
                              "  leaked adl a of driver, created by b\n"
                              "What was expected\n"
                              "  check \"the bytes\": differ\n"
                              "  gpu: entry_invalid at 0x5000 (2 times)\n"));

  result.faults = {};
  text = TextReport(result, SampleLimits());
  EXPECT_THAT(text, HasSubstr("  expected: fault entry_invalid, \"at 0x5000\"\n")) << "it did not happen";
}

/// Appends the paths of all members of `json`, in order. A list is represented by its first
/// element, written as [].
void Members(const nlohmann::ordered_json& json, const std::string& at, std::vector<std::string>& members) {
  if (json.is_array() && !json.empty() && json[0].is_object()) return Members(json[0], at + "[]", members);
  if (!json.is_object()) return members.push_back(at);
  for (const auto& [name, value] : json.items()) Members(value, at.empty() ? name : at + "." + name, members);
}

TEST(JsonReport, HasTheMembersThatTheTableOfItsPageHas) {
  workload::JobResult result = Sample();
  os::Fault fault;
  fault.stop_code = 0x10E;
  result.faults = {fault};
  result.leaks.push_back({"page", "0x1000", "vidmm", "test"});
  result.findings.push_back({"bus", "text"});
  result.checks.push_back({"name", true, ""});
  result.counters = {{"BLOCK", "NAME", 1, "", ""}};
  result.refusal = workload::Refusal{3, "DxgkCbMapMemory", "DxgkDdiStartDevice"};
  std::vector<std::string> members, table;
  Members(nlohmann::ordered_json::parse(JsonReport(result, SampleLimits())), "", members);
  std::ifstream page(GMMU_SOURCE_DIR "/sw/report/README.md");
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `", 0) == 0) table.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(members, table);
}

TEST(JsonReport, HasTheKeysThatProgramsReadAndNoHostTimeUnderCounters) {
  workload::JobResult result = Sample();
  os::Fault fault;
  fault.source = "gpu";
  fault.name = "entry_invalid";
  fault.address = 0x5000;
  fault.space = 2;
  result.faults = {fault};
  result.leaks = {{"adl", "a", "driver", "b"}};
  const auto report = nlohmann::json::parse(JsonReport(result, SampleLimits()));
  EXPECT_EQ(report["faults"][0], nlohmann::json::parse(FaultAsJson(fault)));
  for (const char* key : {"verified", "bytes", "cycles", "cycles_evaluated", "simulated_ns", "host_seconds", "faults",
                          "leaks", "counters"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["faults"][0]["address"], "0x5000");
  EXPECT_EQ(report["faults"][0]["space"], 2);
  EXPECT_TRUE(report["faults"][0]["client"].is_null());
  EXPECT_EQ(report["leaks"][0]["created_by"], "b");
  EXPECT_EQ(report["counters"]["port_client1"]["hits"], 25);
}

}  // namespace
}  // namespace gmmu::report
