// SPDX-License-Identifier: Apache-2.0
// Checks that every key is set to a value other than its default by a shipped configuration, a
// scenario or a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "app/configuration.h"
#include "settings/keys.h"

namespace gmmu::app {
namespace {

namespace fs = std::filesystem;

/// Adds the names of the keys in `configuration` whose values differ from their defaults.
void AddChanged(Configuration configuration, std::set<std::string>& names) {
  const settings::Keys keys = configuration.Keys();
  for (const settings::Key* key : keys.all())
    if (key->value() != key->initial) names.insert(key->full_name());
}

std::set<std::string> ChangedInFiles() {
  std::set<std::string> names;
  for (const char* folder : {"/sim/host/configs", "/sw/workload/scenarios"}) {
    for (const auto& entry : fs::recursive_directory_iterator(GMMU_SOURCE_DIR + std::string(folder))) {
      const fs::path& path = entry.path();
      if (path.extension() != ".toml") continue;
      const bool scenario = path.string().find("/scenarios/") != std::string::npos;
      AddChanged(Configuration::FromToml(settings::ReadFile(path), path, scenario ? "machine" : ""), names);
    }
  }
  return names;
}

/// Returns the source text of all tests except this one and the benchmarks.
std::string Tests() {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(GMMU_SOURCE_DIR "/tb")) {
    const fs::path& path = entry.path();
    const bool source = path.extension() == ".cc" || path.extension() == ".h";
    if (!source || path.filename() == "settings_set_test.cc" || path.string().find("/tb/bench/") != std::string::npos)
      continue;
    std::ifstream file(path);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

/// Reduces a value in C++ or TOML to a common spelling, for example "physical" for
/// DmaMode::kPhysical.
std::string Plain(std::string text) {
  if (const size_t scope = text.rfind("::"); scope != std::string::npos && text[scope + 2] == 'k')
    text.erase(0, scope + 3);
  std::string plain;
  for (const unsigned char c : text)
    if (std::isalnum(c)) plain += static_cast<char>(std::tolower(c));
  if (!plain.empty() && std::isdigit(static_cast<unsigned char>(plain[0])))
    while (plain.back() == 'u' || plain.back() == 'l') plain.pop_back();
  return plain;
}

/// Returns true if the value at offset `at` differs from the default. An expression counts as
/// different.
bool IsAnother(const std::string& text, size_t at, const std::string& initial) {
  at = text.find_first_not_of(" {", at);
  const size_t end = text.find_first_of(";,)}\n", at);
  return end != std::string::npos && Plain(text.substr(at, end - at)) != Plain(initial);
}

/// Returns true if the whole word `name` is followed by one of `signs` and a value other than the
/// default.
bool SetToAnother(const std::string& text, const std::string& name, const std::vector<std::string>& signs,
                  const std::string& initial) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at) {
    const unsigned char before = at == 0 ? ' ' : static_cast<unsigned char>(text[at - 1]);
    const size_t next = text.find_first_not_of(' ', at + name.size());
    if (std::isalnum(before) || before == '_' || next == std::string::npos) continue;
    for (const std::string& sign : signs) {
      if (text.compare(next, sign.size(), sign) != 0 || text[next + sign.size()] == '=') continue;
      if (IsAnother(text, next + sign.size(), initial)) return true;
    }
  }
  return false;
}

/// Returns true if a test sets the key to a value other than its default, by its full name, its
/// registry name, or its member of os::Parameters. `registry` is the default value in the registry.
bool SetByATest(const std::string& tests, const settings::Key& key, const std::string& registry) {
  const std::string initial = settings::Render(key.initial);
  const std::vector<std::string> assignments = {"=", "*=", "+="};
  return SetToAnother(tests, '"' + key.full_name() + '"', {","}, initial) ||
         SetToAnother(tests, key.full_name(), assignments, initial) ||
         (!key.other_name.empty() &&
          SetToAnother(tests, "driver[\"" + key.other_name + "\"]", assignments, registry)) ||
         ((key.section == "os" || key.section == "inject") &&
          SetToAnother(tests, "parameters." + key.name, assignments, initial));
}

TEST(Settings, AreEachSetSomewhere) {
  const std::set<std::string> files = ChangedInFiles();
  const std::string tests = Tests();
  std::string missing;
  Configuration defaults;
  const settings::Keys keys = defaults.Keys();
  const auto registry = defaults.OsParameters(1).driver;
  for (const settings::Key* key : keys.all()) {
    const auto value = registry.find(key->other_name);
    const std::string other = value == registry.end() ? "" : std::to_string(value->second);
    if (files.count(key->full_name()) == 0 && !SetByATest(tests, *key, other)) missing += key->full_name() + "\n";
  }
  EXPECT_GT(keys.all().size(), 140u);
  EXPECT_EQ(missing, "") << "no scenario, no configuration and no test sets these to another value";
}

}  // namespace
}  // namespace gmmu::app
