// SPDX-License-Identifier: Apache-2.0
// Runs the fast engine with one key of the .def files set to each of its bounds, or to a value just
// outside them. A value within the bounds must work, or be rejected before the start with a message
// that names the key.
#include <algorithm>
#include <set>

#include "app/configuration.h"
#include "cli_bench.h"
#include "settings/keys.h"

namespace gmmu::app {
namespace {

using settings::Key;
using ::testing::HasSubstr;

std::string List(uint64_t value, size_t count) {
  std::vector<uint64_t> values(count, value);
  return settings::Render(values);
}

/// Returns the key's bounds as TOML, or all of its choices.
std::vector<std::string> Inside(const Key& key) {
  std::vector<std::string> values;
  if (std::holds_alternative<uint64_t>(key.initial)) return {std::to_string(key.min), std::to_string(key.max)};
  if (std::holds_alternative<bool>(key.initial)) return {"false", "true"};
  if (std::holds_alternative<std::vector<uint64_t>>(key.initial))
    return {List(key.min, 2), List(key.min, 6), List(key.max, 2), List(key.max, 6)};
  for (const settings::Choice& choice : key.choices) values.push_back(settings::Render(choice.name));
  return values;
}

/// Returns values just outside the key's bounds as TOML.
std::vector<std::string> Outside(const Key& key) {
  std::vector<std::string> values;
  const bool list = std::holds_alternative<std::vector<uint64_t>>(key.initial);
  const auto add = [&](uint64_t value) { values.push_back(list ? List(value, 2) : std::to_string(value)); };
  if (!list && !std::holds_alternative<uint64_t>(key.initial)) return values;
  if (key.min != 0) add(key.min - 1);
  if (key.max < settings::kNoMax) add(key.max + 1);
  if (list) values.insert(values.end(), {List(key.min, 1), List(key.min, 7)});
  return values;
}

class SettingsBounds : public Cli, public ::testing::WithParamInterface<std::string> {
 protected:
  SettingsBounds() { std::ofstream(Path("input")) << std::string(5000, 'x'); }
  /// Runs with only this key set, and returns the exit status.
  int With(const std::string& key, const std::string& value) {
    return Run({"run", Path("input"), "--engine", "fast", "--set", key + "=" + value});
  }
};

TEST_P(SettingsBounds, LetPassWhatWorksOrIsRefusedWithTheName) {
  Configuration defaults;
  const settings::Keys keys = defaults.Keys();
  size_t tried = 0;
  for (const Key* key : keys.all()) {
    if (key->section != GetParam()) continue;
    const std::string name = key->full_name();
    for (const std::string& value : Outside(*key)) {
      EXPECT_EQ(With(name, value), kExitUsage) << name << " = " << value;
      EXPECT_THAT(err_, HasSubstr(name));
    }
    for (const std::string& value : Inside(*key)) {
      ++tried;
      const int status = With(name, value);
      if (status == kExitUsage) {
        EXPECT_THAT(err_, HasSubstr(name)) << name << " = " << value;
      } else if (key->section.rfind("inject", 0) != 0) {
        EXPECT_EQ(status, kExitGood) << name << " = " << value << out_ << err_;
      }
    }
  }
  EXPECT_GT(tried, 0u);
}

TEST_F(Cli, VerifiesNothingWhereAPlantedFaultNeverHappened) {
  std::ofstream(Path("input")) << std::string(5000, 'x');
  for (const char* fault : {"inject.pin_failures=5", "inject.noisy_device=read", "inject.fail_callback=5000",
                            "inject.vram_flip.after_write_bytes=1000000000", "inject.reserved_overlap=true"}) {
    const std::string key = std::string(fault).substr(0, std::string(fault).find('='));
    EXPECT_EQ(Run({"run", Path("input"), "--engine", "fast", "--set", fault}), kExitFailed) << fault;
    EXPECT_THAT(out_, HasSubstr("inject checker: " + key));
  }
}

std::set<std::string> Sections() {
  std::set<std::string> names;
  Configuration defaults;
  const settings::Keys keys = defaults.Keys();
  for (const Key* key : keys.all()) names.insert(key->section);
  return names;
}

INSTANTIATE_TEST_SUITE_P(OfSection, SettingsBounds, ::testing::ValuesIn(Sections()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace gmmu::app
