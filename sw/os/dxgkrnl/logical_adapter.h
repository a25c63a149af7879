// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/device_life.h"
#include "os/memory/memory_objects.h"
#include "os/dxgkrnl/adapter_domain.h"
#include "os/dxgkrnl/adapter_objects.h"
#include "os/dxgkrnl/driver_requests.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/gpu_isolation.h"
#include "os/kernel/kernel.h"
#include "os/miniport/miniport.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/vidsch/vidsch.h"

namespace gmmu::os {

/// A logical adapter from power-on to power-off, as Dxgkrnl drives it: one GPU, or several that are linked. Finds
/// them on the bus, loads their driver through DriverEntry, decides how they reach memory, starts them and asks what
/// they can do.
///
/// A link (display driver documents, linked display adapters; documents only): DxgkDdiAddDevice for every device,
/// each followed by DxgkDdiLinkDevice; then the questions that come before a start; one domain for all; the lead is
/// started and powered up after the others and powered down and stopped before them. GPUs that are not in the chain
/// of the first one are removed again.
class LogicalAdapter {
 public:
  LogicalAdapter(Dxgkrnl& dxgkrnl, PDRIVER_INITIALIZE entry);
  ~LogicalAdapter();
  LogicalAdapter(const LogicalAdapter&) = delete;
  LogicalAdapter& operator=(const LogicalAdapter&) = delete;

  /// Power on. Throws OsError with the reason when the adapter cannot be started.
  void Start();
  /// Power off: driver stopped and removed, device silent, detached, domain gone. It may be started
  /// again, in another mode of DMA too.
  void Stop();
  /// Sleep and wake: the driver saves what it keeps, the device goes to D3 and back, and VRAM loses its
  /// content. Nothing of VRAM may be in use (what VidMm had there is evicted, its tables too): bug check.
  void PowerDown(POWER_ACTION action = PowerActionSleep);
  void PowerUp();

  /// After DxgkDdiResetFromTimeout of all GPUs: AnnounceLoss notifies the driver that what was in VRAM and in the
  /// aperture of one is gone (`lost`: operations without a paging buffer, which the GPU never sees); after one call for each,
  /// Restart lets it start the hardware again (display driver documents, resetting the hardware).
  void AnnounceLoss(HANDLE paging_context, std::vector<DXGKARG_BUILDPAGINGBUFFER> lost);
  void Restart();

  Kernel& kernel() { return kernel_; }
  Dxgkrnl& dxgkrnl() { return dxgkrnl_; }
  MemoryObjects& objects() { return dxgkrnl_.objects(); }
  GpuIsolation& isolation() { return isolation_; }
  Miniport& miniport() { return *miniport_; }
  VidSch& vidsch() { return vidsch_; }
  /// The GPUs, by PhysicalAdapterIndex once they have started. None while the power is off.
  unsigned adapters() const { return static_cast<unsigned>(physical_.size()); }
  const std::vector<std::unique_ptr<PhysicalAdapter>>& gpus() const { return physical_; }
  PhysicalAdapter& physical(unsigned index);
  const PhysicalAdapter& physical(unsigned index) const { return const_cast<LogicalAdapter*>(this)->physical(index); }
  /// The one that leads; it is known from DxgkDdiLinkDevice on. What does not ask for a GPU below is its own.
  PhysicalAdapter& lead();
  const PhysicalAdapter& lead() const { return const_cast<LogicalAdapter*>(this)->lead(); }
  /// The one of a callback's hAdapter; null: it is not of this adapter.
  PhysicalAdapter* FromHandle(HANDLE handle);
  HANDLE handle() { return lead().handle(); }
  const AdapterCaps& caps() const { return lead().caps(); }
  const AdapterAnswers& answers() const { return lead().answers(); }
  Segment& local_segment() { return lead().local_segment(); }
  Segment& aperture_segment() { return lead().aperture_segment(); }
  const PciFunction& function() const { return lead().function(); }
  /// Between DxgkDdiStartDevice and DxgkDdiStopDevice.
  bool running() const { return miniport_ != nullptr && miniport_->devices().started(); }
  /// How the GPUs reach host memory.
  AdapterDomain& dma() { return dma_; }
  DmaMode mode() const { return dma_.mode(); }
  bool remapped() const { return mode() == DmaMode::kRemapped; }
  IommuDomain* domain() { return dma_.domain(); }
  /// Processes, contexts and allocations.
  AdapterObjects& driver_objects() { return driver_objects_; }

  void SetRootPageTable(HANDLE context, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t entries) {
    lead().SetRootPageTable(context, root, entries);
  }
  /// Requests of all of its devices that the bus monitor has counted.
  hw::BusCounts BusAccesses();

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
  void Attach();
  void StartDevices();
  void QueryCaps();
  void StartInMode();
  void AskStarted();
  void NumberAdapters();
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
  bool may_remap_ = true;  // false: its driver turned out to lack MapAperture2Supported
  AdapterDomain dma_{*this};
  AdapterObjects driver_objects_{*this};
  GpuIsolation isolation_{*this};
  DriverRequests* driver_requests_ = nullptr;
  uint64_t lost_interrupts_ = 0;
};

}  // namespace gmmu::os
