// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// What holds while an entry point of the driver is called (display driver documents, threading and
/// synchronization levels).
enum class CallLevel {
  kZero,   ///< nothing: other calls may run at the same time
  kOne,    ///< one thread at a time in its class
  kThree,  ///< one thread in the driver, the GPU idle, video memory evicted
};

/// Level of "DxgkDdiStartDevice". Entries that no rule here names are of level zero.
CallLevel LevelOf(const std::string& entry);

/// Level three calls that the GPU need not be idle for: one recovers a GPU that hangs, the other starts it again when
/// what video memory held is lost but not yet given back.
bool ComesWithABusyGpu(const std::string& entry);

}  // namespace gmmu::os
