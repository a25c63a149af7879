// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>

#include "app/ddi_trace_file.h"

namespace gmmu::app {

/// Returns the result of the call as text: "0xc000009a", "returned" for an entry point without a
/// result, or "did not return".
std::string StatusOf(const DdiCall& call);
/// Prints the first difference between the traces to `out`, or that there is none. If `times` is
/// true, the times must also be equal. Returns the exit status.
int CompareTraces(const DdiTraceFile& a, const DdiTraceFile& b, bool times, std::FILE* out);

}  // namespace gmmu::app
