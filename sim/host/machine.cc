// SPDX-License-Identifier: Apache-2.0
#include "host/machine.h"

#include <algorithm>
#include <cstring>

#include "host/config.h"
#include "host/host_side.h"
#include "host/machine_parts.h"
#include "host/messages.h"
#include "hw/host_ram.h"
#include "hw/unit_names.h"
#include "memory/page_owners.h"
#include "pcie/address_map.h"
#include "pcie/config_space.h"

namespace gmmu::sim {
namespace {

// The duration of an access to the IOMMU's registers or to an address that no device decodes.
constexpr uint64_t kChipsetPs = 40'000;
constexpr unsigned kWord = 8;

uint64_t Ones(unsigned size) { return size >= kWord ? ~uint64_t{0} : (uint64_t{1} << (8 * size)) - 1; }

BarAccess AccessAt(const Decoded& where, uint64_t address, size_t size) {
  return {where.unit, where.bar, where.offset, address, size};
}

/// Returns how many of `size` bytes fit into the write-combining buffer that contains `address`.
size_t PieceAt(uint64_t address, size_t size) {
  return std::min<size_t>(size, Device::kBlockBytes - address % Device::kBlockBytes);
}

}  // namespace

Machine::Machine(const MachineConfig& config, const Parts& parts) : parts_(parts) {
  for (unsigned unit = 0; unit < parts.device.units(); ++unit) {
    ConfigSpace& space = parts.device.config(unit);
    space.OnChange([this, unit, &space] {
      for (const unsigned bar : {0u, 2u, 4u})
        parts_.map.SetBar(unit, bar, space.bar_base(bar), space.bar_active(bar) ? space.bar_bytes(bar) : 0);
    });
  }
  DescribeRam(config.host.memory_bytes(), config.host.hot_add_gib << 30, config.host.gpu_reserved_kib << 10, firmware_);
  firmware_.iommu_base = parts.map.iommu_base();
  firmware_.gpus = parts.device.units();
  firmware_.gpu_sizes_in_use = parts.device.sizes_in_use();
  firmware_.gpu_vendor = static_cast<uint16_t>(parts.device.config(0).Read(0, 2));
  firmware_.gpu_device = static_cast<uint16_t>(parts.device.config(0).Read(2, 2));
}

// ---- CPU accesses

uint64_t Machine::MmioRead(uint64_t address, unsigned size) {
  clock().CatchUp();
  const Decoded where = parts_.map.Decode(address, size);
  uint64_t value = 0;
  if (where.region == Region::kRam) return parts_.ram.Read(address, &value, size) ? value : Ones(size);
  if (where.region == Region::kBar) {
    parts_.device.Read(AccessAt(where, address, size), &value);
    return value;
  }
  clock().Pass(kChipsetPs);
  if (where.region != Region::kIommu) return Ones(size);
  return parts_.host.ReadRegister(static_cast<uint32_t>(where.offset), size);
}

void Machine::MmioWrite(uint64_t address, unsigned size, uint64_t value) {
  clock().CatchUp();
  const Decoded where = parts_.map.Decode(address, size);
  if (where.region == Region::kRam) {
    static_cast<void>(parts_.ram.Write(address, &value, size));  // dropped if there is no memory
  } else if (where.region == Region::kBar) {
    parts_.device.Write(AccessAt(where, address, size), &value);
  } else {
    clock().Pass(kChipsetPs);
    if (where.region != Region::kIommu) return;
    parts_.host.WriteRegister(static_cast<uint32_t>(where.offset), size, value);
    clock().CatchUp();
  }
}

void Machine::MmioReadBlock(uint64_t address, void* to, size_t size) {
  auto* bytes = static_cast<uint8_t*>(to);
  const auto bar = [&](size_t piece) {
    const Decoded where = parts_.map.Decode(address, piece);
    if (where.region == Region::kBar) parts_.device.ReadBlock(AccessAt(where, address, piece), bytes);
    return where.region == Region::kBar;
  };
  clock().CatchUp();
  if (bar(size)) return;
  for (size_t piece = 0; size > 0; address += piece, bytes += piece, size -= piece) {
    piece = PieceAt(address, size);
    if (bar(piece)) continue;
    piece = kWord;
    const uint64_t word = MmioRead(address, kWord);
    std::memcpy(bytes, &word, kWord);
  }
}

void Machine::MmioWriteBlock(uint64_t address, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  const auto bar = [&](size_t piece) {
    const Decoded where = parts_.map.Decode(address, piece);
    if (where.region == Region::kBar) parts_.device.WriteBlock(AccessAt(where, address, piece), bytes);
    return where.region == Region::kBar;
  };
  clock().CatchUp();
  if (bar(size)) return;
  for (size_t piece = 0; size > 0; address += piece, bytes += piece, size -= piece) {
    piece = PieceAt(address, size);
    if (bar(piece)) continue;
    piece = kWord;
    uint64_t word;
    std::memcpy(&word, bytes, kWord);
    MmioWrite(address, kWord, word);
  }
}

std::optional<unsigned> Machine::UnitAt(hw::Bdf bdf) const {
  for (unsigned unit = 0; unit < parts_.device.units(); ++unit)
    if (BdfOf(unit).requester_id() == bdf.requester_id()) return unit;
  return std::nullopt;
}

uint32_t Machine::ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) {
  clock().CatchUp();
  if (const auto unit = UnitAt(bdf)) return parts_.device.ReadConfig(*unit, offset, size);
  clock().Pass(kChipsetPs);
  return static_cast<uint32_t>(Ones(size));
}

