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

/// A machine whose adapter is on, as an application finds it. Everything that touches `vidmm` or the
/// driver is done on the worker (`Work`).
struct Life {
  // The rooms below, for their tests; procedures use what stands behind them.
  os::Kernel& kernel;
  os::Dxgkrnl& dxgkrnl;
  os::LogicalAdapter& adapter;
  os::VidMmLink& link;  ///< of all GPUs
  os::VidMm& vidmm;     ///< of GPU 0
  os::Worker& worker;
  const JobOptions& options;
  JobResult& result;

  /// Power off and on again in another mode of DMA, with the same driver. What was made through
  /// `vidmm` must be gone; `link` and `vidmm` are new ones.
  const std::function<void(os::RemapPolicy)> restart;
  /// Sleep, `while_off` with the device in D3, and wake: the same driver, started once. What was made
  /// through `vidmm` must be gone; `link` and `vidmm` are new ones, because a paging process does not survive.
  const std::function<void(const std::function<void()>& while_off)> power_cycle;

  // Applications on GPU 0, the adapter, the machine.
  const os::VideoMemory memory{vidmm};
  const os::ApertureRanges aperture{vidmm};
  const os::Adapter graphics{adapter};
  const os::Host host{kernel};
  os::Gpu gpu() const;  ///< the one that leads

  /// Has `work` done on the worker and returns when it is.
  void Work(const std::function<void()>& work);
  /// Times what `work` does and adds it to the phase of that name. `bytes` are what it moves, over
  /// the link or not.
  void Timed(const std::string& phase, uint64_t bytes, bool link, const std::function<void()>& work);
  /// Adds a comparison; `difference` empty: it passed.
  void Compare(const std::string& name, const std::string& difference);
};

/// Power on, `application` on a fibre of its own, power off; then what is to be said about it: faults
/// with the hardware's own records, leaks, findings, counters.
///
/// Runs inside Engine::Run and fills `result` as it goes. A fault of the GPU, the IOMMU or the
/// operating system stands in the result; exceptions of the callbacks and of the engine pass through.
///
/// `admitted` is called when the driver's capabilities are known and nothing uses them yet. NotApplicable (needs.h) of it, or
/// of `application`, ends the run by powering off.
void RunLife(hw::Platform& platform, const JobOptions& options, JobResult& result,
             const std::function<void(Life&)>& application,
             const std::function<void(const os::Gpu& gpu)>& admitted = nullptr);

}  // namespace gmmu::workload
