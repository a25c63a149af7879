// SPDX-License-Identifier: Apache-2.0
#include "app/not_begun.h"

#include <algorithm>
#include <iterator>

#include "app/configuration.h"
#include "settings/keys.h"

namespace gmmu::app {
namespace {

bool Names(const std::string& text, const settings::Key& key) {
  for (const std::string& name :
       {key.full_name(), "[" + key.section + "] " + key.name, "[machine." + key.section + "] " + key.name})
    if (text.find(name) != std::string::npos) return true;
  return false;
}

/// True if the text contains a key, written as "os.iommu", "[os] iommu" or "[machine.os] iommu".
bool NamesAKey(const std::string& text, const settings::Keys& keys) {
  const auto& all = keys.all();
  return std::any_of(all.begin(), all.end(), [&](const settings::Key* key) { return Names(text, *key); });
}

/// True if the text contains a key that `set` ("SECTION.KEY=VALUE") sets to a value other than its
/// default.
bool NamesASetKey(const std::string& text, const settings::Keys& keys, const std::vector<std::string>& set) {
  const auto& all = keys.all();
  return std::any_of(all.begin(), all.end(), [&](const settings::Key* key) {
    const auto is = [&](const std::string& each) { return each.rfind(key->full_name() + "=", 0) == 0; };
    return key->value() != key->initial && std::any_of(set.begin(), set.end(), is) && Names(text, *key);
  });
}

/// Injected faults that prevent a start, for a reason whose text may not contain a key.
constexpr const char* kStopAStart[] = {"inject.fail_callback", "inject.fail_allocation", "inject.reserved_overlap"};

}  // namespace

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
                    const std::vector<std::string>& set, bool of_a_driver) {
  const bool late = result.not_begun.empty();
  if ((late && result.too_small.empty()) || result.Passed()) return;
  // One fault is the refusal itself. If memory ran out during the run, work in progress may have
  // caused further faults.
  if (!late && result.faults.size() != 1) return;
  if (!result.leaks.empty() || !result.findings.empty()) return;
  for (const workload::Check& check : result.checks)
    if (!check.passed) return;
  Configuration copy = configuration;
  const settings::Keys keys = copy.Keys();
  const std::string& why = late ? result.too_small : result.not_begun;
  if (of_a_driver && !NamesASetKey(why, keys, set)) return;
  // If the run was expected to fail, it may have been refused for a reason other than the expected
  // one.
  const bool another = result.expected && why.find(result.expected->text) == std::string::npos;
  for (const settings::Key* key : keys.all()) {
    const auto is = [&](const char* name) { return key->full_name() == name; };
    if (key->value() != key->initial && std::any_of(std::begin(kStopAStart), std::end(kStopAStart), is) &&
        !NamesAKey(why, keys) && !another)
      return;
  }
  const std::string changed = ChangedSettings(configuration, set);
  if (changed.empty()) return;
  throw settings::Error((late ? "the machine is too small for this run: " : "refused before anything had begun: ") +
                        why + "\nChange one of these settings: " + changed);
}

}  // namespace gmmu::app
