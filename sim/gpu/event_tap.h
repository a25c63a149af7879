// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "Vgmmu_gpu.h"
#include "probe/translation_checker.h"

namespace gmmu::sim {

/// Hands the event port of the cycle, as it stands before the edge, to the checker.
void TapEvents(const Vgmmu_gpu& top, uint64_t cycle, TranslationChecker& checker);

/// The port has something to say.
inline bool HasEvents(const Vgmmu_gpu& top) {
  return top.ev_xlate_valid_o != 0 || top.ev_inv_done_o;
}

}  // namespace gmmu::sim
