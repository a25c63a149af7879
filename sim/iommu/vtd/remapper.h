// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "iommu/remapper.h"
#include "iommu/vtd/types.h"

namespace gmmu::sim {

/// Returns the parameters of the VT-d unit that Remapper::Make constructs.
VtdParameters VtdParametersOf(const RemapperParameters& parameters);

}  // namespace gmmu::sim
