// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace gmmu::workload {

struct Life;

/// A thread that repeatedly requests the preemption of a node while the driver has packets of that
/// node. The time between requests grows by a few microseconds each time, and periodically restarts
/// at the minimum, so that packets are preempted at different commands and still make progress.
class Preempter {
 public:
  Preempter(Life& life, uint32_t node);
  /// Stops the requests. No request is made after the call returns.
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
