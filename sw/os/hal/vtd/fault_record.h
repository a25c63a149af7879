// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "os/hal/remapping.h"

namespace gmmu::os::vtd {

/// Decodes the two words of a fault recording register.
RemappingFault FaultOf(uint64_t low, uint64_t high);

}  // namespace gmmu::os::vtd
