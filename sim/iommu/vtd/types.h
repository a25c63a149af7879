// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "iommu/remapper.h"

namespace gmmu::sim {

/// Parameters of a VT-d unit. The defaults are legal values that other VT-d models also use.
struct VtdParameters {
  unsigned haw = 48;               ///< host address width, bits: 32..52
  unsigned sagaw = 0x6;            ///< bit 1: 39-bit/3 levels, bit 2: 48/4, bit 3: 57/5
  unsigned mgaw = 48;              ///< widest IOVA, bits
  unsigned num_fault_records = 8;  ///< 1..256
  unsigned fro = 0x22;             ///< fault records at 16 * fro
  unsigned iro = 0x0F;             ///< IVA and IOTLB registers at 16 * iro
  unsigned mamv = 18;              ///< largest address mask of a page-selective invalidation
  bool pages_2m = true;
  bool pages_1g = true;
  bool caching_mode = false;                ///< CM: not-present and erroneous entries are cached too
  bool rwbf = false;                        ///< software must flush the write buffer (GCMD.WBF)
  bool snoop_control = false;               ///< SC: bit 11 of a leaf is SNP, else reserved
  bool pass_through = true;                 ///< PT: context entries of type 2
  bool fpd_covers_reserved_context = true;  ///< reason 0xB is not recorded when FPD = 1
  bool collapse_faults = false;             ///< a fault is dropped if its SID already has an unread record
  /// Whether an entry for a 2 MiB or 1 GiB page survives a page-selective invalidation that is smaller than the page;
  /// the specification permits it. If false, any overlap drops the entry.
  bool keep_larger_pages = true;

  unsigned context_entries = 64;  ///< context cache, fully associative LRU; 0: none
  unsigned iotlb_sets = 16;
  unsigned iotlb_ways = 4;    ///< 0: no IOTLB
  unsigned psc_entries = 16;  ///< paging-structure cache entries per level, fully associative LRU; 0: none
};

/// Why a request was blocked, with the numbers of the fault record. 0 means no fault.
enum class VtdReason : uint8_t {
  kNone = 0x0,
  kRootNotPresent = 0x1,
  kContextNotPresent = 0x2,
  kContextInvalid = 0x3,  ///< AW or TT not supported, or the top paging table is unreadable
  kAddressWidth = 0x4,
  kNoWrite = 0x5,
  kNoRead = 0x6,
  kTableUnreadable = 0x7,  ///< a paging table below the top table
  kRootUnreadable = 0x8,
  kContextUnreadable = 0x9,
  kRootReserved = 0xA,
  kContextReserved = 0xB,
  kEntryReserved = 0xC,
  kAtsBlocked = 0xD,
  kInterruptRange = 0xE,  ///< the resulting address is in the interrupt range
};
/// Returns the reason in snake_case, as reports print it, or "unknown" for an undefined number.
const char* NameOf(VtdReason reason);

/// The AT field of a request.
enum class VtdAddressType : uint8_t { kUntranslated = 0, kTranslationRequest = 1, kTranslated = 2 };

/// A memory request from a device. It must not cross a 4 KiB boundary.
struct VtdRequest {
  uint16_t sid = 0;
  uint64_t iova = 0;
  bool write = false;
  VtdAddressType type = VtdAddressType::kUntranslated;
};

struct VtdResult : RemapResult {
  /// With kBlocked, kNone means a read of the interrupt window, which is blocked but not recorded.
  VtdReason reason = VtdReason::kNone;
};

}  // namespace gmmu::sim
