// SPDX-License-Identifier: Apache-2.0
#include "os/wdm/driver_text.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "ddi/wdm_strings.h"

namespace gmmu::os {
namespace {

enum class Size { kInt, kChar, kShort, kLong, kWide };

/// One conversion specification of a format string.
struct Field {
  std::string flags;
  int width = 0, precision = -1;
  Size size = Size::kInt;
  bool narrow = false, wide = false, is_64 = false;
  char kind = 0;
};

/// va_list may be an array type. The wrapper makes it possible for functions to advance the
/// caller's list.
struct Arguments {
  va_list list;
};

template <typename Unit>
Field Parse(const Unit*& at, Arguments& arguments) {
  Field field;
  const auto number = [&](int& value) {
    if (*at == '*') {
      value = va_arg(arguments.list, int);
      ++at;
      return;
    }
    value = 0;
    for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<int>(*at - '0');
  };
  for (; *at != 0 && *at < 128 && std::strchr("-+ #0", static_cast<char>(*at)) != nullptr; ++at)
    field.flags += static_cast<char>(*at);
  number(field.width);
  if (*at == '.') number((++at, field.precision));
  if (at[0] == 'I' && at[1] == '6' && at[2] == '4') {
    field.is_64 = true;
    at += 3;
  } else if (at[0] == 'I' && at[1] == '3' && at[2] == '2') {
    at += 3;
  } else if (*at == 'I') {
    field.is_64 = true;
    ++at;
  }
  for (; *at == 'h' || *at == 'l' || *at == 'w' || *at == 'z' || *at == 't' || *at == 'j'; ++at) {
    if (*at == 'h') field.size = field.narrow ? Size::kChar : Size::kShort;
    field.narrow |= *at == 'h';
    field.is_64 |= *at == 'z' || *at == 't' || *at == 'j' || (*at == 'l' && field.size == Size::kLong);
    if (*at == 'l') field.size = Size::kLong;
    field.wide |= *at == 'l' || *at == 'w';
  }
  field.kind = *at < 128 ? static_cast<char>(*at) : '?';
  if (*at != 0) ++at;
  return field;
}

template <typename Unit>
std::string Narrow(const Unit* text, size_t length) {
  std::string result;
  for (size_t i = 0; i < length; ++i) {
    const auto unit = static_cast<unsigned>(static_cast<std::make_unsigned_t<Unit>>(text[i]));
    result += sizeof(Unit) == 1 || unit < 128 ? static_cast<char>(unit) : '?';
  }
  return result;
}

template <typename Unit>
size_t Length(const Unit* text, int precision) {
  size_t length = 0;
  while ((precision < 0 || length < static_cast<size_t>(precision)) && text[length] != 0) ++length;
  return length;
}

std::string Text(const Field& field, bool wide, Arguments& arguments) {
  if (field.kind == 'Z') {
    if (const auto* counted = va_arg(arguments.list, const UNICODE_STRING*);
        counted == nullptr || counted->Buffer == nullptr)
      return "(null)";
    else if (field.wide) return Narrow(counted->Buffer, counted->Length / sizeof(WCHAR));
    else return Narrow(reinterpret_cast<const char*>(counted->Buffer), counted->Length);
  }
  const bool other = field.kind == 'S' || field.kind == 'C';
  const bool is_wide = field.wide || (!field.narrow && (wide != other));
  if (field.kind == 'c' || field.kind == 'C') {
    const auto unit = static_cast<WCHAR>(va_arg(arguments.list, int));
    return is_wide ? Narrow(&unit, 1) : std::string(1, static_cast<char>(unit));
  }
  const void* const text = va_arg(arguments.list, const void*);
  if (text == nullptr) return "(null)";
  if (is_wide) return Narrow(static_cast<const WCHAR*>(text), Length(static_cast<const WCHAR*>(text), field.precision));
  return Narrow(static_cast<const char*>(text), Length(static_cast<const char*>(text), field.precision));
}

std::string Padded(const Field& field, std::string text) {
  const auto width = static_cast<size_t>(field.width < 0 ? -field.width : field.width);
  const bool left = field.width < 0 || field.flags.find('-') != std::string::npos;
  if (text.size() < width) text.insert(left ? text.size() : 0, width - text.size(), ' ');
  return text;
}

std::string Number(const Field& field, Arguments& arguments) {
  const bool real = std::strchr("eEfgGaA", field.kind) != nullptr;
  std::string format = "%" + field.flags;
  if (field.width != 0) format += std::to_string(field.width);
  if (field.precision >= 0) format += "." + std::to_string(field.precision);
  std::array<char, 512> out{};
  if (real) {
    std::snprintf(out.data(), out.size(), (format + field.kind).c_str(), va_arg(arguments.list, double));
    return out.data();
  }
  if (field.kind == 'p') {
    const auto value = reinterpret_cast<uintptr_t>(va_arg(arguments.list, void*));
    std::snprintf(out.data(), out.size(), "%016lX", static_cast<unsigned long>(value));
    return Padded(field, out.data());
  }
  const bool is_signed = field.kind == 'd' || field.kind == 'i';
  long long value = field.is_64 ? va_arg(arguments.list, long long) : va_arg(arguments.list, int);
  if (!field.is_64 && !is_signed) value = static_cast<unsigned>(value);
  if (field.size == Size::kShort) value = is_signed ? static_cast<short>(value) : static_cast<unsigned short>(value);
  if (field.size == Size::kChar)
    value = is_signed ? static_cast<signed char>(value) : static_cast<unsigned char>(value);
  std::snprintf(out.data(), out.size(), (format + "ll" + field.kind).c_str(), value);
  return out.data();
}

template <typename String, typename Unit>
String Formatted(const Unit* format, va_list list) {
  Arguments arguments;
  va_copy(arguments.list, list);
  String result;
  while (*format != 0) {
    if (*format != '%') {
      result += static_cast<typename String::value_type>(*format++);
      continue;
    }
    const Unit* const begin = format++;
    if (*format == '%') {
      result += static_cast<typename String::value_type>(*format++);
      continue;
    }
    const Field field = Parse(format, arguments);
    std::string text;
    if (field.kind != 0 && std::strchr("sScCZ", field.kind) != nullptr) {
      text = Padded(field, Text(field, sizeof(Unit) > 1, arguments));
    } else if (field.kind != 0 && std::strchr("diuxXopeEfgGaA", field.kind) != nullptr) {
      text = Number(field, arguments);
    } else if (field.kind == 'n') {
      static_cast<void>(va_arg(arguments.list, void*));
    } else {
      text = Narrow(begin, static_cast<size_t>(format - begin));
    }
    for (const char unit : text) result += static_cast<typename String::value_type>(static_cast<unsigned char>(unit));
  }
  va_end(arguments.list);
  return result;
}

}  // namespace

std::string DriverText(const char* format, va_list arguments) { return Formatted<std::string>(format, arguments); }
std::u16string DriverText(const WCHAR* format, va_list arguments) {
  return Formatted<std::u16string>(format, arguments);
}

}  // namespace gmmu::os
