// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>

#include "host/config.h"
#include "hw/events.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// Thrown from a platform call if the machine cannot continue: a CPU access exceeded its time
/// limit, or no further event can occur while software waits. what() names the awaited event.
class EngineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct EngineOptions {
  uint64_t seed = 0;                 ///< for the free choices of hardware (VRAM response order)
  std::string waves;                 ///< path of the FST file; empty: no waves
  uint64_t waves_from = 0;           ///< first GPU cycle in the dump
  uint64_t waves_to = ~uint64_t{0};  ///< one past the last GPU cycle in the dump
  hw::EventSink* events = nullptr;   ///< receives the GPUs' events (hw/events.h); null: none
  unsigned shuffle = 0;              ///< selects the construction order of modules
};

/// A machine that runs software. There are four kinds of engine; their factory functions are in
/// platform/sc_engine.h, twin/fast_engine.h, board/board_engine.h and device/device_engine.h.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Powers the machine on, runs `software` until it returns, and returns its result. Call it at
  /// most once per engine. An exception that `software` throws propagates. The platform is valid
  /// only during the call; its instruments() are not null.
  virtual int Run(const std::function<int(hw::Platform&)>& software) = 0;

  /// Writes the current contents of host memory, little endian: the 8 bytes HOSTIMG1, then in ascending order a record
  /// {u64 address, u64 length, bytes} for every range of pages ever written. `software` may call it. It takes no
  /// simulated time.
  virtual void DumpHost(std::ostream& out) = 0;
  /// Returns, as JSON, the memory that devices can access with the IOMMU's present programming:
  /// {"root", "aw_bits", "devices": [{"bdf", "domain", "mappings": [{"logical", "host", "bytes",
  /// "read", "write"}]}]}. "devices" is empty when translation is off.
  virtual std::string DumpMappings() = 0;
};

}  // namespace gmmu::sim
