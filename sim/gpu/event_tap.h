// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include "Vgmmu_gpu_axi.h"
#include "probe/translation_checker.h"

namespace gmmu::sim {

/// Returns bits 32 i to 32 i + 31 of a port of any width. Bits beyond the port's width are 0.
template <typename Port>
inline uint32_t Word32(const Port& port, unsigned i) {
  if constexpr (std::is_integral_v<Port>) {
    return 32 * i < 8 * sizeof(Port) ? static_cast<uint32_t>(uint64_t{port} >> (32 * i)) : 0;
  } else {
    return port[i];
  }
}

/// Passes the events that the event port reports in this cycle to the checker. Call it before the
/// clock edge.
void TapEvents(const Vgmmu_gpu_axi& top, uint64_t cycle, TranslationChecker& checker);

/// Whether the event port reports a completed lookup or invalidation in this cycle.
inline bool HasEvents(const Vgmmu_gpu_axi& top) {
  uint32_t any = top.ev_inv_done_o;
  for (unsigned i = 0; i < (sizeof(top.ev_xlate_valid_o) + 3) / 4; ++i) any |= Word32(top.ev_xlate_valid_o, i);
  return any != 0;
}

}  // namespace gmmu::sim
