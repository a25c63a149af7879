// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "app/driver_settings.h"
#include "device/settings.h"
#include "host/config.h"
#include "os/base/parameters.h"

namespace gmmu::app {

/// A complete configuration file: the settings of the machine, the operating system and the driver,
/// each in its component's structure.
struct Configuration {
  sim::MachineConfig machine;
  DriverSettings driver;
  sim::device::DeviceSettings device;
  std::set<std::string> stated;  ///< full names of the keys that the file itself sets; keys set by presets are left out

  /// Returns the defaults, changed first by the TOML text and then by `set`. Errors refer to the
  /// text as `file`. If `table` is not empty, only that table of the text is read, and its
  /// sub-tables are the sections (for "machine", as in a scenario, [machine.gpu] is section [gpu];
  /// os.variety then has a different default). Each element of `set` is "SECTION.KEY=VALUE" with a
  /// TOML value, in which the quotes of a string may be omitted. Throws settings::Error for a
  /// syntax error, an unknown key, a wrong value, or contradictory keys.
  static Configuration FromToml(std::string_view text, const std::string& file, const std::string& table = "",
                                const std::vector<std::string>& set = {});
  /// Like FromToml, but reads a file. An empty path stands for an empty text. Also throws
  /// settings::Error if the file cannot be read.
  static Configuration FromFile(const std::string& path, const std::vector<std::string>& set = {});

  /// Returns all settings as keys. The keys must not outlive this object.
  settings::Keys Keys();
  /// Raises the operating system's time limits for a board on a serial line, except those that the
  /// user has set.
  void ForSerialLine();
  /// Returns valid TOML that lists every key with its value.
  std::string ToToml() const;
  /// Returns all settings as one JSON object.
  std::string ToJson() const;
  /// Returns docs/settings.md, which lists all keys with their defaults, bounds and meanings.
  static std::string Page();

  /// Returns the settings of the operating system, including the values that it passes to the
  /// driver from the machine and [driver].
  os::Parameters OsParameters(uint64_t seed) const;

 private:
  os::Parameters os_;
};

}  // namespace gmmu::app
