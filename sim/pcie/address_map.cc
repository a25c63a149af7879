// SPDX-License-Identifier: Apache-2.0
#include "pcie/address_map.h"

#include <utility>

#include <algorithm>

namespace gmmu::sim {
namespace {

bool Holds(uint64_t start, uint64_t end, uint64_t address, uint64_t size) {
  return address >= start && address < end && size <= end - address;
}

}  // namespace

AddressMap::AddressMap(uint64_t ram_bytes, bool iommu) : ram_(RamRanges(ram_bytes)), iommu_(iommu) {}

std::vector<hw::Range> AddressMap::RamRanges(uint64_t bytes) {
  std::vector<hw::Range> ranges{{0, std::min(bytes, kLowRamEnd)}};
  if (bytes > kLowRamEnd) ranges.push_back({kHighRamStart, kHighRamStart + (bytes - kLowRamEnd)});
  return ranges;
}

void AddressMap::SetBar(unsigned unit, unsigned bar, uint64_t base, uint64_t size) {
  bars_.erase(std::remove_if(bars_.begin(), bars_.end(),
                             [&](const Bar& old) { return old.unit == unit && old.bar == bar; }),
              bars_.end());
  if (size != 0) bars_.push_back({unit, bar, base, size});
}

Decoded AddressMap::Decode(uint64_t address, uint64_t size) const {
  for (const hw::Range& range : ram_) {
    if (Holds(range.start, range.end, address, size)) return {Region::kRam, 0, 0, address};
  }
  if (iommu_ && Holds(kIommuBase, kIommuBase + kIommuBytes, address, size))
    return {Region::kIommu, 0, 0, address - kIommuBase};
  if (Holds(kMessageStart, kMessageEnd, address, size)) return {Region::kMessage, 0, 0, address};
  for (const Bar& bar : bars_) {
    if (Holds(bar.base, bar.base + bar.size, address, size))
      return {Region::kBar, bar.unit, bar.bar, address - bar.base};
  }
  return {};
}

std::optional<uint64_t> AddressMap::iommu_base() const {
  return iommu_ ? std::optional<uint64_t>(kIommuBase) : std::nullopt;
}

void DescribeRam(uint64_t online, uint64_t added, uint64_t reserved, hw::FirmwareTables& firmware) {
  firmware.ram = AddressMap::RamRanges(online);
  for (hw::Range range : AddressMap::RamRanges(online + added)) {
    for (const hw::Range& old : firmware.ram)
      if (old.start == range.start) range.start = old.end;
    if (range.start < range.end) firmware.hot_add.push_back(range);
  }
  if (reserved == 0) return;
  hw::Range& low = firmware.ram.front();
  firmware.gpu_reserved = hw::Range{low.end - reserved, low.end};
  low.end -= reserved;
}

}  // namespace gmmu::sim
