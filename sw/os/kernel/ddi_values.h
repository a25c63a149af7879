// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// Names for handles and addresses that do not depend on the addresses in this run. A handle keeps
/// its first name: one that first appears as hDevice is always named "hDevice.1", even if another
/// member contains it later.
class HandleNames {
 public:
  const std::string& NameOf(const void* handle, const std::string& member) {
    std::string& name = names_[handle];
    if (name.empty()) name = member + "." + std::to_string(++counts_[member]);
    return name;
  }

 private:
  std::map<const void*, std::string> names_;
  std::map<std::string, unsigned> counts_;
};

/// The members of a structure that are shown (ddi_members.def). kKnown is false for a structure
/// that is not listed.
template <typename T>
struct DdiMembers {
  static constexpr bool kKnown = false;
};

/// The arguments of a call as (name, JSON) pairs. Members of structures are identified by name,
/// other arguments by position. Numbers of up to 32 bits are decimal; wider numbers and flags are
/// hexadecimal strings. Handles are shown as names.
class DdiValues {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  explicit DdiValues(HandleNames& names) : names_(names) {}

  /// Returns the current state of the arguments. Arrays are always read at the addresses that the
  /// first call to Read found, because the driver may change the structure's pointers.
  template <typename... Args>
  Pairs Read(const Args&... args) {
    pairs_.clear();
    prefix_.clear();
    unsigned place = 0;
    (Argument(std::to_string(place++), args), ...);
    return std::move(pairs_);
  }

  /// Adds one member of a structure.
  template <typename T>
  void operator()(const char* name, const T& value) {
    Value(prefix_ + name, value);
  }
  template <typename T>
  void Array(const char* name, T* first, size_t count) {
    const std::string path = prefix_ + name;
    const auto [found, added] = arrays_.try_emplace(path, first, count);
    const auto* at = static_cast<const T*>(found->second.first);
    for (size_t i = 0; at != nullptr && i < std::min(found->second.second, kMost); ++i)
      Value(path + "[" + std::to_string(i) + "]", at[i]);
  }

 private:
  static constexpr size_t kMost = 16;  // number of array elements shown

  template <typename T>
  void Argument(const std::string& name, const T& value) {
    if constexpr (std::is_pointer_v<T>) {
      using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
      if constexpr (DdiMembers<Pointee>::kKnown) {
        if (value == nullptr) return Put(name, "null");
        return DdiMembers<Pointee>::Each(*value, *this);
      } else if constexpr (std::is_integral_v<Pointee> || std::is_pointer_v<Pointee>) {
        if (value == nullptr) return Put(name, "null");
        return Value(name, *value);
      } else if constexpr (!std::is_void_v<Pointee> && !std::is_same_v<Pointee, DEVICE_OBJECT>) {
        return Put(name, value == nullptr ? "null" : "true");
      }
    }
    Value(name, value);
  }

  template <typename T>
  void Value(const std::string& path, const T& value) {
    if constexpr (std::is_pointer_v<T>) {
      if constexpr (std::is_function_v<std::remove_pointer_t<T>>) return Put(path, value == nullptr ? "null" : "true");
      else return Pointer(path, static_cast<const void*>(value));
    } else if constexpr (std::is_same_v<T, DXGK_BUILDPAGINGBUFFER_OPERATION> ||
                         std::is_same_v<T, DXGK_QUERYADAPTERINFOTYPE>) {
      Put(path, Name(value));
    } else if constexpr (std::is_enum_v<T>) {
      Put(path, std::to_string(static_cast<uint32_t>(value)));
    } else if constexpr (std::is_integral_v<T>) {
      if constexpr (sizeof(T) == 8) Put(path, HexText(static_cast<uint64_t>(value)));
      else Put(path, std::to_string(value));
    } else if constexpr (DdiMembers<T>::kKnown) {
      const std::string before = std::exchange(prefix_, path + ".");
      DdiMembers<T>::Each(value, *this);
      prefix_ = before;
    } else if constexpr (sizeof(T) <= 8) {  // flags, LARGE_INTEGER
      uint64_t raw = 0;
      std::memcpy(&raw, &value, sizeof value);
      Put(path, HexText(raw));
    } else {
      static_assert(sizeof(T) == 0, "this structure needs a row in ddi_members.def");
    }
  }

  void Pointer(const std::string& path, const void* value);
  void Put(const std::string& path, std::string json) { pairs_.emplace_back(path, std::move(json)); }
  static std::string HexText(uint64_t value);
  static std::string Name(DXGK_BUILDPAGINGBUFFER_OPERATION value);
  static std::string Name(DXGK_QUERYADAPTERINFOTYPE value);

  HandleNames& names_;
  Pairs pairs_;
  std::string prefix_;
  std::map<std::string, std::pair<const void*, size_t>> arrays_;
};

#define M(name) visit(#name, s.name);
#define W(condition, name) \
  if (condition) visit(#name, s.name);
#define A(name, count) visit.Array(#name, s.name, s.count);
#define STRUCTURE(type, members)                    \
  template <>                                       \
  struct DdiMembers<type> {                         \
    static constexpr bool kKnown = true;            \
    template <typename Visit>                       \
    static void Each(const type& s, Visit& visit) { \
      members                                       \
    }                                               \
  };
#include "os/kernel/ddi_members.def"
#undef M
#undef W
#undef A

}  // namespace gmmu::os
