// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ddi/d3dukmdt.h"

namespace gmmu::settings {
class Keys;
}

namespace gmmu::app {

/// Section [driver] of the configuration: the values that the driver finds in its registry key.
/// kmd/driver.def defines the members. The member of a CHOICE is the number stored in the registry.
struct DriverSettings {
#define NUMBER(key, Value, initial, unit, min, max, text) uint64_t key = initial;
#define BYTES(key, member, Value, lg2, initial, unit, min, max, text) uint64_t key = initial;
#define SWITCH(key, Value, initial, text) bool key = initial;
#define CHOICE(key, member, Value, initial, text, ...) uint64_t key = initial;
#define LEVELS(key, Value, unit, min, max, text) std::vector<uint64_t> key{0, 0};
#define NO_KEY(member, Value, initial, text)
#include "kmd/driver.def"

  bool system_tables() const { return page_tables == 0; }

  /// Returns the members as keys of a configuration file. The keys must not outlive this object.
  settings::Keys Keys();
  /// Checks the rules between members. Throws settings::Error with `file`, the key and the broken
  /// rule.
  void Check(const std::string& file) const;
  /// Returns the values by the names under which the driver reads them; sizes are in bytes.
  std::map<std::string, uint64_t> Registry() const;
};

}  // namespace gmmu::app
