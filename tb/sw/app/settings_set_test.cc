// SPDX-License-Identifier: Apache-2.0
// Every key of the configuration is set to another value by a shipped configuration, a scenario or a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <toml++/toml.h>

#include "app/configuration.h"
#include "settings/keys.h"

namespace gmmu::app {
namespace {

namespace fs = std::filesystem;

/// "section.name" of every value below a table.
void Names(const toml::table& table, const std::string& section, std::set<std::string>& names) {
  for (const auto& [key, node] : table) {
    const std::string name = (section.empty() ? "" : section + ".") + std::string(key.str());
    if (node.is_table()) Names(*node.as_table(), name, names);
    else names.insert(name);
  }
}

std::set<std::string> NamesInFiles() {
  std::set<std::string> names;
  for (const char* folder : {"/sim/platform/configs", "/sw/workload/scenarios"}) {
    for (const auto& entry : fs::recursive_directory_iterator(GMMU_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".toml") continue;
      const toml::table root = toml::parse_file(entry.path().string());
      const toml::table* machine = root["machine"].as_table();
      Names(machine == nullptr ? root : *machine, "", names);
    }
  }
  Configuration defaults;
  const settings::Keys keys = defaults.Keys();
  for (const settings::Section& section : keys.sections()) {
    for (const auto& [name, text] : section.presets) {
      if (names.count(section.name + ".preset") != 0) Names(toml::parse(text), section.name, names);
    }
  }
  return names;
}

/// The sources of all tests but this one.
std::string Tests() {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(GMMU_SOURCE_DIR "/tb")) {
    const fs::path& path = entry.path();
    if ((path.extension() != ".cc" && path.extension() != ".h") || path.filename() == "settings_set_test.cc") continue;
    std::ifstream file(path);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

/// `member` followed by an assignment.
bool Assigned(const std::string& text, const std::string& member) {
  for (size_t at = 0; (at = text.find(member, at)) != std::string::npos; ++at) {
    const size_t next = text.find_first_not_of(' ', at + member.size());
    const char before = at == 0 ? ' ' : text[at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) || before == '_' || next == std::string::npos) continue;
    if (text[next] == '=' && text[next + 1] != '=') return true;
    if ((text[next] == '*' || text[next] == '+') && text[next + 1] == '=') return true;
  }
  return false;
}

/// By its full name in a table of rows, by its member, or by the name that the driver asks for.
bool SetByATest(const std::string& tests, const settings::Key& key) {
  if (tests.find('"' + key.full_name() + '"') != std::string::npos) return true;
  if (!key.other_name.empty() && tests.find("driver[\"" + key.other_name) != std::string::npos) return true;
  if (Assigned(tests, key.full_name())) return true;
  return (key.section == "os" || key.section == "inject") && Assigned(tests, "parameters." + key.name);
}

TEST(Settings, AreEachSetSomewhere) {
  const std::set<std::string> files = NamesInFiles();
  const std::string tests = Tests();
  std::string missing;
  Configuration defaults;
  const settings::Keys keys = defaults.Keys();
  for (const settings::Key* key : keys.all()) {
    if (files.count(key->full_name()) == 0 && !SetByATest(tests, *key)) missing += key->full_name() + "\n";
  }
  EXPECT_GT(keys.all().size(), 140u);
  EXPECT_EQ(missing, "") << "no scenario, no configuration and no test sets these to another value";
}

}  // namespace
}  // namespace gmmu::app
