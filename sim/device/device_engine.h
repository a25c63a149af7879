// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "device/function_on_link.h"
#include "device/settings.h"
#include "host/plain_machine.h"
#include "hw/device.h"

namespace gmmu::sim::device {

/// The hardware thread of a driver (hw/device.h, GmmuServeDevice).
using Serve = uint64_t (*)(const GMMU_DEVICE_HOST* host);

struct DeviceMachine : PlainMachine<FunctionOnLink> {
  DeviceMachine(const MachineConfig& config, const FunctionParameters& function);
};

/// The machine with the device of `settings`, whose model is not empty, and estimated times. With the model "none"
/// `serve` serves the registers, which are plain memory; it may be null. Throws ConfigError if the model cannot be
/// loaded or refuses the machine, and if waves or events are requested.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const DeviceSettings& settings, Serve serve,
                                     const EngineOptions& options);

}  // namespace gmmu::sim::device
