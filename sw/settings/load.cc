// SPDX-License-Identifier: Apache-2.0
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <sstream>

#include "settings/keys.h"

namespace gmmu::settings {
namespace {

toml::table Parse(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Error(file + ":" + std::to_string(error.source().begin.line) +
                ": not TOML: " + std::string(error.description()));
  }
}

class Loader {
 public:
  Loader(const Keys& keys, const std::string& file, std::set<std::string>* stated)
      : keys_(keys), file_(file), stated_(stated) {}

  void Load(const toml::table& root) const {
    for (const auto& [name, node] : root) {
      const std::string section(name.str());
      if (!IsSection(section)) {
        Fail(node, "unknown section [" + section + "]; the nearest is [" + keys_.NearestSection(section) + "]");
      }
      if (!node.is_table()) Fail(node, section + " is a section: write [" + section + "] and its keys below");
      LoadSection(section, *node.as_table());
    }
  }

 private:
  /// True if there is a section with this name, or a sub-section of it.
  bool IsSection(const std::string& name) const {
    return std::any_of(keys_.sections().begin(), keys_.sections().end(), [&](const Section& each) {
      return each.name == name || each.name.compare(0, name.size() + 1, name + ".") == 0;
    });
  }

  void LoadSection(const std::string& section, const toml::table& table) const {
    const Section* known = keys_.FindSection(section);
    if (known != nullptr && known->free != nullptr) return LoadFree(section, table, *known->free);
    if (const toml::node* preset = table.get("preset"); known != nullptr && !known->presets.empty() && preset)
      LoadPreset(*known, *preset);
    for (const auto& [name, node] : table) {
      const std::string leaf(name.str());
      if (known != nullptr && !known->list.empty() && leaf == known->list) {
        LoadList(*known, node);
      } else if (node.is_table() && IsSection(section + "." + leaf)) {
        LoadSection(section + "." + leaf, *node.as_table());
      } else if (const Key* key = keys_.Find(section, leaf)) {
        Set(*key, node);
      } else {
        Fail(node, "unknown key " + section + "." + leaf + "; the nearest is " + keys_.Nearest(section, leaf));
      }
    }
  }

  void LoadFree(const std::string& section, const toml::table& table, FreeTable& free) const {
    for (const auto& [name, node] : table) {
      const std::string leaf(name.str());
      if (!node.is_table())
        Fail(node, section + " has tables only: write [" + section + ".'" + leaf + "'] and values below");
      for (const auto& [value_name, value] : *node.as_table()) {
        free[leaf][std::string(value_name.str())] = Free(section + "." + leaf + "." + std::string(value_name.str()),
                                                         value);
      }
    }
  }

  FreeValue Free(const std::string& name, const toml::node& node) const {
    if (node.is_integer()) return static_cast<uint64_t>(node.as_integer()->get());
    if (node.is_boolean()) return uint64_t{node.as_boolean()->get()};
    if (node.is_string()) return node.as_string()->get();
    const toml::array* array = node.as_array();
    if (array != nullptr && array->is_homogeneous(toml::node_type::string)) {
      std::vector<std::string> texts;
      for (const toml::node& element : *array) texts.push_back(element.as_string()->get());
      return texts;
    }
    std::vector<uint8_t> bytes;
    for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const auto* byte = array->get(i)->as_integer();
      if (byte == nullptr || byte->get() < 0 || byte->get() > 255) array = nullptr;
      else bytes.push_back(static_cast<uint8_t>(byte->get()));
    }
    if (array == nullptr)
      Fail(node,
           name + ": allowed are a whole number, a text, true or false, a list of bytes (0 to 255), a list of texts");
    return bytes;
  }

  void LoadPreset(const Section& section, const toml::node& node) const {
    Set(*keys_.Find(section.name, "preset"), node);
    for (const auto& [name, text] : section.presets) {
      if (node.value<std::string>() != name) continue;
      const std::string file = section.name + ".preset \"" + name + "\"";
      Loader(keys_, file, nullptr).LoadSection(section.name, Parse(text, file));
    }
  }

