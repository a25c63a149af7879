// SPDX-License-Identifier: Apache-2.0
#include "os/vidsch/devices.h"

#include <algorithm>

namespace gmmu::os {

GpuDevice* GpuDevices::Create(const std::string& name) {
  devices_.push_back(std::make_unique<GpuDevice>());
  devices_.back()->id = next_++;
  devices_.back()->name = name;
  return devices_.back().get();
}

void GpuDevices::Destroy(GpuDevice* device) {
  devices_.erase(std::remove_if(devices_.begin(), devices_.end(),
                                [device](const auto& held) { return held.get() == device; }),
                 devices_.end());
}

GpuDevice* GpuDevices::Find(uint64_t device) const {
  for (const auto& held : devices_)
    if (held->id == device) return held.get();
  return nullptr;
}

std::string GpuDevices::NameOf(uint64_t device) const {
  const GpuDevice* found = Find(device);
  return found == nullptr ? "" : found->name;
}

void GpuDevices::Lose(GpuDevice* device, const std::string& why) {
  if (device == nullptr || device->lost) return;
  device->lost = true;
  device->why = why;
}

}  // namespace gmmu::os
