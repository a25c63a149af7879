// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "device/settings.h"
#include "hw/device.h"
#include "platform/engine.h"

namespace gmmu::sim::device {

/// The hardware thread of a driver (hw/device.h, GmmuServeDevice).
using Serve = uint64_t (*)(const GMMU_DEVICE_HOST* host);

/// The machine with the device of `settings`, whose model is not empty, and estimated times. `serve` is used with the model
/// "none", and may be null: then nobody serves the registers. Throws ConfigError when the model cannot be loaded or refuses
/// the machine, and when waves or events are asked for.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const DeviceSettings& settings, Serve serve,
                                     const EngineOptions& options);

}  // namespace gmmu::sim::device