  void LoadList(const Section& section, const toml::node& node) const {
    const std::string name = section.name + "." + section.list;
    const toml::array* tables = node.as_array();
    if (tables == nullptr || !tables->is_array_of_tables())
      Fail(node, name + " is a list of sections: write [[" + name + "]]");
    if (tables->size() > 1) Fail(*tables->get(1), "a second [[" + name + "]]: " + section.second);
    LoadSection(section.name, *tables->get(0)->as_table());
  }

  void Set(const Key& key, const toml::node& node) const {
    if (stated_ != nullptr) stated_->insert(key.full_name());
    if (auto* number = std::get_if<uint64_t*>(&key.place)) {
      **number = Number(key, node);
    } else if (auto* flag = std::get_if<bool*>(&key.place)) {
      if (!node.is_boolean()) Bad(key, node);
      **flag = node.as_boolean()->get();
    } else if (auto* text = std::get_if<std::string*>(&key.place)) {
      if (!node.is_string()) Bad(key, node);
      const std::string& value = node.as_string()->get();
      if (!key.choices.empty()) Chosen(key, node);
      **text = value;
    } else if (auto* choice = std::get_if<ChoicePlace>(&key.place)) {
      if (!node.is_string()) Bad(key, node);
      choice->set(choice->member, Chosen(key, node));
    } else if (auto* list = std::get_if<std::vector<uint64_t>*>(&key.place)) {
      const toml::array* array = node.as_array();
      if (array == nullptr || array->size() < 2 || array->size() > 6) Bad(key, node);
      std::vector<uint64_t> values;
      for (const toml::node& element : *array) values.push_back(Number(key, element));
      **list = std::move(values);
    }
  }

  uint64_t Number(const Key& key, const toml::node& node) const {
    if (!node.is_integer()) Bad(key, node);
    const int64_t value = node.as_integer()->get();
    if (value < 0 || static_cast<uint64_t>(value) < key.min || static_cast<uint64_t>(value) > key.max) Bad(key, node);
    return static_cast<uint64_t>(value);
  }

  uint64_t Chosen(const Key& key, const toml::node& node) const {
    for (const Choice& choice : key.choices)
      if (choice.name == node.as_string()->get()) return choice.value;
    Bad(key, node);
  }

  [[noreturn]] void Bad(const Key& key, const toml::node& node) const {
    std::ostringstream value;
    value << toml::node_view<const toml::node>(&node);
    Fail(node, key.full_name() + " = " + value.str() + " is not possible; allowed: " + key.Allowed());
  }
  [[noreturn]] void Fail(const toml::node& node, const std::string& text) const {
    throw Error(file_ + ":" + std::to_string(node.source().begin.line) + ": " + text);
  }

  const Keys& keys_;
  const std::string& file_;
  std::set<std::string>* const stated_;
};

}  // namespace

std::set<std::string> Load(const Keys& keys, std::string_view text, const std::string& file, const std::string& table) {
  std::set<std::string> stated;
  const toml::table root = Parse(text, file);
  const toml::table* read = table.empty() ? &root : root[table].as_table();
  if (read != nullptr) Loader(keys, file, &stated).Load(*read);
  return stated;
}

std::string ReadFile(const std::string& path) {
  const auto refuse = [&](const char* why) {
    throw Error(path + ": cannot be read: " + why + "\nGive a TOML file; `gmmu config` prints one.");
  };
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) refuse(std::strerror(errno));
  std::string text;
  char block[4096];
  for (size_t got; (got = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, got);
  const int error = std::ferror(file) != 0 ? errno : 0;  // fopen accepts folders, fread fails
  std::fclose(file);
  if (error != 0) refuse(std::strerror(error));
  return text;
}

}  // namespace gmmu::settings
