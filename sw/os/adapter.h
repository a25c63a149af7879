// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/adapter_answers.h"
#include "os/allocation.h"
#include "os/dma_policy.h"
#include "os/driver_requests.h"
#include "os/dxgkrnl.h"
#include "os/geometry.h"
#include "os/gpu_isolation.h"
#include "os/kernel.h"
#include "os/miniport.h"
#include "os/reserved_ranges.h"
#include "os/segments.h"
#include "os/vidsch.h"

namespace gmmu::os {

/// What Dxgkrnl learnt from the driver's answers.
struct AdapterCaps {
  uint64_t highest_visible = 0;
  bool coherent = false;
  bool invalid_not_cached = false;
  bool explicit_invalidation = false;
  bool idle_for_updates = false;  ///< PageTableUpdateRequireAddressSpaceIdle
  bool narrow_fences = false;     ///< DXGK_VIDSCHCAPS.No64BitAtomics
  bool system_64k = false;  ///< SysMem64KBPageSupported
  DXGK_PAGETABLEUPDATEMODE update_mode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  Geometry geometry;
  unsigned nodes = 0;
  unsigned paging_node = 0;
  unsigned render_node = 0;  ///< of processes; the paging node when there is no other
  uint64_t paging_buffer_bytes = 0;
  unsigned paging_buffer_segment = 0;
  uint64_t paging_private_bytes = 0;
};

/// Handles of a GPU process: the driver's, and Dxgkrnl's where they say so.
struct ProcessHandles {
  HANDLE process = nullptr;
  HANDLE device = nullptr;
  HANDLE context = nullptr;  ///< null: none yet
  HANDLE second_device = nullptr;  ///< the system's (seen on build 22621)
  uint32_t node = 0;           ///< of the context
  GpuDevice* state = nullptr;  ///< null: the system's
  Ledger::Ticket process_ticket = 0, device_ticket = 0, context_ticket = 0;
  HANDLE dxgk_process = nullptr, dxgk_device = nullptr, dxgk_context = nullptr;
  uint32_t companion_node = 0;  ///< DXGK_CONTEXTINFO.PagingCompanionNodeId
};

/// One GPU from power-on to power-off, as Dxgkrnl drives it: finds it on the bus, loads its driver
/// through DriverEntry, decides how it reaches memory, starts it and asks what it can do.
///
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

  /// After DxgkDdiResetFromTimeout: the driver is told that what was in VRAM and in the aperture is gone (`lost`:
  /// operations without a paging buffer, which the GPU never sees), and starts the hardware again (display driver
  /// documents, resetting the hardware).
  void Restart(HANDLE paging_context, std::vector<DXGKARG_BUILDPAGINGBUFFER> lost);

  Kernel& kernel() { return kernel_; }
  Dxgkrnl& dxgkrnl() { return dxgkrnl_; }
  MemoryObjects& objects() { return dxgkrnl_.objects(); }
  IsolationMemory& isolation_memory() { return dxgkrnl_.isolation_memory(); }
  GpuIsolation& isolation() { return isolation_; }
  Miniport& miniport() { return *miniport_; }
  VidSch& vidsch() { return vidsch_; }
  /// Dxgkrnl's handle of the adapter: hAdapter of the callbacks.
  HANDLE handle() { return this; }
  const AdapterCaps& caps() const { return caps_; }
  const AdapterAnswers& answers() const { return answers_; }
  Segment& segment(unsigned id);
  Segment& local_segment();
  Segment& aperture_segment();
  /// Memory of this segment (0: system memory) may be mapped with pages of 64 KiB.
  bool Has64kPages(unsigned id);
  /// Between DxgkDdiStartDevice and DxgkDdiStopDevice.
  bool running() const { return miniport_ != nullptr && miniport_->started(); }
  DmaMode mode() const { return mode_; }
  bool remapped() const { return mode_ == DmaMode::kRemapped; }
  IommuDomain* domain() { return domain_; }
  const PciFunction& function() const { return function_; }

