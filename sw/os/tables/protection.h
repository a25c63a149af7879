// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// The permissions that an application has requested for a range of GPU virtual addresses, and the driver's own 64 bits
/// (D3DDDI_MAPGPUVIRTUALADDRESS).
struct Protection {
  D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE type{};
  uint64_t driver = 0;

  static Protection All() {
    Protection all;
    all.type.Write = 1;
    all.type.Execute = 1;
    return all;
  }
};

/// Applies the protection to `page` (D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE): without Write the entry is ReadOnly,
/// without Execute it is NoExecute. Zero produces a zero entry with Valid set (as observed on build 22621), NoAccess an
/// invalid entry.
inline DXGK_PTE Protect(DXGK_PTE page, const Protection& protection) {
  DXGK_PTE entry{};
  if (protection.type.NoAccess) return entry;
  if (protection.type.Zero) {
    entry.Valid = 1;
    entry.Zero = 1;
    return entry;
  }
  page.ReadOnly = !protection.type.Write;
  page.NoExecute = !protection.type.Execute;
  return page;
}

}  // namespace gmmu::os
