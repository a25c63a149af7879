// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/miniport/allocation.h"
#include "os/kernel/dma_policy.h"
#include "os/kernel/driver_requests.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/gpu_isolation.h"
#include "os/kernel/kernel.h"
#include "os/miniport/miniport.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/miniport/reserved_ranges.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

/// Handles of a GPU process: the driver's, and Dxgkrnl's where they say so. Over linked adapters it has a context on
/// each of them.
struct ProcessHandles {
  HANDLE process = nullptr;
  HANDLE device = nullptr;
  HANDLE context = nullptr;  ///< null: none yet
  HANDLE second_device = nullptr;  ///< the system's (seen on build 22621)
  uint32_t node = 0;           ///< of the context
  bool joined = false;         ///< process and device are another's
  GpuDevice* state = nullptr;  ///< null: the system's
  Ledger::Ticket process_ticket = 0, device_ticket = 0, context_ticket = 0;
  HANDLE dxgk_process = nullptr, dxgk_device = nullptr, dxgk_context = nullptr;
  uint32_t companion_node = 0;  ///< DXGK_CONTEXTINFO.PagingCompanionNodeId
};

/// A logical adapter from power-on to power-off, as Dxgkrnl drives it: one GPU, or several that are linked. Finds
/// them on the bus, loads their driver through DriverEntry, decides how they reach memory, starts them and asks what
/// they can do.
///
/// A link (display driver documents, linked display adapters; documents only): DxgkDdiAddDevice for every device,
/// each followed by DxgkDdiLinkDevice; then the questions that come before a start; one domain for all; the lead is
/// started and powered up after the others and powered down and stopped before them. GPUs that are not in the chain
/// of the first one are removed again.
class Adapter {
 public:
  Adapter(Dxgkrnl& dxgkrnl, PDRIVER_INITIALIZE entry);
  ~Adapter();
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  /// Power on. Throws OsError with the reason when the adapter cannot be started.
  void Start();
  /// Power off: driver stopped and removed, device silent, detached, domain gone. It may be started
  /// again, in another mode of DMA too.
  void Stop();
  /// Sleep and wake: the driver saves what it keeps, the device goes to D3 and back, and VRAM loses its
  /// content. Nothing of VRAM may be in use (what VidMm had there is evicted, its tables too): bug check.
  void PowerDown(POWER_ACTION action = PowerActionSleep);
  void PowerUp();

  /// After DxgkDdiResetFromTimeout of all GPUs: the driver is told that what was in VRAM and in the aperture of one
  /// is gone (`lost`: operations without a paging buffer, which the GPU never sees); when it has been told for each,
  /// it starts the hardware again (display driver documents, resetting the hardware).
  void AnnounceLoss(HANDLE paging_context, std::vector<DXGKARG_BUILDPAGINGBUFFER> lost);
  void Restart();

  Kernel& kernel() { return kernel_; }
  Dxgkrnl& dxgkrnl() { return dxgkrnl_; }
  MemoryObjects& objects() { return dxgkrnl_.objects(); }
  IsolationMemory& isolation_memory() { return dxgkrnl_.isolation_memory(); }
  GpuIsolation& isolation() { return isolation_; }
  Miniport& miniport() { return *miniport_; }
  VidSch& vidsch() { return vidsch_; }
  /// The GPUs, by PhysicalAdapterIndex once they have started. None while the power is off.
  unsigned adapters() const { return static_cast<unsigned>(physical_.size()); }
  PhysicalAdapter& physical(unsigned index);
  const PhysicalAdapter& physical(unsigned index) const { return const_cast<Adapter*>(this)->physical(index); }
  /// The one that leads; it is known from DxgkDdiLinkDevice on. What does not ask for a GPU below is its own.
  PhysicalAdapter& lead();
  const PhysicalAdapter& lead() const { return const_cast<Adapter*>(this)->lead(); }
  /// The one of a callback's hAdapter; null: it is not of this adapter.
  PhysicalAdapter* FromHandle(HANDLE handle);
  HANDLE handle() { return lead().handle(); }
  const AdapterCaps& caps() const { return lead().caps(); }
  const AdapterAnswers& answers() const { return lead().answers(); }
  Segment& segment(unsigned id) { return lead().segment(id); }
  Segment& local_segment() { return lead().local_segment(); }
  Segment& aperture_segment() { return lead().aperture_segment(); }
  bool Has64kPages(unsigned id) { return lead().Has64kPages(id); }
  const PciFunction& function() const { return lead().function(); }
  /// Between DxgkDdiStartDevice and DxgkDdiStopDevice.
  bool running() const { return miniport_ != nullptr && miniport_->started(); }
  DmaMode mode() const { return mode_; }
  bool remapped() const { return mode_ == DmaMode::kRemapped; }
  IommuDomain* domain() { return domain_; }

