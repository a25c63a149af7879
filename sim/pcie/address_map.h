// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/host_ram.h"
#include "hw/platform.h"

namespace gmmu::sim {

inline constexpr uint64_t kLowRamEnd = uint64_t{2} << 30;     ///< RAM below this address, devices above it
inline constexpr uint64_t kHighRamStart = uint64_t{4} << 30;  ///< RAM at and above this address
inline constexpr uint64_t kIommuBase = 0xFED90000;
inline constexpr uint64_t kIommuBytes = 0x1000;
inline constexpr uint64_t kMessageStart = 0xFEE00000;  ///< interrupt messages
inline constexpr uint64_t kMessageEnd = 0xFEF00000;

enum class Region : uint8_t {
  kNone,     ///< no device decodes it: a read returns all ones, a write is dropped
  kRam,      ///< `offset` is the host physical address
  kIommu,    ///< `offset` is relative to the IOMMU's register base
  kMessage,  ///< the interrupt window; `offset` is the address itself
  kBar,      ///< BAR `bar` of GPU `unit`; `offset` is relative to the BAR's base
};

struct Decoded {
  Region region = Region::kNone;
  unsigned unit = 0;
  unsigned bar = 0;
  uint64_t offset = 0;
};

/// Decodes a host physical address. RAM occupies 0 to 2 GiB and addresses from 4 GiB up; devices lie between.
///
/// RAM, the IOMMU's registers and the message window have priority over BARs: where they overlap, the BAR is hidden.
class AddressMap {
 public:
  /// `ram_bytes` is the size of the installed RAM, a positive multiple of 4 KiB. If `iommu` is
  /// true, the map contains the IOMMU's registers.
  AddressMap(uint64_t ram_bytes, bool iommu);

  /// Returns the RAM ranges of a PC with `bytes` of RAM: RAM beyond 2 GiB starts at 4 GiB.
  static std::vector<hw::Range> RamRanges(uint64_t bytes);

  /// Places BAR `bar` of GPU `unit` at [base, base + size); a `size` of 0 removes it.
  void SetBar(unsigned unit, unsigned bar, uint64_t base, uint64_t size);

  /// Returns the region that contains all of [address, address + size), or kNone if no single region contains it.
  Decoded Decode(uint64_t address, uint64_t size) const;

  const std::vector<hw::Range>& ram() const { return ram_; }
  std::optional<uint64_t> iommu_base() const;

 private:
  struct Bar {
    unsigned unit, bar;
    uint64_t base, size;
  };
  std::vector<hw::Range> ram_;
  bool iommu_;
  std::vector<Bar> bars_;
};

/// Writes the RAM of a PC to the firmware's tables: `online` bytes at the start, and `added` bytes
/// above them that software may add. The last `reserved` bytes below 2 GiB, or below the end of a
/// smaller RAM, belong to the GPU; the operating system owns the rest.
void DescribeRam(uint64_t online, uint64_t added, uint64_t reserved, hw::FirmwareTables& firmware);

}  // namespace gmmu::sim
