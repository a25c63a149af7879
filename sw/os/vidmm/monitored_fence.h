// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

class SystemBuffer;
class VidMm;
struct GpuProcess;

/// A 64-bit value in system memory that the GPU signals and the CPU watches. The CPU can only read it. The GPU writes
/// it in stream order (SIGNAL_MONITORED_FENCE, DxgkDdiSignalMonitoredFence, or commands of a process). Call on the
/// VidMm worker thread only.
class MonitoredFence {
 public:
  MonitoredFence(VidMm& vidmm, uint64_t initial);
  ~MonitoredFence();
  /// Frees the fence. Every process into which it is mapped must be idle or destroyed.
  void Release();

  uint64_t Value();
  /// The CPU's read-only view of the value.
  const volatile uint64_t* cpu() const { return cpu_; }
  const SystemBuffer& memory() const { return *page_; }
  /// The value's GPU virtual address in the paging process.
  uint64_t va() const { return va_; }
  /// Maps the value into a process, readable and writable, and returns its GPU virtual address
  /// there. Call once per process.
  uint64_t MapInto(GpuProcess& process);
  /// Queues a packet on the process's context that signals `value` after all work that is already
  /// queued on the context. The driver writes the command (DxgkDdiSignalMonitoredFence). Returns
  /// when the packet has completed. If the device is lost (kLost), the value is never written.
  [[nodiscard]] PacketEnd SignalBehind(GpuProcess& process, uint64_t value);
  /// Waits until the fence has reached the value. Throws OsTimeout or DeviceFault.
  void Wait(uint64_t value, uint64_t bound_ns);

 private:
  /// Returns the fence's GPU VA in the process, or nullopt if the fence is not mapped there.
  std::optional<uint64_t> In(const GpuProcess& process) const;

  VidMm& vidmm_;
  const std::unique_ptr<SystemBuffer> page_;
  const volatile uint64_t* cpu_ = nullptr;
  uint64_t va_ = 0;
  uint64_t last_ = 0;
  std::vector<std::pair<GpuProcess*, uint64_t>> mapped_;  // process and GPU VA, in call order
};

}  // namespace gmmu::os
