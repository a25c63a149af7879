// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "os/base/bring_up.h"
#include "os/base/dma_policy.h"
#include "settings/free_table.h"

namespace gmmu::settings {
class Keys;
}

namespace gmmu::os {

/// The form of the first of the two queries for hardware-reserved ranges. No source says which form is right; neither
/// passes an array.
enum class ReservedQuery { kNullPointer, kZeroCount };

/// Which pages kEnableMappings maps when isolation is switched on. The sources contradict each other: "all physical
/// memory" (the flag), or the memory that Dxgkrnl tracks (activation).
enum class IsolationScope {
  kTracked,  ///< memory of the driver's callbacks, VidMm and the reserved ranges; other memory when it is allocated
  kAll,      ///< every installed page
};

/// Values of Parameters::preset, in the order of the names in the configuration.
enum class Preset { kDocuments, kWindows22621, kWindows26100 };
/// Values of Inject::noisy_device.
enum class NoisyDevice { kNone, kRead, kWrite, kMessage };

/// Deliberate faults on the operating system's side, a part of the configuration's [inject]. inject.def states each
/// member with its meaning.
struct Inject {
#include "settings/as_members.h"
#include "os/base/inject.def"

  /// The stray access that `noisy_device` requests of the machine.
  std::optional<hw::Stray> stray() const;
  /// Kinds of objects that `leak` can name.
  static const std::vector<std::string>& LeakKinds();
  /// Values that the file may give for `leak`: nothing, a kind, or "pcie_tag", which the machine leaks.
  static std::vector<std::string> LeakKeyValues();
};

/// The operating system's settings: facts about the machine, and policy. os.def states each setting with its meaning. A
/// default-constructed object is preset "documents".
struct Parameters {
#include "settings/as_members.h"
#include "os/base/os.def"
  Inject inject;

  // Values that the driver finds in its registry key.
  uint64_t aperture_bytes = 0;
  uint64_t limit_bits = 33;                ///< HighestVisibleAddress = 2^limit_bits - 1
  std::vector<uint64_t> page_table_bits;   ///< index bits by level, leaf first
  std::map<std::string, uint64_t> driver;  ///< driver-specific values, by name (kmd/driver.def)

  /// Further values that the driver finds in the registry (registry.h), by key and name.
  settings::FreeTable registry;

  uint64_t seed = 0;
  /// Receives a line for each call of DxgkDdiBuildPagingBuffer (paging_trace.h). May be empty.
  std::function<void(const std::string&)> trace_paging;
  /// Receives a line for each call of the driver and each of its callbacks (ddi_trace.h). May be empty.
  std::function<void(const std::string&)> trace_ddi;
  /// Receives the text that the driver prints (DbgPrintEx), immediately. May be empty.
  std::function<void(const std::string&)> debug_print;

  /// The settings as keys of [os], [inject] and [registry] of a configuration file, which must not outlive this object.
  settings::Keys Keys();
  /// Checks the rules between the settings. Throws settings::Error, which names `file`, the key and the error.
  void Check(const std::string& file) const;
};

}  // namespace gmmu::os
