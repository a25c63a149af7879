// SPDX-License-Identifier: Apache-2.0
#include "gpu/event_tap.h"

namespace gmmu::sim {
namespace {

template <typename Port>
uint64_t Word64(const Port& port, unsigned index) {
  return port[2 * index] | uint64_t{port[2 * index + 1]} << 32;
}

TranslationEvent Lookup(const Vgmmu_gpu_axi& top, unsigned port) {
  const uint64_t where = Word64(top.ev_xlate_o, port * 3 + 1);
  const uint64_t how = Word64(top.ev_xlate_o, port * 3 + 2);
  TranslationEvent event;
  event.port = port;
  event.va = Word64(top.ev_xlate_o, port * 3);
  event.zero = (where >> 56 & 1) != 0;
  event.gpa.target = static_cast<regs::Target>(where >> 54 & 3);
  event.gpa.adapter = static_cast<uint8_t>(where >> 48 & 63);
  event.gpa.offset = where & 0xFFFF'FFFF'FFFF;
  event.level = how >> 24 & 7;
  event.fault = static_cast<regs::Fault>(how >> 16 & 0xFF);
  event.access = static_cast<regs::Access>(how >> 8 & 3);
  event.space = how & 63;
  return event;
}

}  // namespace

void TapEvents(const Vgmmu_gpu_axi& top, uint64_t cycle, TranslationChecker& checker) {
  constexpr unsigned kWords = (sizeof(top.ev_xlate_valid_o) + 3) / 4;
  for (unsigned word = 0; word < kWords; ++word) {
    for (uint32_t left = Word32(top.ev_xlate_valid_o, word); left != 0; left &= left - 1)
      checker.Answered(cycle, Lookup(top, 32 * word + static_cast<unsigned>(__builtin_ctz(left))));
  }
  if (top.ev_inv_done_o) {  // counts as later than the lookups that respond in this cycle
    checker.Invalidated(
        {static_cast<regs::Scope>(top.ev_inv_scope_o), top.ev_inv_space_o, top.ev_inv_start_o, top.ev_inv_end_o});
  }
}

}  // namespace gmmu::sim
