// SPDX-License-Identifier: Apache-2.0
#include "host/clock.h"

#include <fmt/format.h>

#include "host/agenda.h"
#include "host/engine.h"

namespace gmmu::sim {

uint64_t AgendaClock::NowPs() { return agenda_.now(); }

void AgendaClock::Pass(uint64_t ps) { agenda_.RunUntil(agenda_.now() + ps); }

bool AgendaClock::Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) {
  const uint64_t end = Later(agenda_.now(), bound_ps);
  while (!ready()) {
    if (agenda_.empty() && end == kForever)
      throw EngineError(
          fmt::format("the machine stands still at {} ns: nothing can end the wait for {}", NowPs() / 1000, what));
    if (agenda_.empty() || agenda_.next() > end) {
      agenda_.RunUntil(end);
      return false;
    }
    agenda_.RunUntil(agenda_.next());
  }
  return true;
}

}  // namespace gmmu::sim