  // The driver's entry points.
  /// A process, then a device of it, then a context. Dxgkrnl's handle stands in `handles` before the driver is called.
  void OpenProcess(ProcessHandles& handles, const std::string& name, bool system);
  void OpenDevice(ProcessHandles& handles, const std::string& name, bool system);
  void OpenContext(ProcessHandles& handles, const std::string& name, bool system);
  /// A system context on the device's companion node, for updates of its process' page tables.
  HANDLE OpenCompanion(const ProcessHandles& handles, const std::string& name);
  void CloseCompanion(HANDLE context);
  void DestroyProcess(ProcessHandles& handles);
  /// Entries that a root of at least `entries` holds, and its bytes.
  std::pair<uint64_t, uint64_t> RootPageTableSize(uint64_t entries);
  void SetRootPageTable(HANDLE context, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t entries);
  /// Throws OsError when the driver refuses, or what it answers is refused (AdmitAllocation).
  DriverAllocation CreateAllocation(const AllocationRequest& request);
  void DestroyAllocation(HANDLE allocation, Ledger::Ticket ticket);
  /// Requests of the device that the bus monitor has counted.
  hw::BusCounts Traffic();

  // What GpuIsolation does, in this order: an empty 1:1 domain; the reserved ranges in it; the device
  // behind it, in exclusive access.
  void MakeIsolationDomain();
  void MapReservedRanges();
  void AttachIsolationDomain();
  // What SwitchDma does in exclusive access.
  void EnterDomain(DmaMode mode);
  void LeaveDomain();
  bool reaches_all_memory() const { return reaches_all_; }
  /// The driver has all that DMA remapping needs.
  bool can_remap() const;
  const std::vector<DXGK_PHYSICAL_MEMORY_RANGE>& reserved_ranges() const { return reserved_; }

  NTSTATUS Escape(void* data, size_t bytes) { return miniport_->Escape(data, bytes); }
  /// The same, a refusal being an error that names `what`.
  template <typename Data>
  void Escape(Data& data, const char* what) {
    Miniport::Require(miniport_->Escape(&data, sizeof data), what);
  }

  /// Who answers the driver's requests for memory; null: nobody, and a request is a bug check.
  void set_driver_requests(DriverRequests* requests) { driver_requests_ = requests; }
  DriverRequests& driver_requests();

  // What callbacks.cc calls.
  NTSTATUS FillDeviceInformation(DXGK_DEVICE_INFO& info);
  void QueueDpc();

 private:
  /// For calls of level three: "" or what is not idle.
  std::string NotIdle() const;
  void FindDevice();
  void LoadDriver();
  void DecideMemory();
  void Attach();
  void StartDevice();
  void QueryCaps();
  void StartInMode();
  void MakeSegments();
  void SwitchIommuOn();
  void QueryReserved();
  HANDLE NewHandle(unsigned kind) {
    return reinterpret_cast<HANDLE>(uint64_t{0xFFFF9000 + kind} << 32 | next_handle_++ << 4);
  }
  void UnmapReservedRanges();

  Dxgkrnl& dxgkrnl_;
  Kernel& kernel_;
  PDRIVER_INITIALIZE entry_;
  VidSch vidsch_;
  PciFunction function_;
  std::unique_ptr<Miniport> miniport_;  // from the driver's table on
  AdapterAnswers answers_;
  AdapterCaps caps_;
  std::vector<Segment> segments_;
  DmaMode mode_ = DmaMode::kPhysical;
  bool reaches_all_ = true;
  bool may_remap_ = true;  // false: its driver turned out to lack MapAperture2Supported
  IommuDomain* domain_ = nullptr;
  bool attached_ = false;
  GpuIsolation isolation_{*this};
  std::vector<DXGK_PHYSICAL_MEMORY_RANGE> reserved_;
  bool reserved_mapped_ = false;
  hw::Message message_;
  std::vector<uint8_t> resources_;  // CM_RESOURCE_LIST
  bool dpc_queued_ = false;
  uint64_t traffic_when_off_ = 0;
  uint64_t next_handle_ = 1;
  DriverRequests* driver_requests_ = nullptr;
  uint64_t lost_interrupts_ = 0;
};

/// Bytes of DXGKRNL_INTERFACE that a driver of this interface version is offered (build 22621: 0x100 to drivers of
/// Windows 8, 0x138 of WDDM 2.0, 0x240 from WDDM 2.8 on; between the last two the smaller one is assumed).
UINT KernelTableBytes(ULONG driver_version);
/// Fills the table of kernel callbacks that StartDevice hands to the driver: as much of it as the driver's version has.
DXGKRNL_INTERFACE MakeInterface(Adapter& adapter);

}  // namespace gmmu::os
