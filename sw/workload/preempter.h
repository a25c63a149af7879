// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace gmmu::workload {

struct Life;

/// A thread that asks for the preemption of a node, again and again, while the driver holds packets of it. It leaves
/// them some microseconds, more each time and then few again, so that they are met at different places and go on.
class Preempter {
 public:
  Preempter(Life& life, uint32_t node);
  /// Returns when it asks no more.
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
