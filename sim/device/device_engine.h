// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "device/function_on_link.h"
#include "device/settings.h"
#include "host/plain_machine.h"
#include "hw/device.h"

namespace gmmu::sim::device {

/// The driver's function that models the hardware (hw/device.h, GmmuServeDevice); it runs on a thread of its own.
using Serve = uint64_t (*)(const GMMU_DEVICE_HOST* host);

struct DeviceMachine : PlainMachine<FunctionOnLink> {
  DeviceMachine(const MachineConfig& config, const FunctionParameters& function);
};

/// Makes the machine with the device that `settings` selects; times are estimates. `settings.model` must not be empty.
/// With the model "none", `serve` serves the registers, which are plain memory; it may be null. Throws ConfigError if
/// the model cannot be loaded or refuses the machine, and if waves or events are requested.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const DeviceSettings& settings, Serve serve,
                                     const EngineOptions& options);

}  // namespace gmmu::sim::device
