// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "app/driver_settings.h"
#include "device/settings.h"
#include "os/base/parameters.h"
#include "platform/config.h"

namespace gmmu::app {

/// A whole configuration file: the settings of machine, operating system and driver, each as its owner states them.
struct Configuration {
  sim::MachineConfig machine;
  DriverSettings driver;
  sim::device::DeviceSettings device;
  std::set<std::string> stated;  ///< full names of the keys that the file states itself, presets left out

  /// Returns the defaults changed by the TOML text. Errors name it `file`. With `table` only that table of the text is
  /// read, and its sections are the configuration's ("machine": [machine.gpu] is [gpu]). Throws settings::Error for a
  /// syntax error, an unknown key, a wrong value, and keys that contradict each other.
  /// After the text come the changes of `set`, each "SECTION.KEY=VALUE" with a value as TOML has it; the quotes of a string may
  /// be left out.
  static Configuration FromToml(std::string_view text, const std::string& file, const std::string& table = "",
                                const std::vector<std::string>& set = {});
  /// Does the same with a file; an empty path is the defaults. Throws settings::Error also when it cannot be read.
  static Configuration FromFile(const std::string& path, const std::vector<std::string>& set = {});

  /// All settings as keys, which must not outlive this object.
  settings::Keys Keys();
  /// Gives the waits of the operating system the lengths that a serial line needs, where they are not stated.
  void ForSerialLine();
  /// Loadable TOML of every key.
  std::string ToToml() const;
  /// The same as one JSON object.
  std::string ToJson() const;
  /// docs/settings.md: all keys with their defaults, bounds and meanings.
  static std::string Page();

  /// The settings of the operating system, with what the machine and [driver] hand to its driver.
  os::Parameters OsParameters(uint64_t seed) const;

 private:
  os::Parameters os_;
};

}  // namespace gmmu::app
