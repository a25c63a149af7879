// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "settings/error.h"
#include "settings/free_table.h"

namespace gmmu::settings {

inline constexpr uint64_t kNoMax = INT64_MAX;  ///< the largest whole number in TOML

/// A value as written in the file. The value of a choice is its name.
using Value = std::variant<uint64_t, bool, std::string, std::vector<uint64_t>>;
/// Returns the value as TOML.
std::string Render(const Value& value);

/// A name that a key accepts, and the number that it stands for in the key's member.
struct Choice {
  std::string name;
  uint64_t value = 0;
};

/// The member in which a choice is stored: an enumeration or a number.
struct ChoicePlace {
  void* member;
  uint64_t (*get)(const void* member);
  void (*set)(void* member, uint64_t value);

  template <typename Type>
  static ChoicePlace Of(Type& member) {
    return {&member, [](const void* at) { return static_cast<uint64_t>(*static_cast<const Type*>(at)); },
            [](void* at, uint64_t value) { *static_cast<Type*>(at) = static_cast<Type>(value); }};
  }
};

/// One key of the file, bound to a member of the object whose Keys contain it.
struct Key {
  std::string section;  ///< dotted, as in TOML
  std::string name;     ///< name of the member
  std::variant<uint64_t*, bool*, std::string*, std::vector<uint64_t>*, ChoicePlace> place;
  Value initial;                   ///< default; for a build key, the value that the program was built with
  std::string unit;                ///< empty: the value has no unit
  uint64_t min = 0, max = kNoMax;  ///< range of a number, or of each element of a list
  std::string text;                ///< description, one or more sentences
  std::vector<Choice> choices;     ///< allowed names; empty: any text
  std::string build_option;        ///< CMake variable, if the value must equal the built one; empty: read at start
  bool up_to_built = false;        ///< a smaller value is also allowed, and read at start
  std::string other_name;          ///< name by which another program reads the value; empty: none does

  std::string full_name() const { return section + "." + name; }
  Value value() const;
  /// Describes the allowed values, for example "a whole number from 1 to 4 (MiB)".
  std::string Allowed() const;
};

/// A value that the owner's code reads but that no key can set.
struct OtherValue {
  std::string name, text;
};

/// A table of the configuration file, with its keys.
struct Section {
  std::string name, text;
  std::vector<Key> keys;
  /// [[name.list]] may replace [name], but only once: a second table is an error with the message
  /// `second`. If `list` is empty, nothing may replace [name].
  std::string list, second;
  /// The values of key "preset", each with TOML for the keys that it sets in the section. They
  /// count as defaults: a key that the file sets takes precedence, regardless of the order.
  std::vector<std::pair<std::string, std::string>> presets;
  std::vector<OtherValue> others;
  /// For a section without keys: its tables, whose names the user chooses. Null for any other
  /// section.
  FreeTable* free = nullptr;
};

/// The settings of one object, bound to its members, which must outlive this object. Names, bounds
/// and descriptions come from the component's .def file, which as_members.h turns into members and
/// as_keys.h into calls of this class.
class Keys {
 public:
  /// Opens section `name`. The keys that follow belong to it, until Close.
  Section& Open(const std::string& name, const std::string& text);
  void Close() { path_.pop_back(); }

  /// Adds a section in which the user chooses the names of tables and values.
  void AddFree(const std::string& name, FreeTable& place, const std::string& text);
  Key& Add(Key key);
  Key& AddNumber(const char* name, uint64_t& member, uint64_t initial, const char* unit, uint64_t min, uint64_t max,
                 const char* text);
  Key& AddSwitch(const char* name, bool& member, bool initial, const char* text);
  Key& AddText(const char* name, std::string& member, const char* text, const std::vector<std::string>& allowed);
  Key& AddList(const char* name, std::vector<uint64_t>& member, std::vector<uint64_t> initial, const char* unit,
               uint64_t min, uint64_t max, const char* text);
  Key& AddBuild(const char* name, uint64_t& member, uint64_t built, const char* option, uint64_t min, uint64_t max,
                const char* text);
  /// `names` are the names of the enumerators 0, 1, 2...
  template <typename Type>
  Key& AddChoice(const char* name, Type& member, Type initial, const char* text,
                 const std::vector<std::string>& names) {
    Key key;
    key.name = name;
    key.place = ChoicePlace::Of(member);
    key.initial = names.at(static_cast<size_t>(initial));
    key.text = text;
    for (const std::string& choice : names) key.choices.push_back({choice, key.choices.size()});
    return Add(std::move(key));
  }

  /// Adds the sections of another object. Keys of a section that already exists are appended to it.
  void Append(Keys other);

  const std::vector<Section>& sections() const { return sections_; }
  std::vector<const Key*> all() const;
  /// These functions return null if there is no such section or key.
  const Section* FindSection(const std::string& name) const;
  const Key* Find(const std::string& section, const std::string& name) const;
  /// Returns the full name of the key with the smallest edit distance to `name`. Keys of the same
  /// section are preferred.
  std::string Nearest(const std::string& section, const std::string& name) const;
  std::string NearestSection(const std::string& name) const;

 private:
  std::vector<Section> sections_;
  std::vector<std::string> path_;  ///< full names of the open sections, outermost first
};

/// Sets the members whose keys the TOML text contains; other members keep their values. Errors
/// refer to the text as `file`. If `table` is not empty, only that table of the text is read, and
/// its sub-tables are the sections (for "machine", [machine.gpu] is section [gpu]); line numbers in
/// errors refer to the whole text. Throws Error for a syntax error, an unknown key (and suggests
/// the nearest known one), a wrong type, or a value out of range; some members may then already
/// have been changed. Returns the full names of the keys in the text, without those that a preset
/// sets.
std::set<std::string> Load(const Keys& keys, std::string_view text, const std::string& file,
                           const std::string& table = "");
/// Returns the contents of a file. Throws Error if it cannot be read.
std::string ReadFile(const std::string& path);

/// Returns valid TOML with every key and its value. Comments state bounds, unit, default and
/// description.
std::string ToToml(const Keys& keys);
/// Returns a line for each key, followed by its description. An empty `section` selects all
/// sections. Throws Error for an unknown section.
std::string ToList(const Keys& keys, const std::string& section);
/// Returns a documentation page with tables of all keys and their defaults, but not their values.
std::string ToMarkdown(const Keys& keys);

/// Returns every key with its value as one JSON object, nested by section like a TOML file.
std::string ToJson(const Keys& keys);
/// Returns a JSON Schema (draft 7) of the object that ToJson returns, with type, bounds, default,
/// unit and meaning of each key. "when" is "run" or "build".
std::string ToJsonSchema(const Keys& keys);

/// Throws Error with the file, the key and the error in its value.
[[noreturn]] void Refuse(const std::string& file, const std::string& key, const std::string& text);
/// Checks common to several classes of settings. CheckMultiple throws Error unless `value` is a
/// multiple of `of`. CheckPowerOfTwo throws Error unless `value` is 0 or a power of two.
void CheckMultiple(const std::string& file, const std::string& key, uint64_t value, uint64_t of);
void CheckPowerOfTwo(const std::string& file, const std::string& key, uint64_t value);

}  // namespace gmmu::settings
