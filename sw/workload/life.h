// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "os/application/adapter.h"
#include "os/application/aperture_ranges.h"
#include "os/application/host.h"
#include "os/application/video_memory.h"
#include "workload/job.h"

namespace gmmu::os {
class Dxgkrnl;
class Gpu;
class Kernel;
class LogicalAdapter;
class VidMm;
class VidMmLink;
class Worker;
}  // namespace gmmu::os

namespace gmmu::workload {

/// A machine whose adapter is on, as available to an application. Every use of `vidmm` and the driver must run on the
/// worker (`Work`).
struct Life {
  // The layers below, for tests of those layers; procedures use the members that follow.
  os::Kernel& kernel;
  os::Dxgkrnl& dxgkrnl;
  os::LogicalAdapter& adapter;
  os::VidMmLink& link;  ///< the VidMm of all GPUs
  os::VidMm& vidmm;     ///< the VidMm of GPU 0
  os::Worker& worker;
  const JobOptions& options;
  JobResult& result;

  /// Powers the adapter off and on again in another DMA mode, with the same driver. Objects made through `vidmm` must
  /// be destroyed before; `link` and `vidmm` then are new objects.
  const std::function<void(os::RemapPolicy)> restart;
  /// Puts the device to sleep, runs `while_off` in D3, and wakes the device. The same driver continues and is not
  /// started again. Objects made through `vidmm` must be destroyed before; `link` and `vidmm` then are new objects,
  /// because a paging process does not survive.
  const std::function<void(const std::function<void()>& while_off)> power_cycle;

  // For applications: GPU 0, the adapter and the machine.
  const os::VideoMemory memory{vidmm};
  const os::ApertureRanges aperture{vidmm};
  const os::Adapter graphics{adapter};
  const os::Host host{kernel};
  os::Gpu gpu() const;  ///< the lead GPU

  /// Runs `work` on the worker and returns when it is done.
  void Work(const std::function<void()>& work);
  /// Times `work` and adds the time to phase `phase`. `bytes` were moved; `link`: they cross the link.
  void Timed(const std::string& phase, uint64_t bytes, bool link, const std::function<void()>& work);
  /// Adds a comparison; it passed if `difference` is empty.
  void Compare(const std::string& name, const std::string& difference);
};

/// Powers on, runs `application` on its own fibre, and powers off. Then it reports faults with the hardware's own
/// records, leaks, findings and counters.
///
/// Runs inside Engine::Run and fills `result` as it goes. A fault of the GPU, the IOMMU or the operating system goes
/// into the result; exceptions of the callbacks and of the engine are passed on.
///
/// `admitted` is called when the driver's capabilities are known but not used yet. If it or `application` throws
/// NotApplicable (needs.h), the adapter is powered off and the run ends.
void RunLife(hw::Platform& platform, const JobOptions& options, JobResult& result,
             const std::function<void(Life&)>& application,
             const std::function<void(const os::Gpu& gpu)>& admitted = nullptr);

}  // namespace gmmu::workload
