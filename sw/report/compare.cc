// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <cstdint>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace gmmu::report {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

/// The counters to compare, by block name without the GPU's prefix. Ports (port_*) have their own
/// rules.
const std::vector<std::pair<std::string, Texts>> kCounters = {
    {"gpu_mmu", {"invalidations"}},
    {"gpu_aperture", {"ap_lookups"}},
    {"gpu_engine", {"ring_entries", "commands", "copy_read_bytes", "copy_write_bytes"}},
    {"gpu_bus", {"fault_records", "vram_write_bytes", "host_read_bytes"}},
    {"gpu_clients", {"client_read_bytes", "client_write_bytes"}},
};

/// The members of the machine, of each check, and of each phase that are compared.
const Texts kMachine = {"clock_mhz", "bus_bits", "iommu", "clients", "seed"};
const Texts kCheck = {"name", "passed", "text"};
const Texts kPhase = {"name", "bytes", "link"};

void Check(bool good, const std::string& member, const char* what) {
  if (!good) throw CompareError("member " + member + " " + what);
}

void CheckObject(const Json& value, const std::string& at, const Texts& keys) {
  Check(value.is_object(), at, "is no object");
  for (const std::string& key : keys) Check(value.contains(key), at + "." + key, "is missing");
}

/// Checks that each element of a list has the members `keys`, and that those in `texts` are
/// strings.
void CheckList(const Json& report, const std::string& name, const Texts& keys, const Texts& texts = {}) {
  const Json& list = report[name];
  Check(list.is_array(), name, "is no list");
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string at = name + "[" + std::to_string(i) + "]";
    CheckObject(list[i], at, keys);
    for (const std::string& key : texts) Check(list[i][key].is_string(), at + "." + key, "is no text");
  }
}

/// Throws CompareError unless the report has all members that Comparison reads, with the right
/// types.
void CheckReport(const Json& report) {
  Check(report.is_object(), "passed", "is missing");
  for (const char* key : {"passed", "scenario", "verified", "bytes", "bytes_verified", "checks", "phases", "faults",
                          "leaks", "findings", "machine", "counters"})
    Check(report.contains(key), key, "is missing");
  CheckObject(report["machine"], "machine", kMachine);
  CheckList(report, "checks", kCheck);
  CheckList(report, "phases", kPhase);
  CheckList(report, "faults", {"source"}, {"source"});
  CheckList(report, "leaks", {"owner"});
  CheckList(report, "findings", {"probe"}, {"probe"});
  CheckObject(report["counters"], "counters", {});
  for (const auto& [block, counters] : report["counters"].items()) {
    CheckObject(counters, "counters." + block, {});
    for (const auto& [name, value] : counters.items())
      Check(value.is_number() || value.is_null(), "counters." + block + "." + name, "is no number");
  }
  Check(!report.contains("by_time") || report["by_time"].is_array(), "by_time", "is no list");
}

Json Parsed(std::string_view text, const char* which) {
  const std::string wrong = std::string("the ") + which + " is no report of gmmu run --json: ";
  try {
    Json report = Json::parse(text);
    CheckReport(report);
    return report;
  } catch (const Json::parse_error& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 1: ..."
    throw CompareError(wrong + what.substr(what.find("] ") + 2));
  } catch (const CompareError& error) {
    throw CompareError(wrong + error.what());
  }
}

class Comparison {
 public:
  Comparison(const Json& first, const Json& second) : first_(first), second_(second) {}

  Texts Run() {
    for (const char* key : {"scenario", "verified", "passed", "bytes", "bytes_verified"})
      Same(key, first_[key], second_[key]);
    for (const std::string& key : kMachine) Same("machine." + key, first_["machine"][key], second_["machine"][key]);
    Lists("check", kCheck, first_["checks"], second_["checks"]);
    Same("faults", Faults(first_), Faults(second_));
    Same("leaks", Leaks(first_), Leaks(second_));
    Same("findings", Probes(first_), Probes(second_));
    if (RanToTheEnd(first_) && RanToTheEnd(second_)) {
      Lists("phase", kPhase, first_["phases"], second_["phases"]);
      Counters();
    }
    return std::move(found_);
  }

