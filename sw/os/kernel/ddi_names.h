// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// "UPDATE_PAGE_TABLE" for 11; the number where there is no name.
std::string NameOf(DXGK_BUILDPAGINGBUFFER_OPERATION operation);
/// "DXGKQAITYPE_DRIVERCAPS"; the number of a query that the model does not make.
std::string NameOf(DXGK_QUERYADAPTERINFOTYPE type);

}  // namespace gmmu::os
