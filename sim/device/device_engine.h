// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "device/function_on_link.h"
#include "device/settings.h"
#include "host/plain_machine.h"
#include "hw/device.h"

namespace gmmu::sim::device {

/// A function that the driver exports to model the hardware in its own thread (GmmuServeDevice in
/// hw/device.h).
using Serve = uint64_t (*)(const GMMU_DEVICE_HOST* host);

struct DeviceMachine : PlainMachine<FunctionOnLink> {
  DeviceMachine(const MachineConfig& config, const FunctionParameters& function);
};

/// Constructs the machine with the device that `settings` selects. The device's times are estimates. `settings.model`
/// must not be empty. With the model "none", the registers are plain memory that `serve` reads and writes; `serve` may
/// be null. Throws ConfigError if the model cannot be loaded or rejects the machine, or if waves or events are
/// requested.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const DeviceSettings& settings, Serve serve,
                                     const EngineOptions& options);

}  // namespace gmmu::sim::device
