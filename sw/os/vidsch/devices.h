// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

/// The devices whose packets the scheduler runs, and which of them are lost.
class GpuDevices {
 public:
  GpuDevice* Create(const std::string& name);
  void Destroy(GpuDevice* device);
  /// Returns the device with this id, or null if it was destroyed.
  GpuDevice* Find(uint64_t device) const;
  /// Returns the name of the device with this id, or "" if it was destroyed.
  std::string NameOf(uint64_t device) const;
  /// Marks the device as lost. Does nothing if `device` is null or already lost.
  static void Lose(GpuDevice* device, const std::string& why);

  auto begin() const { return devices_.begin(); }
  auto end() const { return devices_.end(); }

 private:
  std::vector<std::unique_ptr<GpuDevice>> devices_;
  uint64_t next_ = 1;
};

}  // namespace gmmu::os
