// SPDX-License-Identifier: Apache-2.0
#include "os/adapter.h"

#include <algorithm>
#include <cstring>

#include "os/admission.h"
#include "os/bug_check.h"
#include "os/dma_policy.h"
#include "os/text.h"

namespace gmmu::os {
namespace {
constexpr WORD kPhysicalAdapter = 0;
constexpr ULONG kPasid = 1;
constexpr uint64_t kPowerBoundNs = 100'000'000;
}

Adapter::Adapter(Dxgkrnl& dxgkrnl, PDRIVER_INITIALIZE entry)
    : dxgkrnl_(dxgkrnl), kernel_(dxgkrnl.kernel()), entry_(entry), vidsch_(kernel_) {
  dxgkrnl_.Register(*this);
}

Adapter::~Adapter() { dxgkrnl_.Unregister(*this); }

hw::BusCounts Adapter::Traffic() {
  hw::Instruments* instruments = kernel_.instruments();
  return instruments == nullptr ? hw::BusCounts() : instruments->BusTraffic(function_.bdf);
}

// MapAperture2Supported is known only when the device has been started, behind its domain.
void Adapter::Start() {
  may_remap_ = true;
  StartInMode();
  QueryStarted(*miniport_, answers_);
  if (remapped() && !can_remap() && !kernel_.parameters().open.map_aperture2_missing_refused) {
    Stop();
    may_remap_ = false;
    StartInMode();
    QueryStarted(*miniport_, answers_);
  }
  QueryCaps();
  MakeSegments();
  vidsch_.Start();
  dxgkrnl_.frame_buffer().Reserve(handle(), remapped(), answers_.save_areas);
  isolation_.OnStarted();
}

void Adapter::StartInMode() {
  FindDevice();
  traffic_when_off_ = Traffic().total();
  LoadDriver();
  DecideMemory();
  QueryReserved();
  Attach();
  StartDevice();
}

bool Adapter::can_remap() const {
  return answers_.iommu && answers_.iommu->DmaRemappingSupported &&
         kernel_.parameters().dma_remapping_compatible == 3 &&
         answers_.driver.MemoryManagementCaps.MapAperture2Supported;
}

void Adapter::FindDevice() {
  const hw::FirmwareTables& firmware = kernel_.hal().platform().firmware();
  for (const PciFunction& function : kernel_.pci().Enumerate()) {
    if (function.vendor != firmware.gpu_vendor || function.device != firmware.gpu_device) continue;
    function_ = function;
    return;
  }
  throw OsError("no GPU " + Hex(firmware.gpu_vendor) + ":" + Hex(firmware.gpu_device) +
                " on the PCI bus");
}

void Adapter::LoadDriver() {
  miniport_ = std::make_unique<Miniport>(kernel_, dxgkrnl_.Load(entry_));
  miniport_->set_not_idle([this] { return NotIdle(); });
  miniport_->AddDevice(reinterpret_cast<PDEVICE_OBJECT>(this));
}

void Adapter::DecideMemory() {
  QueryMemory(*miniport_, answers_);
  caps_.highest_visible = static_cast<uint64_t>(answers_.memory.HighestVisibleAddress.QuadPart);
  DmaFacts facts;
  facts.highest_visible = caps_.highest_visible;
  facts.last_byte = kernel_.pages().end() - 1;
  facts.supported = answers_.iommu && answers_.iommu->DmaRemappingSupported != 0 && may_remap_;
  facts.inf_value = kernel_.parameters().dma_remapping_compatible;
  facts.inclusive = kernel_.parameters().open.highest_visible_inclusive;
  facts.iommu = kernel_.iommu() != nullptr;
  facts.policy = dxgkrnl_.remap_policy();
  const DmaDecision decision = DecideDma(facts);
  if (!decision.refusal.empty()) throw OsError(decision.refusal);
  reaches_all_ = decision.reaches_all;
  mode_ = decision.mode;
  if (answers_.iommu && answers_.iommu->IommuIsolationRequired && kernel_.iommu() == nullptr) {
    throw OsError("DXGK_IOMMU_CAPS.IommuIsolationRequired is 1, and there is no IOMMU ([iommu] present)");
  }
  if (mode_ == DmaMode::kPhysical) return;
  SwitchIommuOn();
  domain_ = kernel_.iommu()->CreateDomain(caps_.highest_visible + 1, mode_ == DmaMode::kIdentity, "dxgkrnl");
}

void Adapter::SwitchIommuOn() {
  kernel_.iommu()->Enable([this](const IommuFault& record) {
    Fault fault;
    fault.source = "iommu";
    fault.name = record.ReasonName();
    fault.address = record.address;
    fault.client = record.requester;
    fault.access = record.read ? "read" : "write";
    const hw::Bdf bdf{static_cast<uint8_t>(record.requester >> 8),
                      static_cast<uint8_t>(record.requester >> 3 & 31),
                      static_cast<uint8_t>(record.requester & 7)};
    fault.text = "device " + bdf.ToString() + ": " + fault.access + " of logical page " +
                 Hex(record.address) + ": " + fault.name;
    kernel_.Report(fault);
  });
}

void Adapter::MakeIsolationDomain() {
  kernel_.iommu()->Prepare();
  domain_ = kernel_.iommu()->CreateDomain(caps_.highest_visible + 1, true, "dxgkrnl");
}

void Adapter::AttachIsolationDomain() {
  SwitchIommuOn();
  kernel_.iommu()->Attach(function_.bdf, *domain_);
  attached_ = true;
  mode_ = DmaMode::kIdentity;
}

void Adapter::EnterDomain(DmaMode mode) {
  kernel_.iommu()->Prepare();
  domain_ = kernel_.iommu()->CreateDomain(caps_.highest_visible + 1, mode == DmaMode::kIdentity, "dxgkrnl");
  MapReservedRanges();
  objects().SetDomain(handle(), *domain_);
  isolation_memory().SetDomain(handle(), *domain_);
  AttachIsolationDomain();
  mode_ = mode;
}

void Adapter::LeaveDomain() {
  if (std::exchange(attached_, false)) kernel_.iommu()->Detach(function_.bdf, *domain_);
  objects().DropDomain(handle());
  isolation_memory().DropDomain(handle());
  UnmapReservedRanges();
  kernel_.iommu()->DestroyDomain(std::exchange(domain_, nullptr));
  kernel_.iommu()->Disable();
  mode_ = DmaMode::kPhysical;
}

void Adapter::QueryReserved() {
  const bool asked = answers_.iommu && (answers_.iommu->IommuIsolationSupported ||
                                        answers_.iommu->DmaRemappingSupported);
  if (!asked) return;
  reserved_ = QueryReservedRanges(*miniport_, kernel_.parameters().reserved_query);
  const std::string wrong = CheckReservedRanges(reserved_, kernel_.pages().ranges());
  if (!wrong.empty()) throw OsError(wrong);
}

void Adapter::MapReservedRanges() {
  reserved_mapped_ = true;
  if (domain_->identity()) return kernel_.iommu()->MapIdentity(*domain_, PagesOf(reserved_));
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : reserved_) {  // at its own address here too
    if (!domain_->logical().AllocateAt(range.BaseAddress, range.NumberOfBytes, "reserved range")) {
      throw OsError("hardware-reserved range at " + Hex(range.BaseAddress) +
                    " is not among the addresses that the GPU has");
    }
    kernel_.iommu()->Map(*domain_, range.BaseAddress, PagesOf({range}), "dxgkrnl", "reserved range");
  }
}