void Machine::ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  clock().CatchUp();
  if (const auto unit = UnitAt(bdf)) parts_.device.WriteConfig(*unit, offset, size, value);
  else clock().Pass(kChipsetPs);
}

// ---- messages

std::optional<hw::Message> Machine::TakeMessage() {
  clock().CatchUp();
  return parts_.messages.Take();
}

bool Machine::WaitForMessage(uint64_t bound_ns) {
  return clock().Await([this] { return !parts_.messages.empty(); }, Clock::ToPs(bound_ns), "an interrupt message");
}

// ---- instruments

std::vector<hw::Counter> Machine::Counters() {
  std::vector<hw::Counter> all = parts_.device.Counters();
  const std::vector<hw::Counter> host = parts_.host.Counters();
  all.insert(all.end(), host.begin(), host.end());
  return all;
}

std::vector<hw::Finding> Machine::Findings() {
  std::vector<hw::Finding> all = parts_.host.owners().findings();
  all.insert(all.end(), before_removal_.begin(), before_removal_.end());
  for (const hw::Finding& finding : parts_.device.Findings())
    if (!OfARemovedUnit(finding.probe)) all.push_back(finding);
  return all;
}

hw::BusCounts Machine::BusAccesses(hw::Bdf device) {
  clock().CatchUp();
  return parts_.host.BusAccesses(device);
}

uint64_t Machine::PageAccesses(uint64_t pfn) {
  clock().CatchUp();
  return parts_.host.PageAccesses(pfn);
}

void Machine::NotePages(uint64_t first, uint64_t count, bool owned) { parts_.host.owners().Note(first, count, owned); }

std::vector<hw::InUse> Machine::ResourcesInUse() {
  std::vector<hw::InUse> held = parts_.device.ResourcesInUse();
  const auto gone = [this](const hw::InUse& one) { return OfARemovedUnit(one.name); };
  held.erase(std::remove_if(held.begin(), held.end(), gone), held.end());
  return held;
}

bool Machine::OfUnit(const std::string& name, unsigned unit) const {
  const std::string prefix = hw::UnitPrefix(unit, parts_.device.units());
  return name.compare(0, prefix.size(), prefix) == 0;
}

bool Machine::OfARemovedUnit(const std::string& name) {
  for (unsigned unit = 0; unit < parts_.device.units(); ++unit)
    if (!InSlot(unit) && OfUnit(name, unit)) return true;
  return false;
}

void Machine::Unplug(unsigned unit) {
  clock().CatchUp();
  for (const hw::Finding& finding : parts_.device.Findings())
    if (OfUnit(finding.probe, unit)) before_removal_.push_back(finding);
  parts_.device.config(unit).Unplug();
  // The unplugged function drops this write, but the call makes the device apply the function's
  // permissions, which are now all off.
  parts_.device.WriteConfig(unit, 0, 4, 0);
}

bool Machine::InSlot(unsigned unit) { return parts_.device.config(unit).present(); }

void Machine::StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) {
  clock().CatchUp();
  parts_.host.StrayAccess(device, kind, address, data);
}

}  // namespace gmmu::sim
