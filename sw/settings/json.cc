// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "settings/keys.h"

namespace gmmu::settings {
namespace {

using Json = nlohmann::ordered_json;

Json Of(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

/// Returns the object of a dotted section. Creates the object and its parents if they do not exist.
Json& At(Json& root, const std::string& section, const char* below) {
  Json* at = &root;
  for (size_t begin = 0; begin <= section.size();) {
    const size_t end = std::min(section.find('.', begin), section.size());
    if (below != nullptr) at = &(*at)[below];
    at = &(*at)[section.substr(begin, end - begin)];
    begin = end + 1;
  }
  return *at;
}

Json Number(const Key& key) {
  Json number = {{"type", "integer"}, {"minimum", key.min}};
  if (key.max != kNoMax) number["maximum"] = key.max;
  return number;
}

Json SchemaOf(const Key& key) {
  Json schema;
  if (std::holds_alternative<bool>(key.initial)) {
    schema["type"] = "boolean";
  } else if (std::holds_alternative<std::string>(key.initial)) {
    schema["type"] = "string";
    for (const Choice& choice : key.choices) schema["enum"].push_back(choice.name);
  } else if (std::holds_alternative<std::vector<uint64_t>>(key.initial)) {
    schema = {{"type", "array"}, {"minItems", 2}, {"maxItems", 6}, {"items", Number(key)}};
  } else {
    schema = Number(key);
  }
  schema["default"] = Of(key.initial);
  schema["description"] = key.text;
  if (!key.unit.empty()) schema["unit"] = key.unit;
  schema["when"] = key.build_option.empty() || key.up_to_built ? "run" : "build";
  if (!key.build_option.empty()) schema["build_option"] = key.build_option;
  return schema;
}

void Close(Json& schema) {
  if (!schema.contains("properties")) return;
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  for (auto& [name, property] : schema["properties"].items()) Close(property);
}

}  // namespace

std::string ToJson(const Keys& keys) {
  Json root = Json::object();
  for (const Key* key : keys.all()) At(root, key->section, nullptr)[key->name] = Of(key->value());
  for (const Section& section : keys.sections()) {
    if (section.free == nullptr) continue;
    Json& of = At(root, section.name, nullptr) = Json::object();
    for (const auto& [name, values] : *section.free) {
      for (const auto& [value_name, value] : values)
        of[name][value_name] = std::visit([](const auto& held) { return Json(held); }, value);
    }
  }
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ToJsonSchema(const Keys& keys) {
  Json root = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "Configuration of gmmu"},
      {"description",
       "A file of gmmu run --config, and the member configuration of a report. \"when\": \"build\" is a size "
       "of the RTL and must equal what the program was built with; its default is that. With \"when\": \"run\" "
       "and a build_option it may also be less, which is read at start."}};
  for (const Section& section : keys.sections()) {
    Json& of = At(root, section.name, "properties");
    of["description"] = section.text;
    if (section.free != nullptr) of["type"] = "object";
    for (const Key& key : section.keys) of["properties"][key.name] = SchemaOf(key);
    if (!section.list.empty()) {
      of["properties"][section.list] = {{"type", "array"},
                                        {"maxItems", 1},
                                        {"items", {{"type", "object"}}},
                                        {"description", "May stand for the section itself, once: " + section.second}};
    }
  }
  Close(root);
  return root.dump(2) + "\n";
}

}  // namespace gmmu::settings
