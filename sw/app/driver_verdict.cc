// SPDX-License-Identifier: Apache-2.0
#include "app/driver_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace gmmu::app {
namespace {

using Kind = ScenarioVerdict::Kind;

constexpr size_t kMostLines = 4;  // maximum number of report lines per scenario in the text
constexpr size_t kWidth = 110;

struct Row {
  const char* text;
  BrokenRule rule;
};
const std::vector<Row>& Rows() {
  static const std::vector<Row> kRows = {
#define RULE(text, document, section, page) {text, {document, section, page}},
#include "app/broken_rules.def"
  };
  return kRows;
}

/// True if the run needed an optional part that the driver lacks: an entry point, or an escape of
/// the built-in driver.
bool LacksSomething(const ChildRun& run) {
  if (run.end == "not applicable") return true;
  if (run.end != "refused") return false;
  return run.text.find("the driver's table has no ") != std::string::npos ||
         (run.text.find("(DxgkDdiEscape, code ") != std::string::npos &&
          run.text.find("0xc00000bb") != std::string::npos);
}

std::string Name(Kind kind) {
  switch (kind) {
    case Kind::kPassed: return "passed";
    case Kind::kFailed: return "failed";
    case Kind::kNotApplicable: return "not_applicable";
  }
  return "";
}

/// Returns the text with U+FFFD in place of invalid UTF-8, as Json() does.
std::string Utf8(const std::string& text) {
  using Object = nlohmann::json;
  return Object::parse(Object(text).dump(-1, ' ', false, Object::error_handler_t::replace)).get<std::string>();
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : Utf8(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string RuleText(const BrokenRule& rule) { return rule.document + ", " + rule.section + " (" + rule.page + ")"; }

}  // namespace

const BrokenRule* RuleOf(const std::string& line) {
  const auto row = std::find_if(Rows().begin(), Rows().end(),
                                [&](const Row& r) { return line.find(r.text) != std::string::npos; });
  return row == Rows().end() ? nullptr : &row->rule;
}

ScenarioVerdict VerdictOf(const std::string& scenario, const std::string& title, const ChildRun& run,
                          const std::string& command) {
  ScenarioVerdict verdict;
  verdict.scenario = scenario;
  verdict.title = title;
  verdict.end = run.end;
  verdict.text = run.text;
  verdict.seconds = run.seconds;
  verdict.command = command;
  if (run.passed) return verdict;
  verdict.kind = LacksSomething(run) ? Kind::kNotApplicable : Kind::kFailed;
  if (verdict.kind == Kind::kNotApplicable) return verdict;
  verdict.wrong = run.wrong;
  for (const std::string& line : run.wrong) {
    const BrokenRule* rule = RuleOf(line);
    if (rule != nullptr && std::find(verdict.rules.begin(), verdict.rules.end(), rule) == verdict.rules.end())
      verdict.rules.push_back(rule);
  }
  return verdict;
}

size_t DriverVerdict::Count(Kind kind) const {
  return static_cast<size_t>(
      std::count_if(scenarios.begin(), scenarios.end(), [&](const auto& s) { return s.kind == kind; }));
}

bool DriverVerdict::Passed() const { return Count(Kind::kFailed) == 0 && Count(Kind::kPassed) != 0; }

std::string DriverVerdict::Text() const {
  std::string text = fmt::format(
      "gmmu check-driver {}: engine {}, seed {}\n  {} tried: {} passed, {} failed, {} not applicable\n", driver, engine,
      seed, scenarios.size(), Count(Kind::kPassed), Count(Kind::kFailed), Count(Kind::kNotApplicable));
  if (Count(Kind::kPassed) != 0) text += "\nPassed\n";
  std::string line = " ";
  for (const ScenarioVerdict& one : scenarios) {
    if (one.kind != Kind::kPassed) continue;
    if (line.size() + one.scenario.size() + 1 > kWidth) text += std::exchange(line, " ") + "\n";
    line += " " + one.scenario;
  }
  if (line != " ") text += line + "\n";
  if (Count(Kind::kFailed) != 0) text += "\nFailed\n";
  for (const ScenarioVerdict& one : scenarios) {
    if (one.kind != Kind::kFailed) continue;
    text += fmt::format("  {}: {}\n", one.scenario, one.end);
    for (size_t i = 0; i < one.wrong.size() && i < kMostLines; ++i) text += "    " + one.wrong[i] + "\n";
    if (one.wrong.size() > kMostLines) text += fmt::format("    and {} lines more\n", one.wrong.size() - kMostLines);
    for (const BrokenRule* rule : one.rules) text += "    rule: " + RuleText(*rule) + "\n";
    text += "    again: " + one.command + "\n";
  }
  if (Count(Kind::kNotApplicable) != 0) text += "\nNot applicable\n";
  for (const ScenarioVerdict& one : scenarios) {
    if (one.kind == Kind::kNotApplicable) text += fmt::format("  {}: {}\n", one.scenario, one.text);
  }
  return text;
}

std::string DriverVerdict::Json() const {
  using Object = nlohmann::ordered_json;
  Object list = Object::array();
  for (const ScenarioVerdict& one : scenarios) {
    Object rules = Object::array();
    for (const BrokenRule* rule : one.rules)
      rules.push_back({{"document", rule->document}, {"section", rule->section}, {"page", rule->page}});
    list.push_back({{"scenario", one.scenario},
                    {"title", one.title},
                    {"verdict", Name(one.kind)},
                    {"end", one.end},
                    {"text", one.text},
                    {"wrong", one.wrong},
                    {"rules", std::move(rules)},
                    {"seconds", one.seconds},
                    {"command", one.command}});
  }
  const Object report = {{"schema", "gmmu-check-driver 1"},
                         {"driver", driver},
                         {"engine", engine},
                         {"seed", seed},
                         {"tried", scenarios.size()},
                         {"passed", Count(Kind::kPassed)},
                         {"failed", Count(Kind::kFailed)},
                         {"not_applicable", Count(Kind::kNotApplicable)},
                         {"scenarios", std::move(list)}};
  return report.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

std::string DriverVerdict::JUnit() const {
  double seconds = 0;
  for (const ScenarioVerdict& one : scenarios) seconds += one.seconds;
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"gmmu check-driver {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n",
      Escaped(driver), scenarios.size(), Count(Kind::kFailed), Count(Kind::kNotApplicable), seconds);
  for (const ScenarioVerdict& one : scenarios) {
    xml += fmt::format("  <testcase classname=\"gmmu.{}\" name=\"{}\" time=\"{:.3f}\">", Escaped(engine),
                       Escaped(one.scenario), one.seconds);
    if (one.kind == Kind::kNotApplicable) xml += fmt::format("<skipped message=\"{}\"/>", Escaped(one.text));
    if (one.kind == Kind::kFailed) {
      std::string body;
      for (const std::string& line : one.wrong) body += line + "\n";
      for (const BrokenRule* rule : one.rules) body += "rule: " + RuleText(*rule) + "\n";
      xml += fmt::format("<failure type=\"{}\" message=\"{}\">{}again: {}\n</failure>", Escaped(one.end),
                         Escaped(one.text), Escaped(body), Escaped(one.command));
    }
    xml += "</testcase>\n";
  }
  return xml + "</testsuite>\n";
}

}  // namespace gmmu::app
