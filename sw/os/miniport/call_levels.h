// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// What the system guarantees while an entry point of the driver runs (display driver documents, threading and
/// synchronization levels).
enum class CallLevel {
  kZero,   ///< no limit: other calls may run concurrently
  kOne,    ///< at most one thread at a time in calls of the same class
  kThree,  ///< one thread in the driver, the GPU idle, video memory evicted
};

/// Returns the level of an entry point such as "DxgkDdiStartDevice". Entry points without a rule have level zero.
CallLevel LevelOf(const std::string& entry);

/// True for the level-three calls that do not require an idle GPU: the call that recovers a hung
/// GPU, and the call that restarts the GPU after video memory has lost its contents but before its
/// allocations are freed.
bool ComesWithABusyGpu(const std::string& entry);

}  // namespace gmmu::os
