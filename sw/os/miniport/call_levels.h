// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// What the system guarantees while an entry point of the driver is called (display driver documents, threading and
/// synchronization levels).
enum class CallLevel {
  kZero,   ///< no limit: other calls may run concurrently
  kOne,    ///< one thread at a time in the call's class
  kThree,  ///< one thread in the driver, GPU idle, video memory evicted
};

/// Level of, for example, "DxgkDdiStartDevice". Entries without a rule here have level zero.
CallLevel LevelOf(const std::string& entry);

/// Level three calls for which the GPU need not be idle: one recovers a GPU that hangs; the other starts it again when
/// video memory has lost its contents but is still allocated.
bool ComesWithABusyGpu(const std::string& entry);

}  // namespace gmmu::os
