// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

/// The system's guarantees while an entry point of the driver is called (display driver documents, threading and
/// synchronization levels).
enum class CallLevel {
  kZero,   ///< no limit: other calls may run concurrently
  kOne,    ///< one thread at a time in the call's class
  kThree,  ///< one thread in the driver, GPU idle, video memory evicted
};

/// Returns the level of an entry such as "DxgkDdiStartDevice". Entries without a rule here have level zero.
CallLevel LevelOf(const std::string& entry);

/// True for the level three calls for which the GPU need not be idle. One recovers a hung GPU. The other starts the GPU
/// again when video memory has lost its contents but is still allocated.
bool ComesWithABusyGpu(const std::string& entry);

}  // namespace gmmu::os
