// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "os/hal/remapping.h"

namespace gmmu::os::vtd {

/// The fault of a fault recording register, whose two words these are.
RemappingFault FaultOf(uint64_t low, uint64_t high);

}  // namespace gmmu::os::vtd
