// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "host/config.h"
#include "kmd/entry_points.h"
#include "os/base/bug_check.h"
#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/exclusive_access.h"
#include "os/dxgkrnl/gpu_isolation.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/memory/frame_buffer.h"
#include "os/memory/isolation_memory.h"
#include "os/memory/memory_objects.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/device_life.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/miniport.h"
#include "os/tables/address_space.h"
#include "os/threads/worker.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/vidmm.h"
#include "os/vidmm/vidmm_link.h"
#include "os/vidsch/vidsch.h"
#include "twin/fast_engine.h"
#include "workload/input.h"
#include "workload/life.h"

namespace gmmu::os::test {

/// Returns a request for an allocation that may reside only in VRAM and is accessed by GPU virtual
/// addresses. Under memory pressure such an allocation is evicted; others would move to system
/// memory.
inline AllocationRequest LocalOnly(const std::string& name, uint64_t bytes) {
  AllocationRequest request{name, bytes};
  request.accessed_physically = false;
  request.local_only = true;
  return request;
}

/// Runs one power cycle of the behavioural twin, with the built-in driver and with `body` as its
/// application.
struct LifeBench {
  LifeBench() {
    config.host.memory_gib = 4;
    config.gpu.vram_mib = 1;
    config.gpu.aperture_mib = 1;
    options.os.aperture_bytes = 1 << 20;
    options.os.limit_bits = 32;
    options.os.page_table_bits = {9, 9, 9, 9};
    options.os.seed = options.seed = 3;
    options.input = &input;
    options.driver = DriverEntry;
  }

  workload::JobResult Run(const std::function<void(workload::Life&)>& body) {
    sim::twin::FastMachine platform(config);
    workload::JobResult result;
    RunLife(platform, options, result, body);
    return result;
  }
  workload::JobResult RunOnWorker(const std::function<void(workload::Life&)>& body) {
    return Run([&](workload::Life& life) { life.worker.Call([&] { body(life); }); });
  }

  sim::MachineConfig config = sim::MachineConfig::Default();
  workload::JobOptions options;
  const std::vector<uint8_t> input = workload::SeededInput(3, 1);
};

/// Returns the messages of all faults, or "" if there are none.
inline std::string FaultsOf(const workload::JobResult& result) {
  std::string texts;
  for (const Fault& fault : result.faults) texts += fault.text + "\n";
  return texts;
}

}  // namespace gmmu::os::test
