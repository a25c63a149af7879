// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "os/kernel/contiguous_memory.h"
#include "os/base/errors.h"
#include "os/threads/driver_locks.h"
#include "os/hal/hal.h"
#include "os/base/ledger.h"
#include "os/kernel/mdl_views.h"
#include "os/hal/pages.h"
#include "os/base/parameters.h"
#include "os/hal/pci.h"
#include "os/kernel/pool.h"
#include "os/threads/race_detector.h"
#include "os/guard/refusals.h"
#include "os/threads/scheduler.h"

namespace gmmu::os {

class DdiTrace;
struct DriverObjects;
class Remapping;
struct RemappingParts;

/// The kernel of one machine: everything below Dxgkrnl. Only one exists at a time, because the
/// kernel routines that drivers call (os/wdm) have no argument that identifies the machine.
class Kernel {
 public:
  /// Creates the driver for a remapping unit.
  using MakesRemapping = std::unique_ptr<Remapping>(const RemappingParts& parts);

  /// If `remapping` is not null, it creates the driver for an IOMMU that firmware cannot report.
  /// Otherwise MakeRemapping (os/hal/remapping.h) creates the driver.
  Kernel(hw::Platform& platform, const Parameters& parameters, MakesRemapping* remapping = nullptr);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Returns the existing kernel. Triggers a bug check if there is none.
  static Kernel& Current();
  /// Like Current, for kernel routines that the driver calls. Triggers a bug check if the IRQL is
  /// above `highest`.
  static Kernel& Called(const char* routine, Irql highest);

  const Parameters& parameters() const { return parameters_; }
  Ledger& ledger() { return ledger_; }
  Scheduler& scheduler() { return scheduler_; }
  RaceDetector& races() { return races_; }
  DriverLocks& locks() { return locks_; }
  /// The driver's kernel objects, except locks and memory.
  DriverObjects& driver() { return *driver_; }
  Hal& hal() { return hal_; }
  PageAllocator& pages() { return pages_; }
  MmioViews& mmio() { return mmio_; }
  /// Memory of MmAllocateContiguousMemorySpecifyCache.
  ContiguousMemory& contiguous() { return contiguous_; }
  Pci& pci() { return pci_; }
  MdlViews& mdl_views() { return mdl_views_; }
  /// The driver for the IOMMU, or null if firmware reports none. The IOMMU is disabled until an adapter needs it.
  Remapping* iommu() { return iommu_.get(); }
  hw::Instruments* instruments() { return hal_.platform().instruments(); }

  void* AllocatePool(size_t bytes, uint32_t tag);
  void FreePool(void* block, uint32_t tag);
  /// Triggers a bug check if the driver has written outside its pool blocks.
  void CheckPool() const { pool_.Check(); }

  /// Returns a value that the driver reads from its registry key.
  std::optional<uint64_t> QueryParameter(const std::string& name) const;

  /// Faults that devices reported, oldest first.
  std::vector<Fault>& faults() { return faults_; }
  void Report(Fault fault);
  /// Throws DeviceFault if a fault was reported. Waits call this function.
  void CheckFaults() const;
  /// Like Scheduler::Wait, but throws DeviceFault as soon as a device reports a fault.
  void WaitOrFault(const std::function<bool()>& condition, uint64_t bound_ns, const std::string& what,
                   uint64_t poll_ns = 0);

  /// Records which device a driver's device object represents. DeviceOf returns the device, or null
  /// for any other pointer.
  void AddDeviceObject(const void* object, const PciFunction& function) { device_objects_.insert({object, function}); }
  const PciFunction* DeviceOf(const void* object) const {
    const auto found = device_objects_.find(object);
    return found == device_objects_.end() ? nullptr : &found->second;
  }
  /// Records a feature that the driver declares or calls but the model does not implement. Each
  /// distinct message is recorded once.
  void NoteUnmodelled(const std::string& what);
  const std::vector<std::string>& unmodelled() const { return unmodelled_; }

  /// Records a driver's mistake that Windows logs but tolerates. Each distinct message is recorded
  /// once.
  void NoteMistake(const std::string& what);
  const std::vector<std::string>& mistakes() const { return mistakes_; }

  /// The trace of driver calls, or null if calls are not traced.
  DdiTrace* ddi_trace() { return ddi_trace_.get(); }
  /// Decides which of the driver's requests fail because of an injected fault.
  Refusals& refusals() { return refusals_; }

  /// Counts events of this run by name: calls to driver entry points and callbacks, completed
  /// operations of DxgkDdiBuildPagingBuffer without the prefix DXGK_OPERATION_ ("TRANSFER"), and
  /// events of VidMm ("evictions").
  void Happened(const std::string& what) { ++happened_[what]; }
  const std::map<std::string, uint64_t>& happened() const { return happened_; }

  /// If inject.leak names this kind of object, returns true at the first call; the caller must then
  /// leak the object.
  bool LeakNow(const std::string& kind) { return parameters_.inject.leak == kind && injected_.insert("leak").second; }
  /// Records that the fault selected by this [inject] key has been injected.
  void Injected(const std::string& key) { injected_.insert(key); }
  /// Returns the [inject] keys that are set but whose faults have not been injected.
  std::vector<std::string> NeverInjected() const;

 private:
  const Parameters parameters_;
  std::map<std::string, uint64_t> happened_;
  std::vector<std::string> mistakes_;
  Ledger ledger_;
  Scheduler scheduler_;
  RaceDetector races_;
  DriverLocks locks_;
  Hal hal_;
  PageAllocator pages_;
  MmioViews mmio_;
  ContiguousMemory contiguous_;
  Pci pci_;
  Pool pool_;
  MdlViews mdl_views_;
  std::unique_ptr<DriverObjects> driver_;
  std::unique_ptr<Remapping> iommu_;
  std::unique_ptr<DdiTrace> ddi_trace_;
  Refusals refusals_;
  std::map<std::string, uint64_t> driver_parameters_;
  std::map<const void*, PciFunction> device_objects_;
  std::vector<std::string> unmodelled_;
  std::vector<Fault> faults_;
  std::set<std::string> injected_;
};

}  // namespace gmmu::os
