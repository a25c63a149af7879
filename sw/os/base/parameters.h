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

/// The form of the first of the two queries for hardware-reserved ranges. The documentation does
/// not specify the form; neither form passes an array.
enum class ReservedQuery { kNullPointer, kZeroCount };

/// Which pages kEnableMappings maps when isolation is switched on. The documents contradict each
/// other: the description of the flag says "all physical memory", and the description of activation
/// mentions only the memory that Dxgkrnl tracks.
enum class IsolationScope {
  /// The memory of driver callbacks, of VidMm and of reserved ranges. Memory that is allocated
  /// later is mapped when it is allocated.
  kTracked,
  kAll,  ///< every installed page
};

/// How VidMm places allocations in memory segments.
enum class VramPlacement {
  kScattered,  ///< 64 KiB blocks and single pages at pseudo-random places
  /// Memory that VidMm can move is placed first fit from the start of the segment, the largest pages first. Page tables
  /// and other memory that it cannot move are placed from the end of the segment (as observed for the page tables of
  /// build 22621), so that they do not divide large free blocks.
  kFirstFit,
};

/// Values of Parameters::preset, in the order in which the configuration lists their names.
enum class Preset { kDocuments, kWindows22621, kWindows26100 };
/// Values of Inject::noisy_device.
enum class NoisyDevice { kNone, kRead, kWrite, kMessage };

/// Deliberate faults of the operating system: the section [inject] of the configuration file.
/// inject.def describes each member.
struct Inject {
#include "settings/as_members.h"
#include "os/base/inject.def"

  /// The stray access that `noisy_device` makes the machine perform.
  std::optional<hw::Stray> stray() const;
  /// Kinds of objects that `leak` accepts.
  static const std::vector<std::string>& LeakKinds();
  /// Values that `leak` accepts in the configuration file: an empty string, a kind, or "pcie_tag"
  /// (leaked by the machine, not by the operating system).
  static std::vector<std::string> LeakKeyValues();
};

/// The operating system's settings: facts about the machine, and policy. os.def describes each
/// setting. The default values are those of preset "documents".
struct Parameters {
#include "settings/as_members.h"
#include "os/base/os.def"
  Inject inject;

  // Values that the driver reads from its registry key.
  uint64_t aperture_bytes = 0;
  uint64_t limit_bits = 33;                ///< HighestVisibleAddress = 2^limit_bits - 1
  std::vector<uint64_t> page_table_bits;   ///< index bits by level, leaf first
  std::map<std::string, uint64_t> driver;  ///< driver-specific values, by name (kmd/driver.def)

  /// Other registry values for the driver (registry.h), by key and name.
  settings::FreeTable registry;

  uint64_t seed = 0;
  /// Called with a line of text for each DxgkDdiBuildPagingBuffer call (paging_trace.h). May be
  /// empty.
  std::function<void(const std::string&)> trace_paging;
  /// Called with a line of text for each call into the driver and each of the driver's callbacks
  /// (ddi_trace.h). May be empty.
  std::function<void(const std::string&)> trace_ddi;
  /// Called immediately with text that the driver prints (DbgPrintEx). May be empty.
  std::function<void(const std::string&)> debug_print;

  /// Returns the settings as keys of [os], [inject] and [registry]. The keys must not outlive this object.
  settings::Keys Keys();
  /// Checks the settings for consistency. Throws settings::Error, which names `file`, the key and
  /// the problem.
  void Check(const std::string& file) const;
};

}  // namespace gmmu::os
