// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "app/cli.h"

namespace gmmu::app {

/// What does not go with --fail-each in these arguments; empty: all is well, or it is not given.
std::string WrongSweep(const RunArguments& arguments);

/// `gmmu run --fail-each callback|allocation`: one run after another, in each of which one more callback or allocation
/// of the driver is refused. Returns 1 when a run ends otherwise than by passing, or by a refusal that leaks nothing.
/// Throws OutputError, settings::Error and workload::InputError before the first run.
int FailEach(const RunArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
