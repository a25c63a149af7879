// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::app {

/// What `git describe` said of the sources when the program was built; "unknown" without a checkout. cmake/commit.cmake
/// writes the definition.
extern const char* const kCommit;

}  // namespace gmmu::app
