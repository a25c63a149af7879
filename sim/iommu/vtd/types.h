// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "iommu/remapper.h"

namespace gmmu::sim {

/// Parameters of a VT-d unit. The defaults are legal values that other models of VT-d also use.
struct VtdParameters {
  unsigned haw = 48;               ///< host address width in bits, 32..52
  unsigned sagaw = 0x6;            ///< bit 1: 39-bit/3 levels, bit 2: 48/4, bit 3: 57/5
  unsigned mgaw = 48;              ///< width of the largest IOVA in bits
  unsigned num_fault_records = 8;  ///< 1..256
  unsigned fro = 0x22;             ///< offset of the fault records / 16
  unsigned iro = 0x0F;             ///< offset of the IVA and IOTLB registers / 16
  unsigned mamv = 18;              ///< largest address mask for a page-selective invalidation
  bool pages_2m = true;
  bool pages_1g = true;
  bool caching_mode = false;                ///< CM: also cache not-present and erroneous entries
  bool rwbf = false;                        ///< software must flush the write buffer (GCMD.WBF)
  bool snoop_control = false;               ///< SC: bit 11 of a leaf is SNP; if false, reserved
  bool pass_through = true;                 ///< PT: context entries of type 2
  bool fpd_covers_reserved_context = true;  ///< with FPD = 1, reason 0xB is not recorded
  bool collapse_faults = false;             ///< drop a fault whose SID already has an unread record
  /// Whether an entry for a 2 MiB or 1 GiB page survives a page-selective invalidation of a smaller
  /// range, which the specification permits. If false, any overlap drops the entry.
  bool keep_larger_pages = true;

  bool interrupt_remapping = true;  ///< IR
  unsigned interrupt_entries = 64;  ///< cache of the interrupt remapping table; 0: none
  unsigned context_entries = 64;    ///< context cache, fully associative LRU; 0: none
  unsigned iotlb_sets = 16;
  unsigned iotlb_ways = 4;    ///< 0: no IOTLB
  unsigned psc_entries = 16;  ///< entries per level, fully associative LRU; 0: none
};

/// Why a request was blocked. The values are the fault reasons of VT-d; 0 means no fault.
enum class VtdReason : uint8_t {
  kNone = 0x0,
  kRootNotPresent = 0x1,
  kContextNotPresent = 0x2,
  kContextInvalid = 0x3,  ///< unsupported AW or TT, or unreadable top paging table
  kAddressWidth = 0x4,
  kNoWrite = 0x5,
  kNoRead = 0x6,
  kTableUnreadable = 0x7,  ///< a paging table below the top one cannot be read
  kRootUnreadable = 0x8,
  kContextUnreadable = 0x9,
  kRootReserved = 0xA,
  kContextReserved = 0xB,
  kEntryReserved = 0xC,
  kAtsBlocked = 0xD,
  kInterruptRange = 0xE,  ///< the translated address is in the interrupt range
  // Interrupt remapping.
  kInterruptReserved = 0x20,       ///< reserved field in the request
  kInterruptIndex = 0x21,          ///< the table has no such entry
  kInterruptNotPresent = 0x22,     ///< the entry is not present
  kInterruptUnreadable = 0x23,     ///< the entry cannot be read
  kInterruptEntryReserved = 0x24,  ///< reserved field in the entry
  kInterruptCompatibility = 0x25,  ///< a request in compatibility format, which is blocked
  kInterruptSourceBlocked = 0x26,  ///< the entry is not for this requester
};
/// Returns the reason in snake_case, as used in reports, or "unknown" for an undefined value.
const char* NameOf(VtdReason reason);

/// The AT field of a request.
enum class VtdAddressType : uint8_t { kUntranslated = 0, kTranslationRequest = 1, kTranslated = 2 };

/// A memory request from a device, which must not cross a 4 KiB boundary.
struct VtdRequest {
  uint16_t sid = 0;
  uint64_t iova = 0;
  bool write = false;
  VtdAddressType type = VtdAddressType::kUntranslated;
  uint32_t data = 0;  ///< data of a write to the interrupt window
};

struct VtdResult : RemapResult {
  /// With kBlocked, kNone means a read of the interrupt window, which is blocked but not recorded
  /// as a fault.
  VtdReason reason = VtdReason::kNone;
};

}  // namespace gmmu::sim
