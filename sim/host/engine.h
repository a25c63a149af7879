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

/// The machine cannot continue: a CPU access exceeded its time limit, or no further event can occur while software
/// waits. what() names the awaited event. It is thrown from the platform call that the software made.
class EngineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct EngineOptions {
  uint64_t seed = 0;        ///< seed of the choices that hardware may make freely (the order of VRAM responses)
  std::string waves;        ///< FST file; empty for none
  uint64_t waves_from = 0;  ///< first GPU cycle in the dump
  uint64_t waves_to = ~uint64_t{0};  ///< one past the last GPU cycle in the dump
  hw::EventSink* events = nullptr;   ///< receives the GPUs' events (hw/events.h); null: none
  unsigned shuffle = 0;  ///< selects the order in which modules are constructed; results must not depend on it
};

/// A machine that runs software. The factory functions of the four kinds are in platform/sc_engine.h,
/// twin/fast_engine.h, board/board_engine.h and device/device_engine.h.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Powers the machine on, runs `software` until it returns, and returns the result. Call it at most once per engine.
  /// An exception that `software` throws propagates. The platform is valid only during the call; its instruments() are
  /// not null.
  virtual int Run(const std::function<int(hw::Platform&)>& software) = 0;

  /// Writes the current contents of host memory, little endian: the 8 bytes HOSTIMG1, then in ascending order a record
  /// {u64 address, u64 length, bytes} for every range of pages ever written. `software` may call it. It takes no
  /// simulated time.
  virtual void DumpHost(std::ostream& out) = 0;
  /// Returns as JSON the memory that devices can access through the IOMMU as it is programmed now: {"root", "aw_bits",
  /// "devices": [{"bdf", "domain", "mappings": [{"logical", "host", "bytes", "read", "write"}]}]}. "devices" is empty
  /// when translation is off.
  virtual std::string DumpMappings() = 0;
};

}  // namespace gmmu::sim
