// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "platform/config.h"

namespace gmmu::sim {

/// `run`: read at start. `build`: a parameter of the RTL; must equal what the binary was built
/// with.
enum class KeyKind : uint8_t { kRun, kBuild };

using KeyValue = std::variant<uint64_t, bool, std::string, std::vector<uint64_t>>;
/// The place of a key's value in a configuration; the alternative is the key's type.
using KeySlot = std::variant<uint64_t*, bool*, std::string*, std::vector<uint64_t>*>;

/// One key of the configuration file.
struct Key {
  const char* section;  ///< dotted, as in TOML
  const char* name;
  KeySlot (*slot)(MachineConfig&);
  KeyValue initial;  ///< default; of a build key: what was built
  const char* unit;  ///< empty: a plain number or name
  uint64_t min = 0;  ///< of numbers, and of each element of a list
  uint64_t max = 0;
  KeyKind kind = KeyKind::kRun;
  const char* description;
  std::vector<std::string> choices = {};  ///< of strings; empty: any
  const char* build_option = "";          ///< of build keys: the CMake variable
};

/// Every key, by section, in the order that `gmmu config` prints.
const std::vector<Key>& ConfigKeys();

/// What a section is for.
const char* SectionDescription(const std::string& section);

}  // namespace gmmu::sim
