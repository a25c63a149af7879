// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// A device's response to DxgkDdiLinkDevice, which is called right after its DxgkDdiAddDevice.
struct LinkAnswer {
  std::string device;  ///< bus, device and function
  LINKED_DEVICE link{};
};

/// The chain of linked adapters to which the first device belongs. If it is not refused, it is complete: it has all
/// announced adapters, with one lead.
struct LinkedChain {
  std::vector<size_t> members;  ///< indexes of the answers, in ascending order
  size_t lead = 0;              ///< index of the lead's answer
  std::string refusal;          ///< why the chain cannot be used, in which case Windows starts in VGA mode
};

/// Rules of the display driver interface (LINKED_DEVICE, DXGKDDI_LINK_DEVICE; from documents only): devices with the
/// same ChainUid are one chain, all report the same number of links, that many devices are enumerated, and exactly one
/// is the lead. A device that reports one link is not linked, whatever its other members say.
LinkedChain FindChain(const std::vector<LinkAnswer>& answers);

}  // namespace gmmu::os
