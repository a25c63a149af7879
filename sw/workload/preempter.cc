// SPDX-License-Identifier: Apache-2.0
#include "workload/preempter.h"

#include <string>
#include <utility>

#include "workload/life.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kTurnsToGrow = 256;
constexpr uint64_t kFirstNs = 3'000, kStepNs = 1'300, kSteps = 6;
constexpr unsigned kMissesToShrink = 4;
}  // namespace

Preempter::Preempter(Life& life, uint32_t node) : life_(life), state_(std::make_shared<State>()) {
  life.host.Spawn("preempter of node " + std::to_string(node),
                  [&life, node, state = state_] { Serve(life, node, *state); });
}

void Preempter::Stop() {
  state_->stop = true;
  life_.host.Wait([this] { return state_->ended; }, "a preempter to end");
}

void Preempter::Serve(Life& life, uint32_t node, State& state) {
  unsigned misses = 0;  // consecutive packets that completed before they could be preempted
  uint64_t came_back = life.graphics.resubmissions(node);
  for (uint64_t turn = 0; !state.stop; ++turn) {
    life.host.Wait([&] { return state.stop || !life.graphics.idle(node); }, "a packet to preempt");
    // On a slow machine, a packet makes no progress within the shortest delays, so the delays grow
    // until it does.
    const uint64_t grown = turn / kTurnsToGrow, longer = 1 + grown * grown * grown;
    // On a fast machine, packets complete within the shortest delay, so the delays shrink until a
    // packet is preempted.
    const uint64_t shorter = 1 + misses / kMissesToShrink;
    const uint64_t until = life.host.platform().NowNs() + (kFirstNs + turn % kSteps * kStepNs) * longer / shorter;
    life.host.Wait([&] { return state.stop || life.host.platform().NowNs() >= until; }, "time to pass", 500);
    if (!state.stop && !life.graphics.idle(node)) life.graphics.Preempt(node);
    const uint64_t now = life.graphics.resubmissions(node);
    misses = std::exchange(came_back, now) == now ? misses + 1 : 0;
  }
  state.ended = true;
}

}  // namespace gmmu::workload
