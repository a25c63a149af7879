// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/child_run.h"

namespace gmmu::app {

/// A rule that a driver has broken, according to a line of a report.
struct BrokenRule {
  std::string document, section;
  std::string page;  ///< page of this repository that describes the rule and names its tests
};
/// Returns the rule of broken_rules.def that matches the line, or null.
const BrokenRule* RuleOf(const std::string& line);

/// The verdict for one scenario.
struct ScenarioVerdict {
  enum class Kind { kPassed, kFailed, kNotApplicable };
  std::string scenario, title;
  Kind kind = Kind::kPassed;
  std::string end, text;                 ///< how the run ended, and the error or the missing capability
  std::vector<std::string> wrong;        ///< error lines of the run's report
  std::vector<const BrokenRule*> rules;  ///< the broken rules, without duplicates
  std::string command;                   ///< command line that repeats only this run
  double seconds = 0;
};
/// Returns the verdict for a completed run.
ScenarioVerdict VerdictOf(const std::string& scenario, const std::string& title, const ChildRun& run,
                          const std::string& command);

/// The results of all scenarios for one driver.
struct DriverVerdict {
  std::string driver, engine;
  uint64_t seed = 0;
  std::vector<ScenarioVerdict> scenarios;

  size_t Count(ScenarioVerdict::Kind kind) const;
  /// True if nothing failed and at least one scenario passed.
  bool Passed() const;
  std::string Text() const;
  std::string Json() const;
  /// Returns JUnit XML with a test case for each scenario.
  std::string JUnit() const;
};

}  // namespace gmmu::app
