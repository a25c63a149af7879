// SPDX-License-Identifier: Apache-2.0
#include "workload/scenario.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <toml++/toml.h>

#include "os/application/gpu.h"
#include "workload/built_in_scenarios.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

template <typename List, typename NameOf>
std::string Names(const List& list, NameOf name_of) {
  std::string names;
  for (const auto& item : list) names += (names.empty() ? "" : ", ") + name_of(item);
  return names;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Scenario Read(const toml::table& root) {
    const size_t slash = file_.find_last_of('/');
    scenario_.name = slash == std::string::npos ? file_ : file_.substr(slash + 1);
    scenario_.name.resize(scenario_.name.size() - std::string(".toml").size());
    for (const auto& [name, node] : root) Key(std::string(name.str()), node);
    for (const char* name : {"title", "parts", "evidence", "procedure"}) {
      if (root.get(name) == nullptr) throw ScenarioError(file_ + ": " + name + " is missing");
    }
    const Procedure& procedure = *FindProcedure(scenario_.procedure);
    for (const ParameterRule& rule : procedure.parameters) scenario_.parameters.emplace(rule.name, rule.initial);
    if (const toml::node* parameters = root.get("parameters")) Parameters(procedure, *parameters);
    return scenario_;
  }

 private:
  void Key(const std::string& name, const toml::node& node) {
    if (name == "title") {
      scenario_.title = Text(name, node);
    } else if (name == "evidence") {
      scenario_.evidence = Text(name, node);
    } else if (name == "procedure") {
      scenario_.procedure = Text(name, node);
      if (FindProcedure(scenario_.procedure) == nullptr) {
        Fail(node, "no procedure " + Quoted(scenario_.procedure) +
                       "; there are: " + Names(Procedures(), [](const Procedure& p) { return p.name; }));
      }
    } else if (name == "parts" || name == "by_time") {
      if (!node.is_array() || node.as_array()->empty()) Fail(node, name + " is a list of names");
      auto& list = name == "parts" ? scenario_.parts : scenario_.by_time;
      for (const toml::node& part : *node.as_array()) list.push_back(Text(name, part));
    } else if (name == "needs") {
      Needs(name, node);
    } else if (name == "machine") {
      static_cast<void>(Table(name, node));
    } else if (name == "expect") {
      Expect(Table(name, node));
    } else if (name == "happens") {
      for (const auto& [names, count] : Table(name, node))
        scenario_.happens.push_back(
            {std::string(names.str()), Number("happens." + std::string(names.str()), count, 1, uint64_t{1} << 32)});
    } else if (name != "parameters") {
      Fail(node, "unknown key " + name +
                     "; known: title, parts, evidence, procedure, by_time, needs, [machine], "
                     "[parameters], [happens], [expect]");
    }
  }

  /// Parses capabilities such as "DXGK_GPUMMUCAPS.DualPteSupported" or
  /// "DXGK_GPUMMUCAPS.PageTableLevelCount = 6"; "<=" may replace "=".
  void Needs(const std::string& name, const toml::node& node) {
    if (!node.is_array() || node.as_array()->empty()) Fail(node, name + " is a list of capabilities");
    for (const toml::node& each : *node.as_array()) {
      const std::string text = Text(name, each);
      const size_t space = text.find(' '), equals = text.find("= ");
      Need need{text.substr(0, space), std::nullopt, text.find(" <= ") == space};
      if (space != std::string::npos) {
        const std::string number = equals == std::string::npos ? "" : text.substr(equals + 2);
        char* end = nullptr;
        need.value = std::strtoull(number.c_str(), &end, 0);
        if (number.empty() || *end != 0) Fail(each, Quoted(text) + ": write NAME, NAME = NUMBER or NAME <= NUMBER");
      }
      const auto& known = os::Gpu::CapNames();
      if (std::find(known.begin(), known.end(), need.cap) == known.end())
        Fail(each,
             "no capability " + Quoted(need.cap) + "; there are: " + Names(known, [](const auto& n) { return n; }));
      scenario_.needs.push_back(std::move(need));
    }
  }

  void Expect(const toml::table& table) {
    Expectation expected;
    for (const auto& [name, node] : table) {
      if (name.str() == "fault") {
        expected.fault = Text("expect.fault", node);
      } else if (name.str() == "text") {
        expected.text = Text("expect.text", node);
      } else if (name.str() == "stop_code") {
        expected.stop_code = static_cast<uint32_t>(Number("expect.stop_code", node, 0, 0xFFFFFFFF));
      } else {
        Fail(node, "unknown key expect." + std::string(name.str()) + "; known: fault, stop_code, text");
      }
    }
    if (expected.fault.empty()) Fail(table, "[expect] needs fault, the name of the fault");
    scenario_.expected = expected;
  }

  void Parameters(const Procedure& procedure, const toml::node& node) {
    for (const auto& [key, value] : Table("parameters", node)) {
      const std::string name(key.str());
      const auto rule = std::find_if(procedure.parameters.begin(), procedure.parameters.end(),
                                     [&](const ParameterRule& r) { return r.name == name; });
      if (rule == procedure.parameters.end()) {
        Fail(value, "procedure " + procedure.name + " has no parameter " + name +
                        "; it has: " + Names(procedure.parameters, [](const ParameterRule& r) { return r.name; }));
      }
      scenario_.parameters[name] = Number("parameters." + name, value, rule->min, rule->max);
    }
  }

  std::string Text(const std::string& name, const toml::node& node) const {
    if (!node.is_string() || node.as_string()->get().empty()) Fail(node, name + " is a text");
    return node.as_string()->get();
  }
  uint64_t Number(const std::string& name, const toml::node& node, uint64_t min, uint64_t max) const {
    const int64_t value = node.is_integer() ? node.as_integer()->get() : -1;
    if (value < 0 || static_cast<uint64_t>(value) < min || static_cast<uint64_t>(value) > max) {
      Fail(node, name + " is a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return static_cast<uint64_t>(value);
  }
  const toml::table& Table(const std::string& name, const toml::node& node) const {
    if (!node.is_table()) Fail(node, name + " is a section: write [" + name + "] and its keys below");
    return *node.as_table();
  }
  [[noreturn]] void Fail(const toml::node& node, const std::string& text) const {
    throw ScenarioError(file_ + ":" + std::to_string(node.source().begin.line) + ": " + text);
  }

  const std::string& file_;
  Scenario scenario_;
};

}  // namespace

Scenario ParseScenario(std::string_view text, const std::string& file) {
  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw ScenarioError(file + ":" + std::to_string(error.source().begin.line) +
                        ": not TOML: " + std::string(error.description()));
  }
  Scenario scenario = Reader(file).Read(root);
  scenario.file = file;
  scenario.machine = text;
  return scenario;
}

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> kScenarios = [] {
    std::vector<Scenario> scenarios;
    for (const BuiltInScenario& file : BuiltInScenarioFiles()) scenarios.push_back(ParseScenario(file.text, file.name));
    return scenarios;
  }();
  return kScenarios;
}

