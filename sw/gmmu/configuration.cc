// SPDX-License-Identifier: Apache-2.0
#include "app/configuration.h"

#include "app/engines.h"
#include "gmmu/gmmu.h"
#include "gmmu/refusals.h"
#include "settings/keys.h"
#include "workload/scenario.h"

namespace gmmu {

const char* Version() { return GMMU_VERSION; }

const std::vector<std::string>& Engines() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const app::EngineKind& kind : app::EngineKinds())
      if (kind.named && kind.simulated_gpu) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

std::vector<std::string> Scenarios() {
  std::vector<std::string> names;
  for (const workload::Scenario& scenario : workload::Scenarios()) names.push_back(scenario.name);
  return names;
}

app::Configuration Read(const std::string& text, const std::string& file, const std::string& table,
                        const std::vector<std::string>& changes) {
  return Refused([&] {
    app::Configuration configuration = app::Configuration::FromToml(text, file, table, changes);
    if (configuration.device.present()) settings::Refuse(file, "device.model", "is for gmmu run, not for the library");
    return configuration;
  });
}

Configuration::Configuration() : file_("configuration") {}

Configuration Configuration::FromToml(const std::string& text, const std::string& file) {
  Configuration configuration;
  configuration.text_ = text;
  configuration.file_ = file;
  (void)Read(text, file, "", {});
  return configuration;
}

Configuration Configuration::FromFile(const std::string& path) {
  return FromToml(Refused([&] { return settings::ReadFile(path); }), path);
}

Configuration Configuration::OfScenario(const std::string& name) {
  Configuration configuration;
  const workload::Scenario scenario = Refused([&] { return workload::FindScenario(name); });
  configuration.text_ = scenario.machine;
  configuration.file_ = scenario.file;
  configuration.table_ = "machine";
  (void)Read(configuration.text_, configuration.file_, configuration.table_, {});
  return configuration;
}

void Configuration::Set(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes_;
  all.insert(all.end(), changes.begin(), changes.end());
  (void)Read(text_, file_, table_, all);
  changes_ = std::move(all);
}

std::string Configuration::Get(const std::string& key) const {
  app::Configuration configuration = Read(text_, file_, table_, changes_);
  const settings::Keys keys = configuration.Keys();
  const size_t dot = key.rfind('.');
  const std::string section = key.substr(0, dot == std::string::npos ? 0 : dot);
  const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
  const settings::Key* found = keys.Find(section, name);
  if (found == nullptr) throw Error("no key " + key + "; did you mean " + keys.Nearest(section, name) + "?");
  return settings::Render(found->value());
}

std::vector<std::string> Configuration::Keys() const {
  app::Configuration configuration = Read(text_, file_, table_, changes_);
  const settings::Keys keys = configuration.Keys();
  std::vector<std::string> names;
  for (const settings::Key* key : keys.all()) names.push_back(key->full_name());
  return names;
}

std::string Configuration::ToToml() const { return Read(text_, file_, table_, changes_).ToToml(); }
std::string Configuration::ToJson() const { return Read(text_, file_, table_, changes_).ToJson(); }

}  // namespace gmmu
