// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// What DxgkDdiLinkDevice returned for one device. It is called right after the device's
/// DxgkDdiAddDevice.
struct LinkAnswer {
  std::string device;  ///< bus, device and function
  LINKED_DEVICE link{};
};

/// The chain of linked adapters that contains the first device. If `refusal` is empty, the chain is
/// usable: it has exactly one lead and as many adapters as each of its adapters reports.
struct LinkedChain {
  std::vector<size_t> members;  ///< indexes into FindChain's `answers`, in ascending order
  size_t lead = 0;              ///< index of the lead in FindChain's `answers`
  std::string refusal;          ///< why the chain cannot be used; Windows then starts in VGA mode
};

/// Finds the chain according to the display driver interface (LINKED_DEVICE, DXGKDDI_LINK_DEVICE;
/// documented, not observed on Windows). Devices with the same ChainUid form a chain. All of them
/// must report the same number of links, the chain must contain that many devices, and exactly one
/// of them must be the lead. A device that reports one link is not linked, whatever its other
/// members are.
LinkedChain FindChain(const std::vector<LinkAnswer>& answers);

}  // namespace gmmu::os
