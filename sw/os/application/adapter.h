// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/base/dma_policy.h"
#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

class Gpu;
class LogicalAdapter;

struct RecoveryFacts {
  bool adapter = false;  ///< true: the adapter was reset; false: one engine
  std::string device;    ///< the device that was lost, or that caused the adapter reset
  std::string why;
};

/// The operating system's completed exclusive accesses to the device.
struct ExclusiveFacts {
  uint64_t runs = 0;
  uint64_t drained_ns = 0, quiet_ns = 0;  ///< of the last one: the wait for packets, and the observed silence
};

/// A copyable reference to a logical adapter. Applications wait for its packets, an administrator switches its power
/// and isolates it, and a run inspects it. Node numbers refer to GPU 0; pages are 4 KiB.
class Adapter {
 public:
  Adapter(LogicalAdapter& adapter) : adapter_(&adapter) {}
  unsigned gpus() const;
  Gpu gpu(unsigned index) const;
  Gpu lead() const;

  /// Waits until the packet has completed. The time limit is one second plus the time of work that blocks the packet
  /// (VidSch).
  PacketEnd Wait(PacketId packet) const;
  bool Ended(PacketId packet) const;
  /// True if the driver holds no packet of the node.
  bool idle(uint32_t node) const;
  /// Requests that the driver return the packets that the node has not completed.
  void Preempt(uint32_t node) const;
  /// resubmissions: number of the node's packets that were preempted and resubmitted. submitted_in_reports: number of
  /// packets that were submitted while the driver was still reporting a preemption.
  uint64_t resubmissions(uint32_t node) const;
  uint64_t submitted_in_reports() const;
  std::vector<RecoveryFacts> recoveries() const;

  /// PowerDown enters D3, PowerUp leaves it. Call them on the VidMm worker, with nothing in VRAM.
  void PowerDown(POWER_ACTION action) const;
  void PowerUp() const;

  /// Plug and play reports that the adapter's devices are no longer in their slots. The caller must still destroy the
  /// adapter's objects. Destroying them does not wait for the GPU.
  void SurpriseRemove() const;

  /// Number of calls of a driver entry point.
  uint64_t CallsOf(const std::string& entry) const;
  /// Number of calls of a callback ("DxgkCbCreateContextAllocation"), by all adapters.
  uint64_t CallbacksOf(const std::string& callback) const;
  /// Returns the units for which the entry point (add, start, power, stop, remove) was called so far, in order. `state`
  /// selects the calls of DxgkDdiSetPowerState.
  std::vector<unsigned> UnitsOf(const std::string& entry, DEVICE_POWER_STATE state) const;

  /// How the adapter's GPUs reach host memory.
  DmaMode mode() const;
  bool has_domain() const;
  /// True if there is a domain and it maps all physical memory, not only the memory for the GPU.
  bool domain_has_all() const;
  /// Returns the host page to which the domain maps the GPU's page, or all ones if it is not mapped.
  uint64_t At(uint64_t page) const;
  /// Ranges that the driver reports as reserved by firmware.
  const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& reserved() const;

  /// Activates GPU isolation. Throws OsError if that is not allowed.
  void StartSecureVm() const;
  /// Begins and ends an exclusive access by the operating system, without any work in between.
  void TakeDevice() const;
  ExclusiveFacts exclusive() const;
  /// Deliberate fault: removes the domain's mapping of this byte address.
  void PunchHole(uint64_t logical) const;

 private:
  LogicalAdapter* adapter_;
};

}  // namespace gmmu::os
