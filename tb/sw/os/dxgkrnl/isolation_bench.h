// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/dxgkrnl/gpu_isolation.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include "host/config.h"
#include "hw/gmmu_regs.h"
#include "kmd/escape.h"
#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/domain_switch.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/exclusive_access.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/memory/frame_buffer.h"
#include "os/memory/isolation_memory.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/mdl.h"
#include "os/miniport/miniport.h"
#include "os/threads/worker.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/vidmm_link.h"
#include "os/vidsch/vidsch.h"
#include "twin/fast_engine.h"
#include "workload/copier.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/main_job.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::isolation_test {

/// Wraps the driver's table. Records the names of the system's calls in order, and calls functions
/// that the test sets.
struct Between {
  std::vector<std::string> calls;
  std::function<NTSTATUS(const DXGKARG_QUERYADAPTERINFO&, NTSTATUS)> queried;  // called after the real entry point
  std::function<NTSTATUS()> begin;                                             // called instead of the real entry point
  std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> built;  // called before the driver receives the operation
  bool attached = false;                                        // whether the domain was attached at DxgkDdiStartDevice
  std::function<void(hw::Bdf)> starting;                        // called in DxgkDdiStartDevice
};
inline Between between;
inline DRIVER_INITIALIZATION_DATA real;

/// Returns true if the IOMMU is on and the GPU is attached to its adapter's domain.
inline bool Attached(PhysicalAdapter& gpu) {
  const Remapping* iommu = Kernel::Current().iommu();
  const RemappingDomain* domain = gpu.logical().domain();
  return iommu != nullptr && iommu->enabled() && domain != nullptr && domain->Has(gpu.function().bdf);
}

inline NTSTATUS AddDevice(PDEVICE_OBJECT device, PVOID* context) {
  between.calls.push_back("AddDevice");
  return real.DxgkDdiAddDevice(device, context);
}
inline NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                            PULONG children) {
  between.calls.push_back("StartDevice");
  PhysicalAdapter& gpu = Dxgkrnl::Current().FromHandle(interface->DeviceHandle);
  between.attached = Attached(gpu);
  if (between.starting) between.starting(gpu.function().bdf);
  return real.DxgkDdiStartDevice(context, start, interface, sources, children);
}
inline NTSTATUS Query(HANDLE context, CONST DXGKARG_QUERYADAPTERINFO* args) {
  if (args->Type == DXGKQAITYPE_PHYSICAL_MEMORY_CAPS) between.calls.push_back("PHYSICAL_MEMORY_CAPS");
  if (args->Type == DXGKQAITYPE_IOMMU_CAPS) between.calls.push_back("IOMMU_CAPS");
  if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES) between.calls.push_back("HARDWARERESERVEDRANGES");
  const NTSTATUS status = real.DxgkDdiQueryAdapterInfo(context, args);
  return between.queried ? between.queried(*args, status) : status;
}
inline NTSTATUS Begin(HANDLE context, DXGKARG_BEGINEXCLUSIVEACCESS* args) {
  between.calls.push_back("BeginExclusiveAccess");
  return between.begin ? between.begin() : real.DxgkDdiBeginExclusiveAccess(context, args);
}
inline NTSTATUS End(HANDLE context, DXGKARG_ENDEXCLUSIVEACCESS* args) {
  between.calls.push_back("EndExclusiveAccess");
  return real.DxgkDdiEndExclusiveAccess(context, args);
}
inline NTSTATUS Escape(HANDLE context, CONST DXGKARG_ESCAPE* args) {
  between.calls.push_back("Escape");
  return real.DxgkDdiEscape(context, args);
}

inline NTSTATUS Build(HANDLE context, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (between.built) between.built(*args);
  return real.DxgkDdiBuildPagingBuffer(context, args);
}

inline NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiAddDevice = AddDevice;
  table.DxgkDdiStartDevice = StartDevice;
  table.DxgkDdiQueryAdapterInfo = Query;
  table.DxgkDdiBeginExclusiveAccess = Begin;
  table.DxgkDdiEndExclusiveAccess = End;
  table.DxgkDdiEscape = Escape;
  table.DxgkDdiBuildPagingBuffer = Build;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

class Isolation : public ::testing::Test {
 protected:
  Isolation() {
    between = {};
    config.host.memory_gib = 4;
    options.os.iommu = RemapPolicy::kNever;
    options.os.aperture_bytes = 4 << 20;
    options.os.limit_bits = 33;
    options.os.page_table_bits = {9, 9, 9, 9};
    options.os.secure_vm_key = true;
    options.os.seed = options.seed = 3;
    options.driver = Entry;
    input = workload::SeededInput(3, 20'000);
    options.input = &input;
  }
  workload::JobResult Run(const std::function<void(workload::Life&)>& application) {
    sim::twin::FastMachine platform(config);
    workload::JobResult result;
    workload::RunLife(platform, options, result, application);
    return result;
  }
  static void SecureVm(workload::Life& life) {
    life.worker.Call([&life] { life.adapter.isolation().OnSecureVm(); });
  }
  /// Returns the value of one of the IOMMU's counters.
  static uint64_t Counter(const workload::JobResult& result, const std::string& name) {
    for (const hw::Counter& counter : result.counters)
      if (counter.block == "iommu" && counter.name == name) return counter.value;
    ADD_FAILURE() << "no counter iommu." << name;
    return 0;
  }
  static std::string Texts(const workload::JobResult& result) {
    std::string texts;
    for (const Fault& fault : result.faults) texts += fault.name + ": " + fault.text + "\n";
    for (const Leak& leak : result.leaks) texts += leak.kind + " " + leak.name + " is left\n";
    return texts;
  }

  sim::MachineConfig config = sim::MachineConfig::Default();
  std::vector<uint8_t> input;
  workload::JobOptions options;
};

}  // namespace gmmu::os::isolation_test
