// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// Returns a DxgkDdiBuildPagingBuffer call as a JSON object on one line, without the newline. It
/// contains the time, the operation, the available and the written bytes, the progress, the status
/// (null if the call did not return), and the operand's members under Microsoft's names. Pointers
/// and handles appear only as null or not null, so that two runs with the same seed write identical
/// lines. sw/app/README.md describes the members.
std::string PagingTraceLine(uint64_t ns, const DXGKARG_BUILDPAGINGBUFFER& asked,
                            const DXGKARG_BUILDPAGINGBUFFER& answered, std::optional<NTSTATUS> status);

}  // namespace gmmu::os
