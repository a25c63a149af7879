// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::app {

/// The output of `git describe` at build time, or "unknown" if the sources are not a git checkout.
/// cmake/commit.cmake writes the definition.
extern const char* const kCommit;

}  // namespace gmmu::app