Scenario FindScenario(const std::string& name) {
  const std::string suffix = ".toml";
  if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
    std::ifstream file(name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw ScenarioError(name + ": cannot be read");
    return ParseScenario(text, name);
  }
  for (const BuiltInScenario& file : BuiltInScenarioFiles()) {
    if (file.name == name + suffix) return ParseScenario(file.text, file.name);
  }
  throw ScenarioError("no scenario " + Quoted(name) + "; gmmu run --list shows them\nA file's name ends in .toml.");
}

bool ForPhysicalModel(const Scenario& scenario) {
  return FindProcedure(scenario.procedure)->model == ForModel::kPhysical;
}

void CompareHappenings(const std::vector<Happening>& happens, JobResult& result) {
  if (!result.faults.empty() || !result.not_applicable.empty()) return;
  for (const Happening& happening : happens) {
    uint64_t sum = 0;
    std::istringstream names(happening.names);
    for (std::string name; names >> name;) {
      const auto found = result.happened.find(name);
      if (found != result.happened.end()) sum += found->second;
    }
    const bool enough = sum >= happening.at_least;
    result.checks.push_back({"at least " + std::to_string(happening.at_least) + " " + happening.names, enough,
                             enough ? "" : std::to_string(sum) + " happened"});
    result.verified = result.verified && enough;
  }
}

void RunScenario(hw::Platform& platform, const Scenario& scenario, const JobOptions& options, JobResult& result) {
  result.expected = scenario.expected;
  result.by_time = scenario.by_time;
  const Procedure& procedure = *FindProcedure(scenario.procedure);
  RunLife(
      platform, options, result, [&](Life& life) { procedure.run(life, scenario.parameters); },
      [&](const os::Gpu& gpu) {
        if (procedure.model != ForModel::kBoth)
          NeedCaps(gpu, {{"DXGK_VIDMMCAPS.GpuMmuSupported", procedure.model == ForModel::kGpuMmu ? 1 : 0}});
        NeedCaps(gpu, scenario.needs);
      });
  CompareHappenings(scenario.happens, result);
}

}  // namespace gmmu::workload
