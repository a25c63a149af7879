// SPDX-License-Identifier: Apache-2.0
#include "report/json_report.h"

#include <nlohmann/json.hpp>

#include "hw/unit_names.h"
#include "os/base/bug_check.h"
#include "os/base/text.h"

namespace gmmu::report {
namespace {
using Json = nlohmann::ordered_json;

Json Known(int64_t value) { return value < 0 ? Json(nullptr) : Json(value); }

const char* ModeOf(os::DmaMode mode) {  // names as in setting [os] iommu
  switch (mode) {
    case os::DmaMode::kRemapped: return "remap";
    case os::DmaMode::kIdentity: return "identity";
    case os::DmaMode::kPhysical: return "physical";
  }
  return "";
}

Json StopOf(const os::Fault& fault) {
  if (fault.stop_code == 0) return nullptr;
  Json parameters = Json::array();
  for (uint64_t parameter : fault.stop_parameters) parameters.push_back(os::Hex(parameter));
  return {{"code", os::Hex(fault.stop_code)},
          {"name", os::NameOf(static_cast<os::StopCode>(fault.stop_code))},
          {"parameters", parameters}};
}

Json JsonOf(const os::Fault& fault) {
  return {{"source", fault.source},
          {"name", fault.name},
          {"address", os::Hex(fault.address)},
          {"space", Known(fault.space)},
          {"client", Known(fault.client)},
          {"level", Known(fault.level)},
          {"access", fault.access},
          {"fence", Known(fault.fence)},
          {"bug_check", StopOf(fault)},
          {"text", fault.text}};
}

/// Returns the block's name in the table of counters. Blocks with the same counters share a name.
std::string KindOf(const std::string& block) {
  const std::string own = block.substr(hw::UnitPrefixLength(block));
  return own.rfind("port_", 0) == 0 ? "port_*" : own;
}
}  // namespace

std::string FaultAsJson(const os::Fault& fault) {
  return JsonOf(fault).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string JsonReport(const workload::JobResult& result, const Limits& limits) {
  Json report;
  report["schema_version"] = kSchemaVersion;
  report["program"] = {{"version", limits.version}, {"commit", limits.commit}};
  report["verified"] = result.verified;
  report["passed"] = result.Passed();
  report["not_applicable"] = result.NotApplicable() ? Json(result.not_applicable) : Json(nullptr);
  report["scenario"] = limits.scenario.empty() ? Json(nullptr) : Json(limits.scenario);
  report["bytes"] = result.bytes;
  report["bytes_verified"] = result.bytes_verified;
  report["cycles"] = result.cycles;
  report["cycles_evaluated"] = result.cycles_evaluated;
  report["simulated_ns"] = result.simulated_ns;
  report["host_seconds"] = result.host_seconds;
  report["faults"] = Json::array();
  for (const os::Fault& fault : result.faults) {
    report["faults"].push_back(JsonOf(fault));
  }
  report["leaks"] = Json::array();
  for (const os::Leak& leak : result.leaks) {
    report["leaks"].push_back(
        {{"kind", leak.kind}, {"name", leak.name}, {"owner", leak.owner}, {"created_by", leak.created_by}});
  }
  report["findings"] = Json::array();
  for (const hw::Finding& finding : result.findings) {
    report["findings"].push_back({{"probe", finding.probe}, {"text", finding.text}});
  }
  if (result.refusal) {
    const workload::Refusal& refusal = *result.refusal;
    report["refused_on_purpose"] = {{"seen", refusal.seen}, {"what", refusal.what}, {"inside", refusal.inside}};
  }
  report["declared_not_modelled"] = result.unmodelled;
  report["checks"] = Json::array();
  for (const workload::Check& check : result.checks) {
    report["checks"].push_back({{"name", check.name}, {"passed", check.passed}, {"text", check.text}});
  }
  report["phases"] = Json::array();
  for (const workload::Phase& phase : result.phases) {
    report["phases"].push_back({{"name", phase.name},
                                {"bytes", phase.bytes},
                                {"ns", phase.ns},
                                {"cycles", phase.cycles},
                                {"link", phase.link}});
  }
  report["machine"] = {{"engine", limits.engine},
                       {"timing", limits.timing},
                       {"driver", limits.driver.empty() ? Json(nullptr) : Json(limits.driver)},
                       {"clock_mhz", limits.clock_mhz},
                       {"bus_bits", limits.bus_bits},
                       {"iommu", ModeOf(result.modes.empty() ? os::DmaMode::kPhysical : result.modes.back())},
                       {"clients", result.clients},
                       {"seed", limits.seed},
                       {"link_bytes_per_second", limits.link_bytes_per_second},
                       {"bus_bytes_per_second", limits.bus_bytes_per_second}};
  report["configuration"] = limits.configuration.empty() ? Json(nullptr) : Json::parse(limits.configuration);
  report["by_time"] = result.by_time;
  report["counters"] = Json::object();
  report["counter_table"] = Json::object();
  for (const hw::Counter& counter : result.counters) {
    report["counters"][counter.block][counter.name] = counter.known ? Json(counter.value) : Json(nullptr);
    report["counter_table"][KindOf(counter.block)][counter.name] = {{"unit", counter.unit},
                                                                    {"description", counter.description}};
  }
  // Paths, and text from the driver, may contain invalid UTF-8.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gmmu::report
