// SPDX-License-Identifier: Apache-2.0
#include "settings/keys.h"

#include <algorithm>
#include <numeric>

namespace gmmu::settings {
namespace {

size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

template <typename Type>
Key Plain(const char* name, Type& member, Type initial, const char* text) {
  Key key;
  key.name = name;
  key.place = &member;
  key.initial = std::move(initial);
  key.text = text;
  return key;
}

template <typename Type>
Key Bounded(const char* name, Type& member, Type initial, const char* unit, uint64_t min, uint64_t max,
            const char* text) {
  Key key = Plain(name, member, std::move(initial), text);
  key.unit = unit;
  key.min = min;
  key.max = max;
  return key;
}

}  // namespace

Value Key::value() const {
  const auto* choice = std::get_if<ChoicePlace>(&place);
  if (choice == nullptr) {
    return std::visit(
        [](auto member) -> Value {
          if constexpr (std::is_pointer_v<decltype(member)>) return *member;
          return {};
        },
        place);
  }
  const uint64_t value = choice->get(choice->member);
  for (const Choice& each : choices)
    if (each.value == value) return each.name;
  return std::string();
}

Section& Keys::Open(const std::string& name, const std::string& text) {
  path_.push_back(path_.empty() ? name : path_.back() + "." + name);
  for (Section& section : sections_)
    if (section.name == path_.back()) return section;
  sections_.push_back({path_.back(), text, {}, "", "", {}, {}, nullptr});
  return sections_.back();
}

void Keys::AddFree(const std::string& name, FreeTable& place, const std::string& text) {
  Open(name, text).free = &place;
  Close();
}

Key& Keys::Add(Key key) {
  key.section = path_.back();
  for (Section& section : sections_) {
    if (section.name != key.section) continue;
    section.keys.push_back(std::move(key));
    return section.keys.back();
  }
  throw std::logic_error("no section is open");
}

Key& Keys::AddNumber(const char* name, uint64_t& member, uint64_t initial, const char* unit, uint64_t min, uint64_t max,
                     const char* text) {
  return Add(Bounded(name, member, initial, unit, min, max, text));
}

Key& Keys::AddSwitch(const char* name, bool& member, bool initial, const char* text) {
  return Add(Plain(name, member, initial, text));
}

Key& Keys::AddText(const char* name, std::string& member, const char* text, const std::vector<std::string>& allowed) {
  Key key = Plain(name, member, std::string(), text);
  for (const std::string& choice : allowed) key.choices.push_back({choice, 0});
  return Add(std::move(key));
}

Key& Keys::AddList(const char* name, std::vector<uint64_t>& member, std::vector<uint64_t> initial, const char* unit,
                   uint64_t min, uint64_t max, const char* text) {
  return Add(Bounded(name, member, std::move(initial), unit, min, max, text));
}

Key& Keys::AddBuild(const char* name, uint64_t& member, uint64_t built, const char* option, uint64_t min, uint64_t max,
                    const char* text) {
  Key& key = Add(Bounded(name, member, built, "", min, max, text));
  key.build_option = option;
  return key;
}

void Keys::Append(Keys other) {
  for (Section& section : other.sections_) {
    const auto same = std::find_if(sections_.begin(), sections_.end(),
                                   [&](const Section& each) { return each.name == section.name; });
    if (same == sections_.end()) {
      sections_.push_back(std::move(section));
    } else {
      std::move(section.keys.begin(), section.keys.end(), std::back_inserter(same->keys));
    }
  }
}

std::vector<const Key*> Keys::all() const {
  std::vector<const Key*> keys;
  for (const Section& section : sections_)
    for (const Key& key : section.keys) keys.push_back(&key);
  return keys;
}

const Section* Keys::FindSection(const std::string& name) const {
  for (const Section& section : sections_)
    if (section.name == name) return &section;
  return nullptr;
}

const Key* Keys::Find(const std::string& section, const std::string& name) const {
  for (const Key* key : all())
    if (key->section == section && key->name == name) return key;
  return nullptr;
}

std::string Keys::Nearest(const std::string& section, const std::string& name) const {
  std::string best;
  size_t best_distance = ~size_t{0};
  for (const Key* key : all()) {
    const size_t distance = 2 * EditDistance(name, key->name) +
                            (section == key->section ? 0 : 2 * EditDistance(section, key->section) + 1);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = key->full_name();
  }
  return best;
}

std::string Keys::NearestSection(const std::string& name) const {
  const auto nearest = std::min_element(sections_.begin(), sections_.end(), [&](const Section& a, const Section& b) {
    return EditDistance(name, a.name) < EditDistance(name, b.name);
  });
  return nearest == sections_.end() ? "" : nearest->name;
}

void Refuse(const std::string& file, const std::string& key, const std::string& text) {
  throw Error(file + ": " + key + ": " + text);
}

void CheckMultiple(const std::string& file, const std::string& key, uint64_t value, uint64_t of) {
  if (value % of != 0) Refuse(file, key, "must be a multiple of " + std::to_string(of));
}

void CheckPowerOfTwo(const std::string& file, const std::string& key, uint64_t value) {
  if ((value & (value - 1)) != 0) Refuse(file, key, std::to_string(value) + " is not a power of two");
}

}  // namespace gmmu::settings
