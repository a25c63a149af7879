// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "os/vidmm/vidmm.h"

namespace gmmu::os {

/// `low` as the upper half of `last` continues it: what a fence of 64 bits is when only its lower half is written
/// (DXGK_VIDSCHCAPS.No64BitAtomics). Values that are waited for must be within UINT_MAX / 2 of `last`.
inline uint64_t ExtendFence(uint64_t last, uint64_t low, bool narrow) {
  if (!narrow) return low;
  return last + (static_cast<uint32_t>(low) - static_cast<uint32_t>(last));
}

/// A 64-bit value in system memory that the GPU signals and the CPU watches: read-only for the CPU, written in
/// stream order by the GPU (SIGNAL_MONITORED_FENCE, DxgkDdiSignalMonitoredFence, or commands of a process). Worker's.
class MonitoredFence {
 public:
  MonitoredFence(VidMm& vidmm, uint64_t initial);
  /// The processes that it was mapped into must be idle, or gone.
  void Release();

  uint64_t Value();
  /// As the read-only view shows it.
  const volatile uint64_t* cpu() const { return cpu_; }
  /// In the paging process.
  uint64_t va() const { return va_; }
  /// In a process, read and written; once for each.
  uint64_t MapInto(VidMm::Process& process);
  /// A packet of the process' context signals `value` behind everything that the context has queued; the driver writes
  /// the command (DxgkDdiSignalMonitoredFence). Returns when it has ended; of a lost device (kLost) the value never
  /// comes.
  [[nodiscard]] PacketEnd SignalBehind(VidMm::Process& process, uint64_t value);
  /// Throws OsTimeout or DeviceFault.
  void Wait(uint64_t value, uint64_t bound_ns);

 private:
  VidMm& vidmm_;
  SystemBuffer page_;
  const volatile uint64_t* cpu_ = nullptr;
  uint64_t va_ = 0;
  uint64_t last_ = 0;
  std::map<VidMm::Process*, uint64_t> mapped_;
};

}  // namespace gmmu::os
