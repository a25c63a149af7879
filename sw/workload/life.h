// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "os/application/adapter.h"
#include "os/application/host.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/transfers.h"
#include "os/vidmm/vidmm.h"
#include "workload/job.h"

namespace gmmu::os {
class Dxgkrnl;
class Gpu;
class Kernel;
class LogicalAdapter;
class VidMmLink;
class Worker;
}  // namespace gmmu::os

namespace gmmu::workload {

/// A machine whose adapter is on, as an application uses it. Every use of `vidmm` and of the driver must run on the
/// worker (`Work`).
struct Life {
  // For tests of these layers; procedures use the members that follow.
  os::Kernel& kernel;
  os::Dxgkrnl& dxgkrnl;
  os::LogicalAdapter& adapter;
  os::Worker& worker;

  // For applications: the GPUs' memory, the adapter and the machine.
  os::VidMmLink& link;  ///< the VidMm of all GPUs
  os::VidMm& vidmm;     ///< the VidMm of GPU 0
  const JobOptions& options;
  JobResult& result;

  /// Powers the adapter off and on again in another DMA mode, with the same driver. Objects created through `vidmm`
  /// must be destroyed before the call. `link` and `vidmm` are new objects afterwards.
  const std::function<void(os::RemapPolicy)> restart;
  /// Puts the device to sleep, runs `while_off` in D3, and wakes the device. The driver is not restarted. Objects
  /// created through `vidmm` must be destroyed before the call. `link` and `vidmm` are new objects afterwards, because
  /// a paging process does not survive.
  const std::function<void(const std::function<void()>& while_off)> power_cycle;
  /// Objects that the machine may use after the application has ended with an error, such as another adapter.
  std::vector<std::shared_ptr<void>>& kept;

  const os::Adapter graphics{adapter};
  const os::Host host{kernel};
  os::Gpu gpu() const;  ///< the lead GPU

  /// Runs `work` on the worker and returns when the work is complete.
  void Work(const std::function<void()>& work);
  /// Measures the time of `work` and adds it to phase `phase`. `bytes`: the number of bytes moved; `link`: true if they
  /// cross the link.
  void Timed(const std::string& phase, uint64_t bytes, bool link, const std::function<void()>& work);
  /// Adds a check, which passed if `difference` is empty.
  void Compare(const std::string& name, const std::string& difference);
};

/// Powers on, runs `application` on its own fibre, and powers off. Then it reports faults (with the hardware's own
/// records), leaks, findings and counters.
///
/// Runs inside Engine::Run and fills in `result` along the way. A fault of the GPU, the IOMMU or the operating system
/// is recorded in the result; exceptions of the callbacks and of the engine are passed on.
///
/// `admitted` is called when the driver's capabilities are known but not used yet. If it or `application` throws
/// NotApplicable (needs.h), the adapter is powered off and the run ends.
void RunLife(hw::Platform& platform, const JobOptions& options, JobResult& result,
             const std::function<void(Life&)>& application,
             const std::function<void(const os::Gpu& gpu)>& admitted = nullptr);

}  // namespace gmmu::workload
