// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"
#include "hw/platform.h"
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

/// Statistics of the exclusive accesses that the operating system has completed.
struct ExclusiveFacts {
  uint64_t runs = 0;
  /// For the last exclusive access: how long it waited for packets, and how long the device was
  /// observed to be silent.
  uint64_t drained_ns = 0, quiet_ns = 0;
};

/// A copyable reference to a logical adapter. Applications use it to wait for packets, an
/// administrator to switch power and isolation, and a run to inspect the adapter. Node numbers
/// refer to GPU 0; pages are 4 KiB.
class Adapter {
 public:
  Adapter(LogicalAdapter& adapter) : adapter_(&adapter) {}
  unsigned gpus() const;
  Gpu gpu(unsigned index) const;
  Gpu lead() const;

  /// Waits until the packet has ended. The time limit is one second plus the time of work that
  /// blocks the packet (VidSch).
  PacketEnd Wait(PacketId packet) const;
  bool Ended(PacketId packet) const;
  /// True if the driver holds no packet of the node.
  bool idle(uint32_t node) const;
  /// Requests that the driver return the node's uncompleted packets.
  void Preempt(uint32_t node) const;
  /// resubmissions: number of the node's packets that were preempted and resubmitted. submitted_in_reports: number of
  /// packets that were submitted while the driver was still reporting a preemption.
  uint64_t resubmissions(uint32_t node) const;
  uint64_t submitted_in_reports() const;
  std::vector<RecoveryFacts> recoveries() const;

  /// PowerDown enters D3, PowerUp leaves it. Call them on the VidMm worker, when VRAM is empty.
  void PowerDown(POWER_ACTION action) const;
  void PowerUp() const;

  /// Handles the Plug and Play notification that the adapter's devices were removed from their
  /// slots. The caller must still destroy the adapter's objects; destroying them does not wait for
  /// the GPU.
  void SurpriseRemove() const;

  /// Number of calls to a driver entry point.
  uint64_t CallsOf(const std::string& entry) const;
  /// Number of calls to a callback ("DxgkCbCreateContextAllocation") by the drivers of all
  /// adapters.
  uint64_t CallbacksOf(const std::string& callback) const;
  /// Returns, in order, the units for which the entry point (add, start, power, stop, remove) has
  /// been called. `state` selects calls to DxgkDdiSetPowerState; pass PowerDeviceUnspecified for
  /// other entry points.
  std::vector<unsigned> UnitsOf(const std::string& entry, DEVICE_POWER_STATE state) const;

  /// Adds memory to the running machine (AddMemory of os/dxgkrnl). Returns the reason if a running
  /// adapter cannot reach it, otherwise "".
  std::string AddMemory(const hw::Range& bytes) const;

  /// How the adapter's GPUs access host memory.
  DmaMode mode() const;
  bool has_domain() const;
  /// True if there is a domain that maps all physical memory, not only the memory that the adapter
  /// uses.
  bool domain_has_all() const;
  /// Returns the host page to which the domain maps a logical page, or all ones if the page is not
  /// mapped.
  uint64_t At(uint64_t page) const;
  /// Host memory that firmware reserves, as the driver reports it.
  const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& reserved() const;

  /// Activates GPU isolation, as when a secure virtual machine starts. Throws OsError if the
  /// virtual machine must not start.
  void StartSecureVm() const;
  /// Begins and ends exclusive access by the operating system, without doing anything in between.
  void TakeDevice() const;
  ExclusiveFacts exclusive() const;
  /// Injects a fault: removes the page at this logical byte address from the domain's mapping.
  void PunchHole(uint64_t logical) const;

 private:
  LogicalAdapter* adapter_;
};

}  // namespace gmmu::os
