// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "os/kernel/kernel_objects.h"
#include "settings/free_table.h"

namespace gmmu::os {

/// The registry that a driver accesses while the machine is on. Names of keys and values are
/// case-insensitive. A key exists if the configuration contains it or one of its subkeys, or if the
/// driver created it.
class Registry {
 public:
  struct Value {
    std::u16string name;
    uint32_t type;              ///< REG_*
    std::vector<uint8_t> data;  ///< strings are UTF-16 with a terminator
  };
  struct Key : KernelObject {
    std::map<std::u16string, Value> values;  ///< keyed by upper-case name
  };
  /// Keys that exist on every machine.
  static constexpr char kDriver[] = "\\Registry\\Machine\\System\\CurrentControlSet\\Services\\gmmu";
  static constexpr char kDevice[] =
      "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}\\0000";
  static constexpr char kHardware[] =
      "\\Registry\\Machine\\System\\CurrentControlSet\\Enum\\PCI\\gmmu\\Device Parameters";

  explicit Registry(const settings::FreeTable& configured);

  /// Returns null if the key does not exist. `path` starts at the root: "\Registry\Machine\...".
  Key* Open(const std::u16string& path);
  /// Sets `made` to true if this call created the key.
  Key& Create(const std::u16string& path, bool& made);
  static std::u16string Upper(std::u16string text);
  /// Returns a path as the counted string that drivers receive. Its characters are never freed.
  static UNICODE_STRING Counted(const char* path);

 private:
  std::map<std::u16string, std::unique_ptr<Key>> keys_;  // keyed by upper-case path
};

/// Converts UTF-8 to UTF-16; invalid bytes become '?'.
std::u16string Utf16(const std::string& text);

}  // namespace gmmu::os
