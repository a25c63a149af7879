// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// Returns "UPDATE_PAGE_TABLE" for 11; the number if the operation has no name.
std::string NameOf(DXGK_BUILDPAGINGBUFFER_OPERATION operation);
/// Returns a name such as "DXGKQAITYPE_DRIVERCAPS"; the number for a query that the model does not make.
std::string NameOf(DXGK_QUERYADAPTERINFOTYPE type);

}  // namespace gmmu::os
