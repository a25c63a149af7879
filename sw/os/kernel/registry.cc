// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/registry.h"

#include "ddi/wdm_registry.h"

namespace gmmu::os {
namespace {

void Append(std::vector<uint8_t>& data, const std::u16string& text) {
  for (const char16_t unit : text) {
    data.push_back(static_cast<uint8_t>(unit & 0xFF));
    data.push_back(static_cast<uint8_t>(unit >> 8));
  }
  data.insert(data.end(), 2, 0);
}

Registry::Value Converted(const std::string& name, const settings::FreeValue& value) {
  Registry::Value result{Utf16(name), REG_BINARY, {}};
  if (const auto* number = std::get_if<uint64_t>(&value)) {
    const bool wide = *number >> 32 != 0;
    result.type = wide ? REG_QWORD : REG_DWORD;
    for (unsigned i = 0; i < (wide ? 8 : 4); ++i) result.data.push_back(static_cast<uint8_t>(*number >> (8 * i)));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    result.type = REG_SZ;
    Append(result.data, Utf16(*text));
  } else if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&value)) {
    result.data = *bytes;
  } else {
    result.type = REG_MULTI_SZ;
    for (const std::string& each : std::get<std::vector<std::string>>(value)) Append(result.data, Utf16(each));
    Append(result.data, u"");
  }
  return result;
}

std::string PathOf(const std::string& name) {
  if (name == "driver") return Registry::kDriver;
  if (name == "device") return Registry::kDevice;
  if (name == "hardware") return Registry::kHardware;
  return name;
}

}  // namespace

std::u16string Utf16(const std::string& text) {
  std::u16string result;
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<uint8_t>(text[at++]);
    const unsigned more = byte < 0x80 ? 0 : byte >> 5 == 6 ? 1 : byte >> 4 == 14 ? 2 : byte >> 3 == 30 ? 3 : 9;
    uint32_t point = more == 0 ? byte : byte & (0x3Fu >> more);
    bool bad = more == 9;
    for (unsigned i = 0; i < more && !bad; ++i) {
      bad = at == text.size() || (static_cast<uint8_t>(text[at]) & 0xC0) != 0x80;
      if (!bad) point = point << 6 | (static_cast<uint8_t>(text[at++]) & 0x3Fu);
    }
    if (bad) point = '?';
    if (point > 0xFFFF) {
      result += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      point = 0xDC00 + (point & 0x3FF);
    }
    result += static_cast<char16_t>(point);
  }
  return result;
}

std::u16string Registry::Upper(std::u16string text) {
  for (char16_t& unit : text) {
    if (unit >= u'a' && unit <= u'z') unit = static_cast<char16_t>(unit - u'a' + u'A');
  }
  return text;
}

UNICODE_STRING Registry::Counted(const char* path) {
  static std::map<std::string, std::u16string> texts;
  std::u16string& text = texts[path];
  text = Utf16(path);
  const auto bytes = static_cast<USHORT>(text.size() * sizeof(WCHAR));
  return {bytes, static_cast<USHORT>(bytes + sizeof(WCHAR)), reinterpret_cast<PWSTR>(text.data())};
}

Registry::Registry(const settings::FreeTable& configured) {
  bool made;
  for (const char* path : {kDriver, kDevice, kHardware}) Create(Utf16(path), made);
  for (const auto& [name, values] : configured) {
    Key& key = Create(Utf16(PathOf(name)), made);
    for (const auto& [value_name, value] : values) key.values[Upper(Utf16(value_name))] = Converted(value_name, value);
  }
}

Registry::Key* Registry::Open(const std::u16string& path) {
  const auto found = keys_.find(Upper(path));
  return found == keys_.end() ? nullptr : found->second.get();
}

Registry::Key& Registry::Create(const std::u16string& path, bool& made) {
  std::unique_ptr<Key>& key = keys_[Upper(path)];
  made = key == nullptr;
  if (!made) return *key;
  key = std::make_unique<Key>();
  key->type = KernelObject::Type::kKey;
  for (const char16_t unit : path) key->name += unit < 128 ? static_cast<char>(unit) : '?';
  if (const size_t parent = path.find_last_of(u'\\'); parent != std::u16string::npos && parent != 0) {
    bool above;
    Create(path.substr(0, parent), above);
  }
  return *key;
}

}  // namespace gmmu::os