void Adapter::UnmapReservedRanges() {
  if (!std::exchange(reserved_mapped_, false)) return;
  if (domain_->identity()) return kernel_.iommu()->UnmapIdentity(*domain_, PagesOf(reserved_));
  for (const DXGK_PHYSICAL_MEMORY_RANGE& range : reserved_) {
    kernel_.iommu()->Unmap(*domain_, range.BaseAddress, range.NumberOfBytes / hw::kPageSize);
    domain_->logical().Free(range.BaseAddress);
  }
}

void Adapter::Attach() {
  // The driver has not been started and bus mastering is off: nothing of the device may have been on
  // the bus since.
  const uint64_t before = Traffic().total();
  if (before != traffic_when_off_) throw OsError("the device used the bus before it was started");
  const size_t live = objects().LiveAdls(handle()) + isolation_memory().Live(handle());
  if (live != 0) {  // their pages would be out of its reach, or at other addresses
    throw OsError("the adapter is started while " + std::to_string(live) +
                  " ADLs and pieces of isolation memory of its last start live: the mode of DMA is decided while the "
                  "device references no memory");
  }
  if (domain_ != nullptr) {
    MapReservedRanges();
    kernel_.iommu()->Attach(function_.bdf, *domain_);
    attached_ = true;
    if (Traffic().total() != before)
      throw OsError("the device used the bus while its IOMMU domain was attached");
  }
  objects().AddAdapter(handle(), {domain_, function_.bdf.ToString()});
  isolation_memory().AddAdapter(handle(), {domain_, function_.bdf.ToString()});
  kernel_.pci().SetBusMaster(function_, true);
  message_ = kernel_.hal().ConnectInterrupt("gpu " + function_.bdf.ToString(), [this] {
    if (lost_interrupts_ < kernel_.parameters().inject.lost_interrupts) {
      ++lost_interrupts_;
      return;
    }
    miniport_->InterruptRoutine(0);
  });
  kernel_.pci().EnableMsi(function_, message_);
}

