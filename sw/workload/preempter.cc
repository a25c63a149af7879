// SPDX-License-Identifier: Apache-2.0
#include "workload/preempter.h"

#include <string>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/kernel/kernel.h"
#include "workload/life.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kBoundNs = 1'000'000'000;
constexpr uint64_t kFirstNs = 3'000, kStepNs = 1'300, kSteps = 6;
}  // namespace

Preempter::Preempter(Life& life, uint32_t node) : life_(life), state_(std::make_shared<State>()) {
  life.kernel.scheduler().Spawn("preempter of node " + std::to_string(node),
                                [&life, node, state = state_] { Serve(life, node, *state); });
}

void Preempter::Stop() {
  state_->stop = true;
  life_.kernel.scheduler().Wait([this] { return state_->ended; }, kBoundNs, "a preempter to end");
}

void Preempter::Serve(Life& life, uint32_t node, State& state) {
  os::Scheduler& scheduler = life.kernel.scheduler();
  os::VidSch& vidsch = life.adapter.vidsch();
  for (uint64_t turn = 0; !state.stop; ++turn) {
    scheduler.Wait([&] { return state.stop || !vidsch.idle(node); }, kBoundNs, "a packet to preempt");
    const uint64_t until = life.kernel.hal().NowNs() + kFirstNs + turn % kSteps * kStepNs;
    scheduler.Wait([&] { return state.stop || life.kernel.hal().NowNs() >= until; }, kBoundNs, "time to pass", 500);
    if (!state.stop && !vidsch.idle(node)) vidsch.Preempt(node);
  }
  state.ended = true;
}

}  // namespace gmmu::workload
