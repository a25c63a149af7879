// SPDX-License-Identifier: Apache-2.0
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "settings/keys.h"

namespace gmmu::settings {
namespace {

/// Returns the key's default. For a build key, this is the value of the build, which a page cannot
/// contain, so the name of the build option is returned instead.
std::string DefaultOnPage(const Key& key) {
  return key.build_option.empty() ? "`" + Render(key.initial) + "`" : "`" + key.build_option + "`";
}

/// Escapes the text for a table cell.
std::string Cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

/// Returns when a key takes effect ("run" or "build"), in the words of docs/settings.md.
std::string When(const Key& key) {
  if (key.build_option.empty()) return "run";
  return key.up_to_built ? "run up to " + Render(key.initial) + ", above it build" : "build";
}

std::string TextOnPage(const Key& key) {
  return key.up_to_built ? key.text + " At most the size that was built." : key.text;
}

void Table(const Section& section, std::ostringstream& out) {
  const bool others = std::any_of(section.keys.begin(), section.keys.end(),
                                  [](const Key& key) { return !key.other_name.empty(); });
  out << "| key |" << (others ? " value of the driver's key |" : "") << " default | allowed | meaning |\n"
      << (others ? "|---|---|---|---|---|\n" : "|---|---|---|---|\n");
  for (const Key& key : section.keys) {
    out << "| `" << key.name << "` | ";
    if (others) out << key.other_name << " | ";
    out << DefaultOnPage(key) << " | " << Cell(key.Allowed()) << " | " << Cell(TextOnPage(key)) << " |\n";
  }
}

void Presets(const Section& section, std::ostringstream& out) {
  out << "\nEach `preset` sets keys of this section. Values that the file states take precedence.\n\n"
      << "| preset | sets |\n|---|---|\n";
  for (const auto& [name, text] : section.presets) {
    std::string sets;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) sets += (sets.empty() ? "`" : ", `") + line + "`";
    out << "| `" << name << "` | " << (sets.empty() ? "the defaults" : sets) << " |\n";
  }
}

void Others(const Section& section, std::ostringstream& out) {
  out << "\nValues without a key, which the system or a test sets.\n\n| value | meaning |\n|---|---|\n";
  for (const OtherValue& other : section.others) out << "| " << other.name << " | " << Cell(other.text) << " |\n";
}

}  // namespace

std::string Render(const Value& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  std::ostringstream out;
  if (const auto* text = std::get_if<std::string>(&value)) {
    out << toml::value<std::string>(*text);
    return out.str();
  }
  out << "[";
  const auto& list = std::get<std::vector<uint64_t>>(value);
  for (size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
  out << "]";
  return out.str();
}

namespace {

std::string RenderFree(const FreeValue& value) {
  std::ostringstream out;
  if (const auto* number = std::get_if<uint64_t>(&value)) return std::to_string(static_cast<int64_t>(*number));
  if (const auto* text = std::get_if<std::string>(&value)) return Render(Value(*text));
  toml::array list;
  if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&value)) {
    for (const uint8_t byte : *bytes) list.push_back(int64_t{byte});
  } else {
    for (const std::string& text : std::get<std::vector<std::string>>(value)) list.push_back(text);
  }
  out << list;
  return out.str();
}

/// Prints a section whose tables have names chosen by the user.
void FreeToml(const Section& section, std::ostringstream& out) {
  for (const auto& [name, values] : *section.free) {
    out << "\n[" << section.name << "." << Render(Value(name)) << "]\n";
    for (const auto& [value_name, value] : values)
      out << Render(Value(value_name)) << " = " << RenderFree(value) << "\n";
  }
}

}  // namespace

std::string Key::Allowed() const {
  std::ostringstream out;
  if (std::holds_alternative<bool>(initial)) return "true or false";
  if (std::holds_alternative<std::string>(initial)) {
    if (choices.empty()) return "a string";
    for (size_t i = 0; i < choices.size(); ++i) out << (i == 0 ? "" : " or ") << '"' << choices[i].name << '"';
    return out.str();
  }
  const bool list = std::holds_alternative<std::vector<uint64_t>>(initial);
  out << (list ? "a list of 2 to 6 whole numbers, each " : "a whole number");
  if (max == kNoMax) {
    out << (list ? "" : ", ") << "at least " << min;
  } else {
    out << (list ? "" : " from ") << min << " to " << max;
  }
  if (!unit.empty()) out << " (" << unit << ")";
  return out.str();
}

std::string ToToml(const Keys& keys) {
  std::ostringstream out;
  out << "# gmmu machine configuration. Every key with its value; keys left out have their defaults.\n"
         "# run: read at start. build: a parameter of the RTL, must equal what the program was built with.\n"
         "# Some sizes of the RTL may be less than was built, for which register sizes_in_use turns it down at "
         "start.\n";
  for (const Section& section : keys.sections()) {
    out << "\n# " << section.text << "\n[" << section.name << "]\n";
    for (const Key& key : section.keys) {
      out << "# " << key.text << " " << When(key) << ", " << key.Allowed() << ", default " << Render(key.initial)
          << "\n"
          << key.name << " = " << Render(key.value()) << "\n";
    }
    if (section.free != nullptr) FreeToml(section, out);
  }
  return out.str();
}

std::string ToList(const Keys& keys, const std::string& section) {
  if (!section.empty() && keys.FindSection(section) == nullptr)
    throw Error("no section [" + section + "]; the nearest is [" + keys.NearestSection(section) + "]");
  std::string text;
  for (const Key* key : keys.all()) {
    if (!section.empty() && key->section != section) continue;
    text += key->full_name() + " = " + Render(key->value()) + ", " + key->Allowed() + "\n    " + key->text + "\n";
  }
  return text;
}

std::string ToMarkdown(const Keys& keys) {
  std::ostringstream out;
  for (const Section& section : keys.sections()) {
    out << "\n## [" << section.name << "]\n\n" << section.text << "\n" << (section.free == nullptr ? "\n" : "");
    if (section.free == nullptr) Table(section, out);
    if (!section.presets.empty()) Presets(section, out);
    if (!section.others.empty()) Others(section, out);
  }
  return out.str();
}

}  // namespace gmmu::settings
