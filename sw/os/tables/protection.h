// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// The permissions that an application requested for a range of GPU virtual addresses, and the
/// 64-bit driver protection (D3DDDI_MAPGPUVIRTUALADDRESS).
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

/// Returns the entry `page` with the protection applied (D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE):
/// without Write it is ReadOnly, and without Execute it is NoExecute. Zero yields a zero entry with
/// Valid set (as observed on build 22621), and NoAccess yields an invalid entry.
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
