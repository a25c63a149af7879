// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "kmd/own_memory.h"
#include "kmd/progress.h"
#include "kmd/ring.h"

namespace gmmu::kmd {

/// One node of the GPU: a ring with its memory, and the state that the interrupt path keeps about it.
struct Engine {
  Ring ring;
  OwnMemory ring_page;
  OwnMemory fence_page;

  // The members below are used at device level (Adapter::AtDeviceLevel), or while the interrupt routine leaves the
  // engine alone.
  uint32_t reported_fence = 0;
  bool resetting = false;  ///< true: the interrupt routine ignores the engine
  bool preemption_pending = false;
  uint32_t preemption_fence = 0;
  Progress progress;  ///< progress of buffers that have no context

  /// Starts the ring empty, after Ring::Stop. Fences up to `completed` count as completed.
  void Restart(const Registers& registers, UINT node, bool privileged, uint32_t completed) {
    ring.Start(registers, node, privileged, ring_page, fence_page, completed);
  }
};

}  // namespace gmmu::kmd