  // The driver's entry points.
  /// A process, then a device of it, then a context on `gpu`; over linked adapters a context on each, the first one's
  /// `handles` made whole and the others' copies of it with `joined`, which are destroyed before it. Dxgkrnl's handle
  /// stands in `handles` before the driver is called.
  void OpenProcess(ProcessHandles& handles, const std::string& name, bool system);
  void OpenDevice(ProcessHandles& handles, const std::string& name, bool system);
  void OpenContext(ProcessHandles& handles, const std::string& name, bool system, PhysicalAdapter& gpu);
  /// A system context on the device's companion node, for updates of its process' page tables.
  HANDLE OpenCompanion(const ProcessHandles& handles, const std::string& name, PhysicalAdapter& gpu);
  void CloseCompanion(HANDLE context);
  /// What there is of it, when the driver refused a part.
  void DestroyProcess(ProcessHandles& handles);
  void SetRootPageTable(HANDLE context, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t entries) {
    lead().SetRootPageTable(context, root, entries);
  }
  /// Throws OsError when the driver refuses, or what it answers is refused (AdmitAllocation).
  DriverAllocation CreateAllocation(const AllocationRequest& request);
  void DestroyAllocation(HANDLE allocation, Ledger::Ticket ticket);
  /// Requests of all of its devices that the bus monitor has counted.
  hw::BusCounts BusAccesses();

  // What GpuIsolation does, in this order, each once: an empty 1:1 domain; what the GPU may reach in it; the device
  // behind it, in exclusive access.
  void MakeIsolationDomain();
  void MapIsolationDomain();
  void AttachIsolationDomain();
  /// What of it was done is undone, wherever it failed.
  void AbandonIsolationDomain();
  // What SwitchDma does in exclusive access.
  void EnterIdentity();
  void LeaveDomain();
  bool reaches_all_memory() const { return reaches_all_; }
  /// The driver has all that DMA remapping needs.
  bool can_remap() const;
  const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& reserved_ranges() const { return reserved_; }

  template <typename Data>
  NTSTATUS Ask(Data& data) {
    return lead().Ask(data);
  }
  template <typename Data>
  void Escape(Data& data, const char* what) {
    lead().Escape(data, what);
  }

  /// Who answers the driver's requests for memory; null: nobody, and a request is a bug check.
  void set_driver_requests(DriverRequests* requests) { driver_requests_ = requests; }
  DriverRequests& driver_requests();
  /// This interrupt is one of those that inject.lost_interrupts loses.
  bool LoseInterrupt();
 private:
  /// For calls of level three: "" or what is not idle.
  std::string NotIdle() const;
  void FindDevices();
  void LoadDriver();
  void AssembleLink();
  void DecideMemory();
  void Attach();
  void StartDevices();
  void QueryCaps();
  void StartInMode();
  void AskStarted();
  void NumberAdapters();
  void SwitchIommuOn();
  void QueryReserved();
  HANDLE NewHandle(unsigned kind) {
    return reinterpret_cast<HANDLE>(uint64_t{0xFFFF9000 + kind} << 32 | next_handle_++ << 4);
  }
  void MakeDomain(bool identity);
  void MapReservedRanges();
  void UnmapReservedRanges();
  /// The others before the lead; on the way down the lead before the others.
  std::vector<PhysicalAdapter*> UpOrder();
  std::vector<PhysicalAdapter*> DownOrder();

  Dxgkrnl& dxgkrnl_;
  Kernel& kernel_;
  PDRIVER_INITIALIZE entry_;
  VidSch vidsch_;
  std::vector<std::unique_ptr<PhysicalAdapter>> physical_;
  PhysicalAdapter* lead_ = nullptr;
  std::map<uint16_t, char> handles_;  // of requester ids: their addresses are the handles of GPUs
  std::unique_ptr<Miniport> miniport_;  // from the driver's table on
  uint64_t highest_visible_ = 0;
  DmaMode mode_ = DmaMode::kPhysical;
  bool reaches_all_ = true;
  bool may_remap_ = true;  // false: its driver turned out to lack MapAperture2Supported
  IommuDomain* domain_ = nullptr;
  GpuIsolation isolation_{*this};
  std::vector<DXGK_PHYSICAL_MEMORY_RANGE> reserved_;
  bool reserved_mapped_ = false;
  uint64_t next_handle_ = 1;
  DriverRequests* driver_requests_ = nullptr;
  uint64_t lost_interrupts_ = 0;
};

}  // namespace gmmu::os
