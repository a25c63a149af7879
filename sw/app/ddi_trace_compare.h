// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>

#include "app/ddi_trace_file.h"

namespace gmmu::app {

/// "0xc000009a", "returned" for an entry without a result, "did not return".
std::string StatusOf(const DdiCall& call);
/// Prints the first difference of the traces on `out`, or that there is none. `times`: times must be equal too. Returns
/// the exit status.
int CompareTraces(const DdiTraceFile& a, const DdiTraceFile& b, bool times, std::FILE* out);

}  // namespace gmmu::app
