// SPDX-License-Identifier: Apache-2.0
// Runs power cycles of the behavioural twin with linked GPUs. In tests that use this header, the
// expected behaviour follows Microsoft's documentation; linked adapters have not been observed on
// Windows.
#pragma once
#include <string>
#include <vector>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "workload/clients.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {

struct LinkedBench : LifeBench {
  explicit LinkedBench(unsigned gpus = 2) {
    config.gpu.count = gpus;
    config.gpu.vram_mib = 2;
    config.gpu.rings = 2;
    options.driver = Entry;  // the driver, wrapped in the functions of `between`
    between = {};
  }
  ~LinkedBench() { between = {}; }

  /// Runs the procedure that reads, writes and copies between all GPUs.
  workload::JobResult RunLinked(uint64_t sleep = 0, uint64_t tables = 0, uint64_t pages = 2) {
    return Run([&](workload::Life& life) {
      workload::FindProcedure("linked")->run(life, {{"pages", pages}, {"sleep", sleep}, {"tables", tables}});
    });
  }
};

/// Returns the message of the first fault, or "" if there is none.
inline std::string FaultOf(const workload::JobResult& result) {
  return result.faults.empty() ? "" : result.faults.front().text;
}

}  // namespace gmmu::os::test
