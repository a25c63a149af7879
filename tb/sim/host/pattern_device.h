// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstring>

#include "host/agenda.h"
#include "host/config.h"
#include "host/device.h"
#include "host/machine_parts.h"
#include "host/plain_machine.h"
#include "iommu/remapper.h"

namespace gmmu::sim {

/// A minimal device. The first kBytes of a BAR are memory; elsewhere each byte reads as the low
/// byte of its offset. An access takes kWayPs in each direction. When the function enters D3, the
/// memory loses its contents.
class PatternDevice : public Device {
 public:
  static constexpr size_t kBytes = 4096;
  static constexpr uint64_t kWayPs = 100'000;

  explicit PatternDevice(PlainHost& host) : host_(host), space_(ConfigSpaceOf(host.config.pcie)) {}

  ConfigSpace& config(unsigned) override { return space_; }
  Clock& clock() override { return host_.clock; }
  void Read(const BarAccess& access, void* to) override {
    clock().Pass(2 * kWayPs);  // all earlier posted writes arrive before the read
    ++reads_;
    auto* bytes = static_cast<uint8_t*>(to);
    for (size_t i = 0; i < access.size; ++i) bytes[i] = ByteAt(access.bar, access.offset + i);
  }
  void Write(const BarAccess& access, const void* from) override {
    std::array<uint8_t, kBlockBytes> data{};
    std::memcpy(data.data(), from, access.size);
    host_.agenda.At(host_.agenda.now() + kWayPs, [this, access, data] {
      for (size_t i = 0; i < access.size; ++i)
        if (access.offset + i < kBytes) kept_[access.bar == 2][access.offset + i] = data[i];
    });
    clock().Pass(1000);
  }
  uint32_t ReadConfig(unsigned, uint16_t offset, unsigned size) override {
    clock().Pass(2 * kWayPs);
    return space_.Read(offset, size);
  }
  void WriteConfig(unsigned, uint16_t offset, unsigned size, uint32_t value) override {
    clock().Pass(2 * kWayPs);
    space_.Write(offset, size, value);
    if (!space_.powered()) kept_ = {};
  }

  std::vector<hw::Counter> Counters() override {
    return {{"pattern", "reads", reads_, "requests", "Reads of the CPU."}};
  }
  uint64_t Cycles() override { return host_.agenda.now() / PeriodPs(host_.config.gpu); }
  std::vector<hw::InUse> ResourcesInUse() override { return {}; }

 private:
  uint8_t ByteAt(unsigned bar, uint64_t offset) const {
    return offset < kBytes ? kept_[bar == 2][offset] : static_cast<uint8_t>(offset);
  }

  PlainHost& host_;
  ConfigSpace space_;
  std::array<std::array<uint8_t, kBytes>, 2> kept_{};  ///< bytes of BAR 0 and BAR 2
  uint64_t reads_ = 0;
};

struct PatternMachine : PlainMachine<PatternDevice> {
  explicit PatternMachine(const MachineConfig& config) : PlainMachine(config, TimingOf(config), 0, nullptr) {}
};

}  // namespace gmmu::sim
