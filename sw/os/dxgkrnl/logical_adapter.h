// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"
#include "hw/platform.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/base/dma_policy.h"

namespace gmmu::os {

class AdapterDomain;
class AdapterObjects;
class DriverRequests;
class Dxgkrnl;
class GpuIsolation;
class RemappingDomain;
class Kernel;
class MemoryObjects;
class Miniport;
class PhysicalAdapter;
class VidSch;
struct AdapterAnswers;
struct AdapterCaps;
struct PciFunction;
struct Segment;

/// A logical adapter from power-on to power-off: a single GPU, or several linked ones. It finds the
/// GPUs on the bus, loads their driver through DriverEntry, decides how they access memory, starts
/// them and queries their capabilities.
///
/// For linked GPUs, DxgkDdiAddDevice is called for every device, each time followed by
/// DxgkDdiLinkDevice; then the queries that precede a start are made. All GPUs share a domain. The
/// lead is started and powered up after the others, and powered down and stopped before them. GPUs
/// that are not in the chain of the first GPU are removed again; another logical adapter can then
/// use them, because a start considers only the GPUs that no started adapter uses. The behaviour
/// comes from the documentation on linked display adapters; it was not observed on Windows.
class LogicalAdapter {
 public:
  LogicalAdapter(Dxgkrnl& dxgkrnl, PDRIVER_INITIALIZE entry);
  ~LogicalAdapter();
  LogicalAdapter(const LogicalAdapter&) = delete;
  LogicalAdapter& operator=(const LogicalAdapter&) = delete;

  /// Powers the adapter on. Throws OsError, with the reason, if the adapter cannot be started.
  void Start();
  /// Powers the adapter off: stops and removes the driver, silences and detaches the device, and destroys the domain.
  /// The adapter can be started again, even in another DMA mode.
  void Stop();
  /// Cleans up after a start that has failed: stops the started devices, removes the added ones and unloads
  /// the driver. Resources that the driver still holds are leaks. The adapter cannot be used afterwards.
  void GiveUp();
  /// Sleep and wake: the driver saves its state, the device enters D3 and returns to D0, and VRAM
  /// loses its contents. VidMm must evict its allocations and tables first: VRAM that is still in
  /// use triggers a bug check.
  void PowerDown(POWER_ACTION action = PowerActionSleep);
  void PowerUp();

  /// Call both after DxgkDdiResetFromTimeout has returned for all GPUs. AnnounceLoss notifies the
  /// driver that the VRAM and aperture of one GPU have lost their contents; `lost` contains
  /// operations without a paging buffer, which the GPU does not execute. After one such call per
  /// GPU, Restart has the driver restart the hardware (display driver documents, resetting the
  /// hardware).
  void AnnounceLoss(HANDLE paging_context, std::vector<DXGKARG_BUILDPAGINGBUFFER> lost);
  void Restart();

  Kernel& kernel() { return kernel_; }
  Dxgkrnl& dxgkrnl() { return dxgkrnl_; }
  MemoryObjects& objects();
  GpuIsolation& isolation() { return *isolation_; }
  Miniport& miniport() { return *miniport_; }
  VidSch& vidsch() { return *vidsch_; }
  /// The GPUs, ordered by PhysicalAdapterIndex once they have started. The list is empty while the
  /// power is off.
  unsigned adapters() const { return static_cast<unsigned>(physical_.size()); }
  const std::vector<std::unique_ptr<PhysicalAdapter>>& gpus() const { return physical_; }
  PhysicalAdapter& physical(unsigned index);
  const PhysicalAdapter& physical(unsigned index) const { return const_cast<LogicalAdapter*>(this)->physical(index); }
  /// The lead adapter, known once DxgkDdiLinkDevice has returned. The functions below that have no
  /// GPU argument use the lead.
  PhysicalAdapter& lead();
  const PhysicalAdapter& lead() const { return const_cast<LogicalAdapter*>(this)->lead(); }
  /// Returns the GPU that a callback's hAdapter identifies, or null if the handle does not belong
  /// to this adapter.
  PhysicalAdapter* FromHandle(HANDLE handle);
  HANDLE handle();
  const AdapterCaps& caps() const;
  const AdapterAnswers& answers() const;
  Segment& local_segment();
  const PciFunction& function() const;
  /// True between DxgkDdiStartDevice and DxgkDdiStopDevice.
  bool running() const;
  /// How the GPUs reach host memory.
  AdapterDomain& dma() { return *dma_; }
  DmaMode mode() const;
  bool remapped() const { return mode() == DmaMode::kRemapped; }
  RemappingDomain* domain();
  /// The driver's processes, contexts and allocations.
  AdapterObjects& driver_objects() { return *driver_objects_; }

  /// Number of requests that the bus monitor has counted from all devices of this adapter.
  hw::BusCounts BusAccesses();

  /// Sets the object that handles the driver's requests for memory. While it is null, a request triggers a bug check.
  void set_driver_requests(DriverRequests* requests) { driver_requests_ = requests; }
  DriverRequests& driver_requests();
  /// Returns true if inject.lost_interrupts drops this interrupt.
  bool LoseInterrupt();

 private:
  /// Implements the check that precedes level-three calls. Returns what is not idle, or "" if
  /// everything is idle.
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
  /// UpOrder is the power-up order, with the lead last. DownOrder is the power-down order, with the lead first.
  std::vector<PhysicalAdapter*> UpOrder();
  std::vector<PhysicalAdapter*> DownOrder();

  Dxgkrnl& dxgkrnl_;
  Kernel& kernel_;
  PDRIVER_INITIALIZE entry_;
  std::unique_ptr<VidSch> vidsch_;
  std::vector<std::unique_ptr<PhysicalAdapter>> physical_;
  PhysicalAdapter* lead_ = nullptr;
  std::map<uint16_t, char> handles_;    // by requester id; an element's address is the GPU's handle
  std::unique_ptr<Miniport> miniport_;  // exists once the driver has called DxgkInitialize
  bool may_remap_ = true;               // false after the driver was found to lack MapAperture2Supported
  std::unique_ptr<AdapterDomain> dma_;
  std::unique_ptr<AdapterObjects> driver_objects_;
  std::unique_ptr<GpuIsolation> isolation_;
  DriverRequests* driver_requests_ = nullptr;
  uint64_t lost_interrupts_ = 0;
};

}  // namespace gmmu::os
