// SPDX-License-Identifier: Apache-2.0
// Runs threads in driver code, with preemption at every possible point (Seam).
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "os/base/bug_check.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {

inline Parameters Preempting(uint64_t seed) {
  Parameters parameters = TestParameters();
  parameters.seed = seed;
  parameters.preemption = 1000;
  return parameters;
}

/// A machine that runs driver code in threads.
struct Threads : Machine {
  explicit Threads(uint64_t seed = 5) : Machine(Preempting(seed)) {}
  void Add(const std::string& name, const std::function<void()>& body) {
    kernel.scheduler().Spawn(name, [this, body] {
      kernel.scheduler().EnterDriver(true);
      body();
    });
  }
  /// Runs the threads until they end. Returns the message of the bug check that ended them, or "" if there was none.
  std::string Run() {
    try {
      kernel.scheduler().Run();
    } catch (const BugCheck& stop) {
      return stop.what();
    }
    return "";
  }
  std::string Alone(const std::function<void()>& body) {
    Add("alone", body);
    return Run();
  }
};

/// Lets three threads increment a counter, with a preemption point between read and write. `with`
/// must hold a lock while it calls its argument. Returns the final count.
inline int Counted(uint64_t seed, const std::function<void(const std::function<void()>&)>& with) {
  Threads threads(seed);
  int count = 0;
  for (const char* name : {"a", "b", "c"}) {
    threads.Add(name, [&] {
      for (int i = 0; i < 4; ++i) {
        with([&] {
          const int now = count;
          threads.kernel.scheduler().Preempt();
          count = now + 1;
        });
      }
    });
  }
  EXPECT_EQ(threads.Run(), "");
  return count;
}

}  // namespace gmmu::os
