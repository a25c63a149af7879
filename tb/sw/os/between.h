// SPDX-License-Identifier: Apache-2.0
// Wraps the built-in driver in functions that observe Dxgkrnl's calls and can respond in its place.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "host/config.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "twin/fast_engine.h"
#include "workload/input.h"
#include "workload/job.h"
#include "workload/scenario.h"

namespace gmmu::os {

/// Functions that replace the driver's entry points. A null function leaves the driver's own entry
/// point in use.
struct Between {
  std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER&)> build;
  std::function<NTSTATUS(const DXGKARG_SUBMITCOMMANDVIRTUAL&)> submit;
  std::function<NTSTATUS(const DXGKARG_QUERYADAPTERINFO&)> query;
  std::function<void(DRIVER_INITIALIZATION_DATA&)> table;
  DRIVER_INITIALIZATION_DATA real{};  ///< the driver's own entry points
  HANDLE context = nullptr;           ///< the driver's adapter context in the latest call
};
inline Between between;

inline NTSTATUS Build(HANDLE context, DXGKARG_BUILDPAGINGBUFFER* args) {
  between.context = context;
  return between.build(*args);
}
inline NTSTATUS Submit(HANDLE context, CONST DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  between.context = context;
  return between.submit(*args);
}
inline NTSTATUS Query(HANDLE context, CONST DXGKARG_QUERYADAPTERINFO* args) {
  between.context = context;
  return between.query(*args);
}

inline NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = between.real = Dxgkrnl::Current().table_so_far();
  if (between.build) table.DxgkDdiBuildPagingBuffer = Build;
  if (between.submit) table.DxgkDdiSubmitCommandVirtual = Submit;
  if (between.query) table.DxgkDdiQueryAdapterInfo = Query;
  if (between.table) between.table(table);
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

class DriverWithAFront : public ::testing::Test {
 protected:
  DriverWithAFront() { between = {}; }
  ~DriverWithAFront() override { between = {}; }

  static Parameters Defaults() {
    Parameters os;
    os.aperture_bytes = 1 << 20;
    os.limit_bits = 32;
    os.page_table_bits = {9, 9, 9, 9};
    return os;
  }
  /// Runs the main job, or the procedure of a scenario.
  workload::JobResult Run(const Parameters& os = Defaults(), const std::string& scenario = "") {
    const std::vector<uint8_t> input = workload::SeededInput(3, 100'000);
    sim::MachineConfig config = sim::MachineConfig::Default();
    config.host.memory_gib = 4;
    sim::twin::FastMachine platform(config);
    workload::JobOptions options;
    options.os = os;
    options.os.seed = options.seed = 3;
    options.input = &input;
    options.driver = Entry;
    workload::JobResult result;
    if (scenario.empty()) RunMainJob(platform, options, result);
    else RunScenario(platform, workload::FindScenario(scenario), options, result);
    return result;
  }
  static NTSTATUS RealBuild(DXGKARG_BUILDPAGINGBUFFER& args) {
    return between.real.DxgkDdiBuildPagingBuffer(between.context, &args);
  }
};

}  // namespace gmmu::os