void Adapter::StartDevice() {
  size_t memory = 0;
  for (const Bar& bar : function_.bars) memory += bar.size != 0;
  const size_t count = memory + 1;
  resources_.assign(sizeof(CM_RESOURCE_LIST) + count * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR), 0);
  auto* list = reinterpret_cast<CM_RESOURCE_LIST*>(resources_.data());
  list->Count = 1;
  list->List[0].InterfaceType = PCIBus;
  list->List[0].BusNumber = function_.bdf.bus;
  CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  partial.Version = 1;
  partial.Revision = 1;
  partial.Count = static_cast<ULONG>(count);
  auto* next = partial.PartialDescriptors;
  for (const Bar& bar : function_.bars) {
    if (bar.size == 0) continue;
    next->Type = CmResourceTypeMemory;
    next->u.Memory.Start.QuadPart = static_cast<LONGLONG>(bar.address);
    next->u.Memory.Length = static_cast<ULONG>(bar.size);
    ++next;
  }
  next->Type = CmResourceTypeInterrupt;
  next->Flags = CM_RESOURCE_INTERRUPT_MESSAGE;
  next->u.Interrupt.Level = kDevice;
  next->u.Interrupt.Vector = message_.data;
  next->u.Interrupt.Affinity = 1;

  DXGK_START_INFO start{};
  start.RequiredDmaQueueEntry = 8;
  start.AdapterLuid.QuadPart = 1;
  DXGKRNL_INTERFACE interface = MakeInterface(*this);
  miniport_->StartDevice(start, interface);
  vidsch_.Connect(miniport_.get());
}

NTSTATUS Adapter::FillDeviceInformation(DXGK_DEVICE_INFO& info) {
  info = {};
  info.MiniportDeviceContext = miniport_->context();
  info.PhysicalDeviceObject = reinterpret_cast<PDEVICE_OBJECT>(this);
  info.TranslatedResourceList = reinterpret_cast<PCM_RESOURCE_LIST>(resources_.data());
  info.SystemMemorySize.QuadPart =
      static_cast<LONGLONG>(kernel_.pages().installed_pages() * hw::kPageSize);
  info.HighestPhysicalAddress.QuadPart = static_cast<LONGLONG>(kernel_.pages().end() - 1);
  return STATUS_SUCCESS;
}

void Adapter::QueryCaps() {
  answers_.last_byte = kernel_.pages().end() - 1;
  RequireAdmission(Admit(answers_, remapped()));
  caps_.coherent = answers_.mmu.CacheCoherentMemorySupported;
  caps_.invalid_not_cached = answers_.mmu.InvalidTlbEntriesNotCached;
  caps_.explicit_invalidation = answers_.mmu.ExplicitPageTableInvalidation;
  caps_.idle_for_updates = answers_.mmu.PageTableUpdateRequireAddressSpaceIdle;
  caps_.narrow_fences = answers_.driver.SchedulingCaps.No64BitAtomics;
  caps_.update_mode = answers_.mmu.PageTableUpdateMode;
  caps_.system_64k = answers_.mmu.SysMem64KBPageSupported;
  caps_.geometry.dual = answers_.mmu.DualPteSupported;
  for (const DXGK_SEGMENTDESCRIPTOR4& segment : answers_.segments) {
    if (segment.Flags.Use64KBPages) caps_.geometry.leaf_64k_bytes = answers_.mmu.LeafPageTableSizeFor64KPagesInBytes;
  }
  caps_.geometry.va_bits = answers_.mmu.VirtualAddressBitCount;
  for (const DXGK_PAGE_TABLE_LEVEL_DESC& level : answers_.levels) {
    caps_.geometry.levels.push_back({level.PageTableIndexBitCount, level.PageTableSegmentId,
                                     level.PagingProcessPageTableSegmentId,
                                     level.PageTableSizeInBytes, level.PageTableAlignmentInBytes});
  }
  caps_.nodes = answers_.nodes();
  caps_.paging_node = answers_.paging_node();
  caps_.render_node = caps_.nodes > 1 ? (caps_.paging_node == 0 ? 1 : 0) : caps_.paging_node;
  caps_.paging_buffer_bytes = answers_.paging_buffer_bytes;
  caps_.paging_buffer_segment = answers_.paging_buffer_segment;
  caps_.paging_private_bytes = answers_.paging_private_bytes;
}

