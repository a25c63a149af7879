// SPDX-License-Identifier: Apache-2.0
#include "device/settings.h"

#include <algorithm>

#include "host/machine_parts.h"
#include "settings/keys.h"

namespace gmmu::sim::device {
namespace {

// The limit for BAR 2: all BARs must fit below 4 GiB, between RAM and the chipset.
constexpr uint64_t kMostVisible = uint64_t{256} << 20;

}  // namespace

settings::Keys DeviceSettings::Keys() {
  settings::Keys keys;
  DeviceSettings& place = *this;
#include "settings/as_keys.h"
#include "device/device.def"
  return keys;
}

void DeviceSettings::Check(const MachineConfig& machine, const std::string& file) const {
  settings::CheckPowerOfTwo(file, "device.registers_kib", device.registers_kib);
  if (device.visible_mib != 0) settings::CheckPowerOfTwo(file, "device.visible_mib", device.visible_mib);
  if (device.extra_kib != 0) {
    settings::CheckPowerOfTwo(file, "device.extra_kib", device.extra_kib);
    if (device.extra_kib < 4) settings::Refuse(file, "device.extra_kib", "must be 0 or at least 4");
    if (device.model == "none")
      settings::Refuse(file, "device.extra_kib", "is for a model, and device.model is \"none\"");
  }
  if (present() && memory_bytes(machine) > uint64_t{4096} << 20)
    settings::Refuse(file, "device.memory_mib",
                     "give at most 4096, it is 0 and gpu.vram_mib or gpu.unit_vram_mib is more");
}

uint64_t DeviceSettings::memory_bytes(const MachineConfig& machine) const {
  return device.memory_mib != 0 ? device.memory_mib << 20 : machine.gpu.vram_bytes();
}

uint64_t DeviceSettings::visible_bytes(const MachineConfig& machine) const {
  if (device.visible_mib != 0) return device.visible_mib << 20;
  uint64_t bytes = uint64_t{1} << 20;
  while (bytes < memory_bytes(machine) && bytes < kMostVisible) bytes *= 2;
  return bytes;
}

ConfigSpaceParameters DeviceSettings::Function(const MachineConfig& machine) const {
  ConfigSpaceParameters p = ConfigSpaceOf(machine.pcie);
  p.vendor = static_cast<uint16_t>(device.vendor);
  p.device = static_cast<uint16_t>(device.id);
  p.revision = static_cast<uint8_t>(device.revision);
  p.class_code = static_cast<uint32_t>(device.class_code);
  p.bar0_bytes = static_cast<uint32_t>(device.registers_kib << 10);
  p.bar2_bytes = static_cast<uint32_t>(visible_bytes(machine));
  p.bar4_bytes = static_cast<uint32_t>(device.extra_kib << 10);
  p.line_interrupt = device.interrupt == Interrupt::kLine;
  return p;
}

}  // namespace gmmu::sim::device
