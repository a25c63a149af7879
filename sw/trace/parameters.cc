// SPDX-License-Identifier: Apache-2.0
#include "trace/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/error.h"
#include "trace/number.h"

namespace gmmu::trace {
namespace {

std::optional<uint64_t> Size(std::string text) {
  unsigned shift = 0;
  for (const auto& [suffix, bits] : {std::pair{"KiB", 10u}, {"MiB", 20u}, {"GiB", 30u}}) {
    if (text.size() < 3 || text.compare(text.size() - 3, 3, suffix) != 0) continue;
    text.resize(text.size() - 3);
    shift = bits;
  }
  const auto number = ParseNumber(text);
  if (!number || *number > ~uint64_t{0} >> shift) return std::nullopt;
  return *number << shift;
}

}  // namespace

Parameters::Parameters(const std::string& generator, const std::string& text, const std::vector<ParameterRule>& rules)
    : generator_(generator) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    Take(text.substr(at, end - at), rules);
    at = end + 1;
    if (at == text.size()) Refuse("ends in a comma");
  }
  for (const ParameterRule& rule : rules) {
    if (given(rule.name)) continue;
    if (!rule.initial) Refuse(fmt::format("needs {}={}: {}", rule.name, rule.unit == "file" ? "FILE" : "N", rule.text));
    numbers_[rule.name] = *rule.initial;
  }
}

void Parameters::Take(const std::string& pair, const std::vector<ParameterRule>& rules) {
  const size_t equals = pair.find('=');
  if (equals == std::string::npos) Refuse("\"" + pair + "\" is not KEY=VALUE");
  const std::string name = pair.substr(0, equals), value = pair.substr(equals + 1);
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const ParameterRule& one) { return one.name == name; });
  if (rule == rules.end()) {
    std::string names;
    for (const ParameterRule& one : rules) names += (names.empty() ? "" : ", ") + one.name;
    Refuse(fmt::format("unknown key \"{}\"; there are {}", name, names));
  }
  if (given(name)) Refuse(name + " stands twice");
  given_[name] = true;
  if (rule->unit == "file") {
    if (value.empty()) Refuse(name + " has no path");
    files_[name] = value;
    return;
  }
  const auto number = Size(value);
  if (!number) Refuse(fmt::format("{}={} is no whole number, with KiB, MiB or GiB behind it if you like", name, value));
  if (*number < rule->min || *number > rule->max) {
    Refuse(fmt::format("{}={} is not {} to {} {}", name, value, rule->min, rule->max, rule->unit));
  }
  numbers_[name] = *number;
}

std::string Parameters::Spec() const {
  std::string text = "gen:" + generator_;
  for (const auto& [name, value] : files_) text += fmt::format(",{}={}", name, value);
  for (const auto& [name, value] : numbers_) text += fmt::format(",{}={}", name, value);
  return text;
}

void Parameters::Refuse(const std::string& what) const {
  throw TraceError(fmt::format("gen:{}: {}\ngmmu trace list describes every generator.", generator_, what));
}

}  // namespace gmmu::trace