void Adapter::MakeSegments() {
  for (const DXGK_SEGMENTDESCRIPTOR4& descriptor : answers_.segments) {
    Segment segment;
    segment.id = static_cast<unsigned>(segments_.size()) + 1;
    segment.aperture = descriptor.Flags.Aperture;
    segment.cpu_visible = descriptor.Flags.CpuVisible;
    segment.cache_coherent = descriptor.Flags.CacheCoherent;
    segment.pages_64k = descriptor.Flags.Use64KBPages;
    segment.base = static_cast<uint64_t>(descriptor.BaseAddress.QuadPart);
    segment.size = descriptor.Size;
    if (segment.cpu_visible && !segment.aperture) {
      segment.cpu_view = static_cast<uint8_t*>(
          kernel_.mmio().Map(static_cast<uint64_t>(descriptor.CpuTranslatedAddress.QuadPart),
                             descriptor.Size, "vidmm", "segment view"));
    }
    segment.space =
        std::make_unique<RangeAllocator>(0, segment.size, kernel_.parameters().seed,
                                         segment.aperture ? "aperture_range" : "vram_range",
                                         "segment" + std::to_string(segment.id), kernel_.ledger());
    if (const auto bad = answers_.bad_ranges.find(segment.id); bad != answers_.bad_ranges.end()) {
      for (const DXGK_MEMORYRANGE& range : bad->second)
        segment.space->Exclude(range.SegmentOffset, range.SegmentOffset + range.SizeInBytes);
    }
    segments_.push_back(std::move(segment));
  }
}

Segment& Adapter::segment(unsigned id) {
  if (id == 0 || id > segments_.size()) throw BugCheck("there is no segment " + std::to_string(id));
  return segments_[id - 1];
}

Segment& Adapter::local_segment() {
  for (Segment& segment : segments_) {
    if (!segment.aperture) return segment;
  }
  throw OsError("the driver reports no memory segment");
}

Segment& Adapter::aperture_segment() {
  for (Segment& segment : segments_) {
    if (segment.aperture) return segment;
  }
  throw OsError("the driver reports no aperture segment");
}

bool Adapter::Has64kPages(unsigned id) {
  if (id != 0) return segment(id).pages_64k;
  return caps_.system_64k && kernel_.parameters().open.system_64k_mapped;
}

std::string Adapter::NotIdle() const {
  if (!vidsch_.idle()) return "the driver holds packets";
  if (!kernel_.parameters().inject.leak.empty()) return "";  // what is planted is reported at power-off
  for (const Segment& segment : segments_) {
    if (!segment.aperture && segment.space->ranges() != 0) {
      return std::to_string(segment.space->ranges()) + " ranges of segment " + std::to_string(segment.id) +
             " are in use";
    }
  }
  return "";
}

void Adapter::PowerDown(POWER_ACTION action) {
  vidsch_.Suspend();  // until PowerUp
  vidsch_.WaitQuiet(kPowerBoundNs);
  miniport_->SetPowerState(PowerDeviceD3, action);
  kernel_.pci().DisableMsi(function_);
  kernel_.pci().SetBusMaster(function_, false);
  kernel_.pci().SetPower(function_, false);
}

void Adapter::PowerUp() {
  kernel_.pci().SetPower(function_, true);
  kernel_.pci().SetBusMaster(function_, true);
  kernel_.pci().EnableMsi(function_, message_);
  miniport_->SetPowerState(PowerDeviceD0, PowerActionNone);
  vidsch_.Resume();
}

