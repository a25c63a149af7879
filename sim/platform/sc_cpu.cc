// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_cpu.h"

#include <fmt/format.h>

#include "host/engine.h"
#include "platform/sc_agenda.h"

namespace gmmu::sim {
namespace {

using sc_core::sc_time;

constexpr size_t kStackBytes = size_t{8} << 20;

void Yield() { sc_core::wait(sc_core::SC_ZERO_TIME); }

}  // namespace

Cpu::Cpu(sc_core::sc_module_name name) : sc_module(name) {
  SC_HAS_PROCESS(Cpu);
  SC_THREAD(Main);
  set_stack_size(kStackBytes);
}

void Cpu::Main() {
  Pass(1);  // keep the software's actions off the clock edges
  try {
    result_ = software_(*platform_);
  } catch (...) {
    error_ = std::current_exception();
  }
  finished_ = true;
  sc_core::sc_pause();
}

int Cpu::Result() const {
  if (error_) std::rethrow_exception(error_);
  return result_;
}

uint64_t Cpu::NowPs() { return ScAgenda::Now(); }

void Cpu::Pass(uint64_t ps) {
  const uint64_t now = ScAgenda::Now();
  const uint64_t until = agenda_->OffEdge(now + ps);
  sc_core::wait(sc_time::from_value(until - now));
  Yield();
}

void Cpu::Stuck() {
  stuck_ = true;
  wake_.notify(sc_time::from_value(1));
}

bool Cpu::Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) {
  const uint64_t later = Later(ScAgenda::Now(), bound_ps), end = later == kForever ? kForever : agenda_->OffEdge(later);
  while (!ready()) {
    const uint64_t now = ScAgenda::Now();
    if (now >= end) return false;
    if (end == kForever) sc_core::wait(wake_);
    else sc_core::wait(sc_time::from_value(end - now), wake_);
    Yield();
    if (stuck_) {
      stuck_ = false;
      throw EngineError(
          fmt::format("the machine stands still at {} ns: nothing can end the wait for {}", now / 1000, what));
    }
  }
  return true;
}

}  // namespace gmmu::sim
