// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "hw/device.h"

namespace gmmu::sim {
class Engine;
struct EngineOptions;
struct MachineConfig;
namespace board {
class Board;
}
namespace device {
struct DeviceSettings;
}
}  // namespace gmmu::sim

namespace gmmu::app {

inline constexpr const char* kFast = "fast";
inline constexpr const char* kBoardEngine = "board";
inline constexpr const char* kDevice = "device";

/// Inputs of the functions that create engines. Each function uses some of them.
struct EngineInputs {
  const sim::MachineConfig& machine;
  const sim::EngineOptions& options;
  std::unique_ptr<sim::board::Board>* board = nullptr;  ///< the function that creates the engine may take the board
  const sim::device::DeviceSettings* device = nullptr;
  uint64_t (*serve)(const GMMU_DEVICE_HOST* host) = nullptr;  ///< the driver's hardware thread; null: it has none
};

/// An engine of this program.
struct EngineKind {
  const char* name;
  const char* timing;  ///< accuracy of its times, for reports; a board reports its own
  bool named;          ///< true: --engine selects it; false: --device does
  bool simulated_gpu;  ///< it simulates this project's GPU, so the client ports can be driven
  bool built_sizes;    ///< true: it supports only the sizes that were built
  std::unique_ptr<sim::Engine> (*make)(EngineInputs inputs);
};

/// The engines of this build, the default first.
const std::vector<EngineKind>& EngineKinds();
/// Returns the engine with that name, or null if this build has none.
const EngineKind* FindEngine(const std::string& name);

}  // namespace gmmu::app
