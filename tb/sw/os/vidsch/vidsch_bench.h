// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/config.h"
#include "os/kernel/kernel.h"
#include "os/miniport/miniport.h"
#include "os/vidsch/vidsch.h"
#include "twin/fast_engine.h"

namespace gmmu::os::test {

/// A driver with only the entry points that the scheduler calls. It records calls and returns the
/// results that the test sets. The test also plays the GPU.
class SchedulerDriver {
 public:
  SchedulerDriver();
  ~SchedulerDriver();
  DRIVER_INITIALIZATION_DATA Table() const;

  std::vector<DXGKARG_SUBMITCOMMANDVIRTUAL> submitted;
  std::vector<DXGKARG_PREEMPTCOMMAND> preempted;
  std::vector<uint32_t> reset;  ///< nodes that were reset
  int adapter_resets = 0;
  NTSTATUS submit_status = STATUS_SUCCESS;
  NTSTATUS reset_status = STATUS_SUCCESS;
  uint32_t last_aborted = 0;
  NTSTATUS adapter_reset_status = STATUS_SUCCESS;
  std::optional<uint32_t> current_fence;                          ///< null: the driver does not report it
  uint64_t dependents = 0;                                        ///< mask of dependent nodes, without the node itself
  std::function<void()> on_submit, on_status, on_fence, on_stop;  ///< called inside the driver's entry point

  /// Returns the fence ids of `submitted`, starting at index `first`.
  std::vector<uint32_t> FencesFrom(size_t first) const;
};

/// A scheduler that uses a SchedulerDriver.
class SchedulerBench {
 public:
  explicit SchedulerBench(uint32_t last = 0, Parameters parameters = {});

  GpuPacket Render(uint64_t context, GpuDevice* device = nullptr, uint32_t node = 1);
  GpuPacket Paging(uint32_t node = 0);
  PacketId Submit(GpuPacket packet);

  void Tell(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data, bool dpc = true);
  void Complete(uint32_t fence, uint32_t node = 0);
  /// Reports that the device has complied with the latest preemption request.
  void AnswerPreemption(uint32_t last_completed, uint32_t node);
  void PageFault(uint32_t fence, uint32_t node, unsigned flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED,
                 HANDLE process = nullptr);
  /// Reports a faulty command instead of a page fault.
  void DmaFault(uint32_t fence, uint32_t node);

  /// Runs `body` on a fibre, concurrently with the scheduler's own thread.
  void Run(const std::function<void()>& body);
  void Sleep(uint64_t ns);

  SchedulerDriver driver;
  sim::twin::FastMachine platform{sim::MachineConfig::Default()};
  Kernel kernel;
  Miniport miniport;
  VidSch vidsch;
  std::vector<PacketId> ended;  ///< in the order in which they ended
};

/// Two devices of different processes on a scheduler with short timeouts.
struct Faults : SchedulerBench {
  explicit Faults(uint64_t quantum_us = 10) : SchedulerBench(0, Short(quantum_us)) {
    guilty->process = &guilty;
    other->process = &other;
  }
  static Parameters Short(uint64_t quantum_us) {
    Parameters parameters;
    parameters.quantum_us = quantum_us;
    parameters.tdr_delay_us = 100;
    return parameters;
  }
  GpuDevice* guilty = vidsch.CreateDevice("guilty");
  GpuDevice* other = vidsch.CreateDevice("other");
};

}  // namespace gmmu::os::test
