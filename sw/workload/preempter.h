// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace gmmu::workload {

struct Life;

/// A thread that requests the preemption of a node repeatedly while the driver holds packets of it. The time between
/// requests grows by some microseconds and then starts small again, so that packets are preempted at different commands
/// and make progress.
class Preempter {
 public:
  Preempter(Life& life, uint32_t node);
  /// Returns when no further request will follow.
  void Stop();

 private:
  struct State {
    bool stop = false, ended = false;
  };
  static void Serve(Life& life, uint32_t node, State& state);

  Life& life_;
  std::shared_ptr<State> state_;
};

}  // namespace gmmu::workload
