// SPDX-License-Identifier: Apache-2.0
#include "app/not_begun.h"

#include <algorithm>

#include "app/configuration.h"
#include "settings/keys.h"

namespace gmmu::app {

std::string ChangedSettings(const Configuration& configuration, const std::vector<std::string>& set) {
  Configuration copy = configuration;
  const settings::Keys keys = copy.Keys();
  std::string list;
  for (const settings::Key* key : keys.all()) {
    const std::string name = key->full_name();
    const bool stated = configuration.stated.count(name) != 0 && key->value() != key->initial;
    if (!stated &&
        std::none_of(set.begin(), set.end(), [&](const auto& each) { return each.rfind(name + "=", 0) == 0; }))
      continue;
    list += (list.empty() ? "" : ", ") + name + " = " + settings::Render(key->value());
  }
  return list;
}

void RefuseNotBegun(const workload::JobResult& result, const Configuration& configuration,
                    const std::vector<std::string>& set) {
  const bool late = result.not_begun.empty();
  if ((late && result.too_small.empty()) || result.expected || result.faults.size() != 1) return;
  if (!result.leaks.empty() || !result.findings.empty()) return;
  for (const workload::Check& check : result.checks)
    if (!check.passed) return;
  Configuration copy = configuration;
  const settings::Keys keys = copy.Keys();
  for (const settings::Key* key : keys.all())
    if (key->section.rfind("inject", 0) == 0 && key->value() != key->initial) return;
  const std::string changed = ChangedSettings(configuration, set);
  if (changed.empty()) return;
  throw settings::Error((late ? "the machine is too small for this run: " + result.too_small
                              : "refused before anything had begun: " + result.not_begun) +
                        "\nChange one of these settings: " + changed);
}

}  // namespace gmmu::app
