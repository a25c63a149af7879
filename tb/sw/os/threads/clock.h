// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>

#include "hw/platform.h"

namespace gmmu::os::test {

/// A platform that has only a clock, and that delivers messages at given times.
class Clock : public hw::Platform {
 public:
  const hw::FirmwareTables& firmware() const override { return firmware_; }
  hw::HostRam& ram() override { throw std::logic_error("no RAM"); }
  uint64_t MmioRead(uint64_t, unsigned) override { return 0; }
  void MmioWrite(uint64_t, unsigned, uint64_t) override {}
  void MmioReadBlock(uint64_t, void*, size_t) override {}
  void MmioWriteBlock(uint64_t, const void*, size_t) override {}
  uint32_t ConfigRead(hw::Bdf, uint16_t, unsigned) override { return ~0u; }
  void ConfigWrite(hw::Bdf, uint16_t, unsigned, uint32_t) override {}
  std::optional<hw::Message> TakeMessage() override {
    if (at.empty() || at.front() > now) return std::nullopt;
    at.pop_front();
    return hw::Message{0xFEE00000, 0x30};
  }
  bool WaitForMessage(uint64_t bound_ns) override {
    if (!at.empty() && at.front() <= now + bound_ns) {
      now = std::max(now, at.front());
      return true;
    }
    now += bound_ns;
    return false;
  }
  uint64_t NowNs() override { return now; }

  uint64_t now = 0;
  std::deque<uint64_t> at;  // times of messages

 private:
  hw::FirmwareTables firmware_;
};

}  // namespace gmmu::os::test
