// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::os {

/// One drained record of the VT-d unit's fault recording registers.
struct IommuFault {
  uint16_t requester = 0;
  uint8_t reason = 0;
  bool read = false;
  uint64_t address = 0;  ///< logical address, 4 KiB aligned
  std::string ReasonName() const;
  /// "device 01:00.0: read of logical page 0x5000: no read permission"
  std::string Text() const;
};

}  // namespace gmmu::os
