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

/// A machine whose adapter is powered on, as seen by an application. Use `vidmm` and the driver on
/// the VidMm worker thread only (see `Work`).
struct Life {
  // Only for tests of these layers; procedures use `link` and the members that follow it.
  os::Kernel& kernel;
  os::Dxgkrnl& dxgkrnl;
  os::LogicalAdapter& adapter;
  os::Worker& worker;

  // For procedures: the memory of the GPUs, the adapter and the machine.
  os::VidMmLink& link;  ///< the VidMm of all GPUs
  os::VidMm& vidmm;     ///< the VidMm of GPU 0
  const JobOptions& options;
  JobResult& result;

  /// Powers the adapter off and on again in another DMA mode, with the same driver. Destroy all
  /// objects created through `vidmm` before the call. Afterwards, `link` and `vidmm` refer to new
  /// objects.
  const std::function<void(os::RemapPolicy)> restart;
  /// Puts the device to sleep, runs `while_off` in D3, and wakes the device. The driver is not
  /// restarted. Destroy all objects created through `vidmm` before the call. Afterwards, `link` and
  /// `vidmm` refer to new objects, because a paging process does not survive.
  const std::function<void(const std::function<void()>& while_off)> power_cycle;
  /// Objects that the machine may still use after the application has ended with an error, such as
  /// another adapter.
  std::vector<std::shared_ptr<void>>& kept;

  const os::Adapter graphics{adapter};
  const os::Host host{kernel};
  os::Gpu gpu() const;  ///< the lead GPU

  /// Runs `work` on the VidMm worker thread and returns when it has completed.
  void Work(const std::function<void()>& work);
  /// Measures the time that `work` takes and adds it to phase `phase`. `bytes` is the number of
  /// bytes moved; `link` is true if they cross the PCIe link.
  void Timed(const std::string& phase, uint64_t bytes, bool link, const std::function<void()>& work);
  /// Adds a check, which passes if `difference` is empty.
  void Compare(const std::string& name, const std::string& difference);
};

/// Powers on, runs `application` on its own fibre, and powers off. Then it reports faults
/// (including the hardware's fault records), leaks, findings and counters.
///
/// Runs inside Engine::Run and fills in `result` as the run proceeds. A fault of the GPU, the IOMMU
/// or the operating system is recorded in the result. Exceptions of the callbacks and of the engine
/// propagate.
///
/// `admitted` is called when the driver's capabilities are known but not yet used. If `admitted` or
/// `application` throws NotApplicable (needs.h), the adapter is powered off and the run ends.
void RunLife(hw::Platform& platform, const JobOptions& options, JobResult& result,
             const std::function<void(Life&)>& application,
             const std::function<void(const os::Gpu& gpu)>& admitted = nullptr);

}  // namespace gmmu::workload
