// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "ddi/dispmprt.h"

namespace gmmu::os {

/// Returns the operation's name, such as "UPDATE_PAGE_TABLE" for 11, or the number if it has no
/// name.
std::string NameOf(DXGK_BUILDPAGINGBUFFER_OPERATION operation);
/// Returns a name such as "DXGKQAITYPE_DRIVERCAPS", or the number if the model never makes this query.
std::string NameOf(DXGK_QUERYADAPTERINFOTYPE type);

}  // namespace gmmu::os
