// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "app/cli.h"

namespace gmmu::app {

/// Returns the argument that conflicts with --fail-each, or an empty string if there is none or
/// --fail-each is not given.
std::string WrongSweep(const RunArguments& arguments);

/// Implements `gmmu run --fail-each callback|allocation`. Run n makes the driver's n-th callback or
/// allocation fail. Returns 1 unless every run either passes, or ends with a refusal and without a
/// leak. Throws OutputError, settings::Error and workload::InputError before the first run.
int FailEach(const RunArguments& arguments, std::FILE* out, std::FILE* err);

}  // namespace gmmu::app
