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

/// The registry that a driver sees, for as long as the machine is on. Names of keys and values are compared without case.
/// Keys are there when the configuration has them, or a key below them, or the driver made them.
class Registry {
 public:
  struct Value {
    std::u16string name;
    uint32_t type;              ///< REG_*
    std::vector<uint8_t> data;  ///< texts in UTF-16, with their end
  };
  struct Key : KernelObject {
    std::map<std::u16string, Value> values;  ///< by upper-case name
  };
  /// Keys that every machine has.
  static constexpr char kDriver[] = "\\Registry\\Machine\\System\\CurrentControlSet\\Services\\gmmu";
  static constexpr char kDevice[] =
      "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}\\0000";
  static constexpr char kHardware[] =
      "\\Registry\\Machine\\System\\CurrentControlSet\\Enum\\PCI\\gmmu\\Device Parameters";

  explicit Registry(const settings::FreeTable& configured);

  /// Null: there is no such key. `path`: from the root on, "\Registry\Machine\...".
  Key* Open(const std::u16string& path);
  /// `made`: it was not there before.
  Key& Create(const std::u16string& path, bool& made);
  static std::u16string Upper(std::u16string text);
  /// Such a path as drivers get it; its text stays.
  static UNICODE_STRING Counted(const char* path);

 private:
  std::map<std::u16string, std::unique_ptr<Key>> keys_;  // by upper-case path
};

/// UTF-8 to UTF-16; what is no UTF-8 becomes '?'.
std::u16string Utf16(const std::string& text);

}  // namespace gmmu::os