void Adapter::Stop() {
  for (Segment& segment : segments_) {
    if (segment.cpu_view != nullptr) kernel_.mmio().Unmap(segment.cpu_view);
    segment.cpu_view = nullptr;
  }
  vidsch_.Stop();
  vidsch_.Connect(nullptr);
  miniport_->SetPowerState(PowerDeviceD3, PowerActionShutdownOff);
  miniport_->StopDevice();
  kernel_.pci().DisableMsi(function_);
  kernel_.pci().SetBusMaster(function_, false);
  kernel_.hal().DisconnectInterrupt(message_);
  const uint64_t before = Traffic().total();
  if (std::exchange(attached_, false)) kernel_.iommu()->Detach(function_.bdf, *domain_);
  if (Traffic().total() != before)
    throw OsError("the device used the bus while its IOMMU domain was detached");
  dxgkrnl_.frame_buffer().Release(handle());
  objects().RemoveAdapter(handle());
  isolation_memory().RemoveAdapter(handle());
  miniport_->RemoveDevice();
  if (domain_ != nullptr) {
    UnmapReservedRanges();
    kernel_.iommu()->DestroyDomain(domain_);
    domain_ = nullptr;
    if (kernel_.iommu()->enabled()) kernel_.iommu()->Disable();
  }
  reserved_.clear();
  dxgkrnl_.Unload(entry_);
  miniport_.reset();
  segments_.clear();
  answers_ = {};
  caps_ = {};
  mode_ = DmaMode::kPhysical;
  kernel_.pci().PowerOff(function_);
}

void Adapter::Restart(HANDLE paging_context, std::vector<DXGKARG_BUILDPAGINGBUFFER> lost) {
  for (DXGKARG_BUILDPAGINGBUFFER& operation : lost) {
    operation.hSystemContext = paging_context;
    if (miniport_->BuildPagingBuffer(operation) != STATUS_SUCCESS)
      throw BugCheck("the driver asks for a paging buffer for " + NameOf(operation.Operation) + " after a reset");
  }
  Miniport::Require(miniport_->RestartFromTimeout(), "DxgkDdiRestartFromTimeout");
}

void Adapter::QueueDpc() {
  if (dpc_queued_) return;
  dpc_queued_ = true;
  kernel_.scheduler().QueueDpc([this] {
    dpc_queued_ = false;
    miniport_->DpcRoutine();
  });
}

DriverRequests& Adapter::driver_requests() {
  if (driver_requests_ == nullptr) throw BugCheck("the driver asks for memory while no memory manager runs");
  return *driver_requests_;
}

void Adapter::OpenProcess(ProcessHandles& handles, const std::string& name, bool system) {
  handles.dxgk_process = NewHandle(0);
  DXGKARG_CREATEPROCESS process{};
  process.hDxgkProcess = handles.dxgk_process;
  process.Flags.SystemProcess = system;
  ULONG pasid = kPasid;
  if (system && kernel_.parameters().system_process_has_pasid) {
    process.NumPasid = 1;
    process.pPasid = &pasid;
  }
  Miniport::Require(miniport_->CreateProcess(process), "DxgkDdiCreateProcess for " + name);
  handles.process = process.hKmdProcess;
  handles.process_ticket =
      kernel_.ledger().Open("process", name, "dxgkrnl", "DxgkDdiCreateProcess");
}

void Adapter::OpenDevice(ProcessHandles& handles, const std::string& name, bool system) {
  const auto open = [&] {
    DXGKARG_CREATEDEVICE device{};
    device.hDevice = handles.dxgk_device = NewHandle(1);
    device.Flags.SystemDevice = system;
    device.hKmdProcess = handles.process;
    if (system && kernel_.parameters().system_process_has_pasid) device.Pasid = kPasid;
    Miniport::Require(miniport_->CreateDevice(device), "DxgkDdiCreateDevice for " + name);
    return device.hDevice;
  };
  if (system && kernel_.parameters().bring_up == BringUp::kWindows22621) handles.second_device = open();
  handles.device = open();
  handles.device_ticket = kernel_.ledger().Open("device", name, "dxgkrnl", "DxgkDdiCreateDevice");
}

