// SPDX-License-Identifier: Apache-2.0
#include "os/hal/pci.h"

#include "os/base/errors.h"
#include "os/hal/hal.h"

namespace gmmu::os {
namespace {
// Offsets in the type 0 configuration header (PCI Local Bus specification, chapter 6).
constexpr uint16_t kId = 0x00, kCommand = 0x04, kStatus = 0x06, kClass = 0x08, kHeader = 0x0E;
constexpr uint16_t kBar0 = 0x10, kSubsystem = 0x2C, kCapabilities = 0x34, kLine = 0x3C, kPin = 0x3D;
constexpr uint32_t kMemory = 1u << 1, kBusMaster = 1u << 2, kNoLine = 1u << 10;
constexpr uint8_t kPowerManagement = 0x01, kMsi = 0x05;
constexpr uint16_t kMsiEnable = 1u << 0, kMsi64 = 1u << 7;
}  // namespace

std::vector<PciFunction> Pci::Enumerate(uint8_t last_bus, const std::set<uint16_t>& in_use) {
  std::vector<PciFunction> found;
  for (unsigned bus = 0; bus <= last_bus; ++bus) {
    for (uint8_t device = 0; device < 32; ++device) {
      for (uint8_t number = 0; number < 8; ++number) {
        const hw::Bdf bdf{static_cast<uint8_t>(bus), device, number};
        const uint32_t id = hal_.ConfigRead(bdf, kId, 4);
        if ((id & 0xFFFF) == 0xFFFF) {
          if (number == 0) break;  // without function 0, there is no device
          continue;
        }
        const uint8_t header = static_cast<uint8_t>(hal_.ConfigRead(bdf, kHeader, 1));
        if ((header & 0x7F) == 0 && in_use.count(bdf.requester_id()) == 0) {
          PciFunction function;
          function.bdf = bdf;
          function.vendor = static_cast<uint16_t>(id);
          function.device = static_cast<uint16_t>(id >> 16);
          const uint32_t class_word = hal_.ConfigRead(bdf, kClass, 4);
          function.revision = static_cast<uint8_t>(class_word);
          function.class_code = class_word >> 8;
          const uint32_t subsystem = hal_.ConfigRead(bdf, kSubsystem, 4);
          function.subsystem_vendor = static_cast<uint16_t>(subsystem);
          function.subsystem = static_cast<uint16_t>(subsystem >> 16);
          function.msi_offset = FindCapability(bdf, kMsi);
          AssignBars(function);
          found.push_back(function);
        }
        if (number == 0 && (header & 0x80) == 0) break;  // a single-function device
      }
    }
  }
  return found;
}

uint64_t Pci::PlaceOf(hw::Bdf bdf, unsigned index, uint64_t size) {
  const uint64_t at = (next_ + size - 1) & ~(size - 1);
  const auto [place, fresh] = places_.try_emplace({bdf.requester_id(), index}, hw::Range{at, at + size});
  if (fresh) next_ = place->second.end;
  return place->second.start;
}

bool Pci::Decodes(uint64_t start, uint64_t size) const {
  for (const auto& [bar, range] : places_) {
    if (start >= range.start && start < range.end && size <= range.end - start) return true;
  }
  return false;
}

void Pci::AssignBars(PciFunction& function) {
  const hw::Bdf bdf = function.bdf;
  const uint32_t command = hal_.ConfigRead(bdf, kCommand, 2);
  hal_.ConfigWrite(bdf, kCommand, 2, command & ~(kMemory | kBusMaster));
  for (unsigned index = 0; index < 6; ++index) {
    const uint16_t offset = static_cast<uint16_t>(kBar0 + 4 * index);
    hal_.ConfigWrite(bdf, offset, 4, ~0u);
    const uint32_t low = hal_.ConfigRead(bdf, offset, 4);
    if (low == 0 || (low & 1) != 0) continue;  // the BAR is absent or maps I/O ports
    Bar& bar = function.bars[index];
    bar.is_64 = (low & 6) == 4;
    bar.prefetchable = (low & 8) != 0;
    uint64_t mask = 0xFFFFFFFF00000000ull | (low & ~0xFu);
    if (bar.is_64 && index < 5) {
      const uint16_t upper = static_cast<uint16_t>(offset + 4);
      hal_.ConfigWrite(bdf, upper, 4, ~0u);
      mask = static_cast<uint64_t>(hal_.ConfigRead(bdf, upper, 4)) << 32 | (low & ~0xFu);
    }
    bar.size = ~mask + 1;
    bar.address = PlaceOf(bdf, index, bar.size);
    if (bar.address + bar.size > window_.end) {
      throw Exhausted("no room below 4 GiB for BAR " + std::to_string(index) + " of " + bdf.ToString());
    }
    hal_.ConfigWrite(bdf, offset, 4, static_cast<uint32_t>(bar.address));
    if (bar.is_64 && index < 5) {
      hal_.ConfigWrite(bdf, static_cast<uint16_t>(offset + 4), 4, static_cast<uint32_t>(bar.address >> 32));
      ++index;  // the next register is the upper half of this BAR
    }
  }
  hal_.ConfigWrite(bdf, kCommand, 2, (command & ~kBusMaster) | kMemory | kNoLine);
}

uint16_t Pci::FindCapability(hw::Bdf bdf, uint8_t id) {
  if ((hal_.ConfigRead(bdf, kStatus, 2) & 0x10) == 0) return 0;
  uint16_t at = static_cast<uint16_t>(hal_.ConfigRead(bdf, kCapabilities, 1) & 0xFC);
  for (int hops = 0; at != 0 && hops < 48; ++hops) {
    if (hal_.ConfigRead(bdf, at, 1) == id) return at;
    at = static_cast<uint16_t>(hal_.ConfigRead(bdf, static_cast<uint16_t>(at + 1), 1) & 0xFC);
  }
  return 0;
}

void Pci::EnableInterrupt(const PciFunction& function, const hw::Message& message) {
  const uint16_t at = function.msi_offset;
  if (at == 0) return RouteLine(function, message);
  const uint32_t control = hal_.ConfigRead(function.bdf, static_cast<uint16_t>(at + 2), 2);
  hal_.ConfigWrite(function.bdf, static_cast<uint16_t>(at + 4), 4, static_cast<uint32_t>(message.address));
  uint16_t data = static_cast<uint16_t>(at + 8);
  if ((control & kMsi64) != 0) {
    hal_.ConfigWrite(function.bdf, data, 4, static_cast<uint32_t>(message.address >> 32));
    data = static_cast<uint16_t>(at + 12);
  }
  hal_.ConfigWrite(function.bdf, data, 2, message.data);
  // Clears multiple message enable (6:4), so that the function uses only one message.
  hal_.ConfigWrite(function.bdf, static_cast<uint16_t>(at + 2), 2, (control & ~0x70u) | kMsiEnable);
}

// The interrupt controller raises the vector that is in the interrupt line register.
void Pci::RouteLine(const PciFunction& function, const hw::Message& message) {
  if (hal_.ConfigRead(function.bdf, kPin, 1) == 0)
    throw OsError("device " + function.bdf.ToString() + " has no MSI capability and no interrupt pin");
  hal_.ConfigWrite(function.bdf, kLine, 1, message.data);
  hal_.ConfigWrite(function.bdf, kCommand, 2, hal_.ConfigRead(function.bdf, kCommand, 2) & ~kNoLine);
}

void Pci::DisableInterrupt(const PciFunction& function) {
  if (function.msi_offset == 0) {
    hal_.ConfigWrite(function.bdf, kCommand, 2, hal_.ConfigRead(function.bdf, kCommand, 2) | kNoLine);
    return;
  }
  const uint16_t at = static_cast<uint16_t>(function.msi_offset + 2);
  hal_.ConfigWrite(function.bdf, at, 2, hal_.ConfigRead(function.bdf, at, 2) & ~uint32_t{kMsiEnable});
}

void Pci::SetBusMaster(const PciFunction& function, bool on) {
  const uint32_t command = hal_.ConfigRead(function.bdf, kCommand, 2);
  hal_.ConfigWrite(function.bdf, kCommand, 2, on ? command | kBusMaster : command & ~kBusMaster);
}

void Pci::SetPower(const PciFunction& function, bool on) {
  const uint16_t capability = FindCapability(function.bdf, kPowerManagement);
  if (capability == 0) return;
  const auto control = static_cast<uint16_t>(capability + 4);
  const uint32_t now = hal_.ConfigRead(function.bdf, control, 2);
  hal_.ConfigWrite(function.bdf, control, 2, (now & ~3u) | (on ? 0u : 3u));
  // Reading the register back ensures that the write has arrived.
  static_cast<void>(hal_.ConfigRead(function.bdf, control, 2));
}

void Pci::PowerOff(const PciFunction& function) {
  const uint32_t command = hal_.ConfigRead(function.bdf, kCommand, 2);
  hal_.ConfigWrite(function.bdf, kCommand, 2, command & ~(kMemory | kBusMaster));
}

}  // namespace gmmu::os