 private:
  void Same(const std::string& what, const Json& first, const Json& second) {
    if (first != second) found_.push_back(what + ": " + first.dump() + " and " + second.dump());
  }

  void Lists(const std::string& what, const Texts& keys, const Json& first, const Json& second) {
    for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
      const std::string name = what + " " + std::to_string(i + 1);
      if (i >= first.size() || i >= second.size()) {
        const Json none;
        return Same(name, i < first.size() ? first[i] : none, i < second.size() ? second[i] : none);
      }
      for (const std::string& key : keys) Same(name + "." + key, first[i][key], second[i][key]);
    }
  }

  static bool RanToTheEnd(const Json& report) { return report["passed"] == true && report["faults"].empty(); }
  static Json Faults(const Json& report) {
    std::set<std::string> all;
    for (Json fault : report["faults"]) {
      const std::string source = fault["source"];
      if (source == "gpu" || source == "timeout" || source == "machine") fault.erase("text");
      all.insert(fault.dump());
    }
    return all;
  }
  static Json Leaks(const Json& report) {
    std::multiset<std::string> all;
    for (Json leak : report["leaks"]) {
      if (leak["owner"] == "hardware") leak.erase("name");
      all.insert(leak.dump());
    }
    return all;
  }
  static Json Probes(const Json& report) {
    std::set<std::string> all;
    for (const Json& finding : report["findings"]) all.insert(finding["probe"].get<std::string>());
    return all;
  }

  void Counters() {
    const Json &first = first_["counters"], &second = second_["counters"];
    std::set<std::string> blocks;
    for (const Json* report : {&first, &second})
      for (const auto& [block, counters] : report->items()) blocks.insert(block);
    for (const std::string& block : blocks) {
      const std::string plain = block.substr(block.rfind('.') + 1);  // without the GPU's prefix
      if (plain.rfind("port_", 0) == 0) Port(block, plain, At(first, block), At(second, block));
      for (const auto& [name, counters] : kCounters) {
        if (plain != name) continue;
        for (const std::string& counter : counters) {
          if (!ByTime(plain + "." + counter))
            Same("counters." + block + "." + counter, At(At(first, block), counter), At(At(second, block), counter));
        }
      }
      if (plain == "gpu_bus" && !ByTime("gpu_bus.host_write_bytes")) {
        Same("counters." + block + ".host_write_bytes but messages", WrittenData(At(first, block)),
             WrittenData(At(second, block)));
      }
    }
  }
  /// Compares the ports. The number of faulting lookups depends on timing: if one lookup faults,
  /// the lookups that are in flight at the same time also fault.
  void Port(const std::string& block, const std::string& plain, const Json& first, const Json& second) {
    const auto good = [](const Json& c) { return Number(c, "lookups") - Number(c, "faults"); };
    const auto faulted = [](const Json& c) { return Number(c, "faults") != 0; };
    if (!ByTime(plain + ".lookups")) Same("counters." + block + ".lookups but faults", good(first), good(second));
    if (!ByTime(plain + ".faults")) Same("counters." + block + ".faults at all", faulted(first), faulted(second));
  }
  static Json At(const Json& object, const std::string& key) {
    return object.contains(key) ? object[key] : Json::object();
  }
  /// Returns the counter's value, or 0 if it is missing, or null because the engine does not count
  /// it.
  static int64_t Number(const Json& counters, const std::string& name) {
    const Json value = At(counters, name);
    return value.is_number() ? value.get<int64_t>() : 0;
  }
  bool ByTime(const std::string& counter) const {
    const Json list = first_.value("by_time", Json::array());
    return std::find(list.begin(), list.end(), counter) != list.end();
  }
  /// Returns the bytes written without those of interrupt messages (4 bytes each), because the
  /// number of messages depends on which interrupt causes coincide.
  static Json WrittenData(const Json& bus) { return Number(bus, "host_write_bytes") - 4 * Number(bus, "messages"); }

  const Json& first_;
  const Json& second_;
  Texts found_;
};

}  // namespace

Texts Differences(std::string_view first, std::string_view second) {
  const Json one = Parsed(first, "first"), two = Parsed(second, "second");
  return Comparison(one, two).Run();
}

}  // namespace gmmu::report