void Adapter::OpenContext(ProcessHandles& handles, const std::string& name, bool system) {
  DXGKARG_CREATECONTEXT context{};
  context.hContext = handles.dxgk_context = NewHandle(2);
  handles.node = system ? caps_.paging_node : caps_.render_node;
  if (!system) {
    handles.state = vidsch_.CreateDevice(name);
    handles.state->process = handles.dxgk_process;
  }
  context.NodeOrdinal = handles.node;
  context.EngineAffinity = 1;
  context.Flags.SystemContext = system;
  context.Flags.VirtualAddressing = 1;
  Miniport::Require(miniport_->CreateContext(handles.device, context),
                    "DxgkDdiCreateContext for " + name);
  handles.context = context.hContext;
  handles.companion_node = context.ContextInfo.PagingCompanionNodeId;
  handles.context_ticket =
      kernel_.ledger().Open("context", name, "dxgkrnl", "DxgkDdiCreateContext");
}

HANDLE Adapter::OpenCompanion(const ProcessHandles& handles, const std::string& name) {
  DXGKARG_CREATECONTEXT context{};
  context.hContext = NewHandle(2);
  context.NodeOrdinal = handles.companion_node;
  context.EngineAffinity = 1;
  context.Flags.SystemContext = 1;
  context.Flags.VirtualAddressing = 1;
  Miniport::Require(miniport_->CreateContext(handles.device, context),
                    "DxgkDdiCreateContext for the paging companion of " + name);
  return context.hContext;
}

void Adapter::CloseCompanion(HANDLE context) { miniport_->DestroyContext(context); }

void Adapter::DestroyProcess(ProcessHandles& handles) {
  // A leaked handle takes those that it lives in with it.
  if (kernel_.LeakNow("context")) return;
  if (handles.state != nullptr) vidsch_.DestroyDevice(handles.state);
  if (handles.context != nullptr) {
    miniport_->DestroyContext(handles.context);
    kernel_.ledger().Close(handles.context_ticket);
  }
  if (kernel_.LeakNow("device")) return;
  if (handles.second_device != nullptr) miniport_->DestroyDevice(handles.second_device);
  miniport_->DestroyDevice(handles.device);
  kernel_.ledger().Close(handles.device_ticket);
  if (kernel_.LeakNow("process")) return;
  miniport_->DestroyProcess(handles.process);
  kernel_.ledger().Close(handles.process_ticket);
  handles = {};
}

std::pair<uint64_t, uint64_t> Adapter::RootPageTableSize(uint64_t entries) {
  DXGKARG_GETROOTPAGETABLESIZE args{static_cast<UINT>(entries), kPhysicalAdapter};
  const uint64_t bytes = miniport_->GetRootPageTableSize(args);
  return {args.NumberOfPte, bytes};
}

void Adapter::SetRootPageTable(HANDLE context, const D3DGPU_PHYSICAL_ADDRESS& root,
                               uint64_t entries) {
  DXGKARG_SETROOTPAGETABLE args{};
  args.hContext = context;
  args.Address = root;
  args.NumEntries = static_cast<UINT>(entries);
  miniport_->SetRootPageTable(args);
}

DriverAllocation Adapter::CreateAllocation(const AllocationRequest& request) {
  const auto& data_of = dxgkrnl_.user_mode_driver().allocation_data;
  std::vector<uint8_t> data = data_of ? data_of(request) : std::vector<uint8_t>();
  DXGK_ALLOCATIONINFO info{};
  info.pPrivateDriverData = data.data();
  info.PrivateDriverDataSize = static_cast<UINT>(data.size());
  DXGKARG_CREATEALLOCATION args{};
  args.NumAllocations = 1;
  args.pAllocationInfo = &info;
  Miniport::Require(miniport_->CreateAllocation(args), "DxgkDdiCreateAllocation of " + request.name);
  const std::vector<Refusal> refusals = AdmitAllocation(request, info, answers_);
  if (!refusals.empty()) {
    DXGKARG_DESTROYALLOCATION destroy{};
    destroy.NumAllocations = 1;
    destroy.pAllocationList = &info.hAllocation;
    if (info.hAllocation != nullptr) miniport_->DestroyAllocation(destroy);
    throw OsError("allocation " + request.name + " is refused: " + refusals.front().field + " " +
                  refusals.front().text);
  }
  return {info.hAllocation, info.Size, info.FlagsWddm2, HomesOf(info, answers_),
          kernel_.ledger().Open("allocation", request.name, "application", "DxgkDdiCreateAllocation")};
}

void Adapter::DestroyAllocation(HANDLE allocation, Ledger::Ticket ticket) {
  if (kernel_.LeakNow("allocation")) return;
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = 1;
  args.pAllocationList = &allocation;
  miniport_->DestroyAllocation(args);
  kernel_.ledger().Close(ticket);
}

}  // namespace gmmu::os
