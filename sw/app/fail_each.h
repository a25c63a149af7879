// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "app/cli.h"

namespace gmmu::app {

/// The argument that conflicts with --fail-each; empty: none, or --fail-each is not given.
std::string WrongSweep(const RunArguments& arguments);

/// `gmmu run --fail-each callback|allocation`: makes runs in turn; the n-th run refuses the n-th callback or allocation
/// of the driver. Returns 1 if a run ends other than by passing, or by a refusal without a leak. Throws OutputError,
/// settings::Error and workload::InputError before the first run.
int FailEach(const RunArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
