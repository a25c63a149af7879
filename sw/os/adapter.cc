// SPDX-License-Identifier: Apache-2.0
#include "os/adapter.h"

#include <algorithm>
#include <cstring>

#include "kmd/escape.h"
#include "os/text.h"

namespace gmmu::os {
namespace {
Adapter* current = nullptr;

constexpr WORD kPhysicalAdapter = 0;
constexpr size_t kStride =
    sizeof(DXGK_SEGMENTDESCRIPTOR4) + 16;  // larger than the structure, as a newer kernel's is
}  // namespace

Adapter::Adapter(Kernel& kernel, PDRIVER_INITIALIZE entry)
    : kernel_(kernel), entry_(entry), objects_(kernel), vidsch_(kernel) {
  current = this;
}

Adapter::~Adapter() { current = nullptr; }

Adapter& Adapter::Current() {
  if (current == nullptr)
    throw BugCheck("a graphics callback was called while there is no adapter");
  return *current;
}

Adapter& Adapter::FromHandle(HANDLE handle) {
  Adapter& adapter = Current();
  if (handle != adapter.handle()) throw BugCheck("a callback got an unknown adapter handle");
  return adapter;
}

void Adapter::Refused(const std::string& what, NTSTATUS status) {
  throw OsError("the driver refused " + what + " with status " +
                Hex(static_cast<uint32_t>(status)));
}

uint64_t Adapter::Traffic() {
  hw::Instruments* instruments = kernel_.instruments();
  return instruments == nullptr ? 0 : instruments->BusTraffic(function_.bdf).total();
}

void Adapter::Start() {
  FindDevice();
  LoadDriver();
  DecideMemory();
  Attach();
  StartDevice();
  QueryCaps();
  QuerySegments();
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
  static WCHAR path[] = {'g', 'm', 'm', 'u', 0};
  UNICODE_STRING registry{8, 10, path};
  const NTSTATUS entered = entry_(reinterpret_cast<PDRIVER_OBJECT>(this), &registry);
  if (!NT_SUCCESS(entered)) Refused("DriverEntry", entered);
  if (!loaded_) throw OsError("the driver's DriverEntry did not call DxgkInitialize");
  if (driver_.Version < DXGKDDI_INTERFACE_VERSION_WDDM2_9) {
    throw OsError("the driver's interface version " + Hex(driver_.Version) +
                  " is older than WDDM 2.9");
  }
  const NTSTATUS added =
      driver_.DxgkDdiAddDevice(reinterpret_cast<PDEVICE_OBJECT>(this), &device_context_);
  if (!NT_SUCCESS(added)) Refused("DxgkDdiAddDevice", added);
}

NTSTATUS Adapter::Query(DXGK_QUERYADAPTERINFOTYPE type, void* input, size_t input_bytes,
                        void* output, size_t output_bytes) {
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = type;
  args.pInputData = input;
  args.InputDataSize = static_cast<UINT>(input_bytes);
  args.pOutputData = output;
  args.OutputDataSize = static_cast<UINT>(output_bytes);
  return driver_.DxgkDdiQueryAdapterInfo(device_context_, &args);
}

void Adapter::DecideMemory() {
  DXGK_PHYSICAL_MEMORY_CAPS memory{};
  NTSTATUS status = Query(DXGKQAITYPE_PHYSICAL_MEMORY_CAPS, nullptr, 0, &memory, sizeof memory);
  if (!NT_SUCCESS(status)) Refused("the query for PHYSICAL_MEMORY_CAPS", status);
  caps_.highest_visible = static_cast<uint64_t>(memory.HighestVisibleAddress.QuadPart);
  DXGK_IOMMU_CAPS iommu{};
  status = Query(DXGKQAITYPE_IOMMU_CAPS, nullptr, 0, &iommu, sizeof iommu);
  caps_.dma_remapping = NT_SUCCESS(status) && iommu.DmaRemappingSupported != 0;

  const uint64_t last_byte = kernel_.pages().end() - 1;
  const bool reaches = caps_.highest_visible >= last_byte;
  const bool possible = caps_.dma_remapping && kernel_.iommu() != nullptr;
  if (!reaches && !possible) {
    throw OsError("the GPU reaches memory up to " + Hex(caps_.highest_visible) +
                  ", installed is up to " + Hex(last_byte) + ", and DMA remapping is " +
                  (kernel_.iommu() == nullptr ? "off ([os] iommu, [iommu] present)"
                                              : "not supported by the driver"));
  }
  if (!possible) return;
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
  domain_ = kernel_.iommu()->CreateDomain(caps_.highest_visible + 1, "dxgkrnl");
}

void Adapter::Attach() {
  // The driver has not been started and bus mastering is off: nothing of the device may be on the
  // bus.
  const uint64_t before = Traffic();
  if (before != 0) throw OsError("the device used the bus before it was started");
  if (domain_ != nullptr) {
    kernel_.iommu()->Attach(function_.bdf, *domain_);
    if (Traffic() != before)
      throw OsError("the device used the bus while its IOMMU domain was attached");
  }
  objects_.AddAdapter(handle(), {domain_, function_.bdf.ToString()});
  kernel_.pci().SetBusMaster(function_, true);
  message_ = kernel_.hal().ConnectInterrupt("gpu " + function_.bdf.ToString(), [this] {
    driver_.DxgkDdiInterruptRoutine(device_context_, 0);
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
  ULONG sources = 0, children = 0;
  const NTSTATUS status =
      driver_.DxgkDdiStartDevice(device_context_, &start, &interface, &sources, &children);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiStartDevice", status);
}

NTSTATUS Adapter::FillDeviceInformation(DXGK_DEVICE_INFO& info) {
  info = {};
  info.MiniportDeviceContext = device_context_;
  info.PhysicalDeviceObject = reinterpret_cast<PDEVICE_OBJECT>(this);
  info.TranslatedResourceList = reinterpret_cast<PCM_RESOURCE_LIST>(resources_.data());
  info.SystemMemorySize.QuadPart =
      static_cast<LONGLONG>(kernel_.pages().installed_pages() * hw::kPageSize);
  info.HighestPhysicalAddress.QuadPart = static_cast<LONGLONG>(kernel_.pages().end() - 1);
  return STATUS_SUCCESS;
}

void Adapter::QueryCaps() {
  DXGK_DRIVERCAPS driver{};
  NTSTATUS status = Query(DXGKQAITYPE_DRIVERCAPS, nullptr, 0, &driver, sizeof driver);
  if (!NT_SUCCESS(status)) Refused("the query for DRIVERCAPS", status);
  if (!driver.MemoryManagementCaps.VirtualAddressingSupported ||
      !driver.MemoryManagementCaps.GpuMmuSupported) {
    throw OsError("the driver does not report the GpuMmu model");
  }
  caps_.map_aperture2 = driver.MemoryManagementCaps.MapAperture2Supported;
  if (domain_ != nullptr && !caps_.map_aperture2) {
    throw OsError("the driver wants DMA remapping but does not report MapAperture2Supported");
  }

  DXGK_QUERYGPUMMUCAPSIN which{kPhysicalAdapter};
  DXGK_GPUMMUCAPS mmu{};
  status = Query(DXGKQAITYPE_GPUMMUCAPS, &which, sizeof which, &mmu, sizeof mmu);
  if (!NT_SUCCESS(status)) Refused("the query for GPUMMUCAPS", status);
  if (mmu.PageTableLevelCount < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT ||
      mmu.PageTableLevelCount > DXGK_MAX_PAGE_TABLE_LEVEL_COUNT) {
    throw OsError("the driver reports " + std::to_string(mmu.PageTableLevelCount) +
                  " page table levels");
  }
  caps_.coherent = mmu.CacheCoherentMemorySupported;
  caps_.invalid_not_cached = mmu.InvalidTlbEntriesNotCached;
  caps_.update_mode = mmu.PageTableUpdateMode;
  caps_.geometry.va_bits = mmu.VirtualAddressBitCount;
  unsigned bits = 12;
  for (WORD level = 0; level < mmu.PageTableLevelCount; ++level) {
    DXGK_QUERYPAGETABLELEVELDESCIN input{level, kPhysicalAdapter};
    DXGK_PAGE_TABLE_LEVEL_DESC descriptor{};
    status =
        Query(DXGKQAITYPE_PAGETABLELEVELDESC, &input, sizeof input, &descriptor, sizeof descriptor);
    if (!NT_SUCCESS(status)) Refused("the query for PAGETABLELEVELDESC", status);
    bits += descriptor.PageTableIndexBitCount;
    caps_.geometry.levels.push_back(
        {descriptor.PageTableIndexBitCount, descriptor.PageTableSegmentId,
         descriptor.PagingProcessPageTableSegmentId, descriptor.PageTableSizeInBytes,
         descriptor.PageTableAlignmentInBytes});
  }
  if (bits != caps_.geometry.va_bits) {
    throw OsError("the driver's level descriptors cover " + std::to_string(bits) +
                  " bits, its caps say " + std::to_string(caps_.geometry.va_bits));
  }

  DXGK_QUERYPHYSICALADAPTERCAPSIN adapter{kPhysicalAdapter};
  DXGK_PHYSICALADAPTERCAPS physical{};
  status =
      Query(DXGKQAITYPE_PHYSICALADAPTERCAPS, &adapter, sizeof adapter, &physical, sizeof physical);
  if (!NT_SUCCESS(status)) Refused("the query for PHYSICALADAPTERCAPS", status);
  caps_.nodes = physical.NumExecutionNodes;
  caps_.paging_node = physical.PagingNodeIndex;
  for (UINT node = 0; node < caps_.nodes && driver_.DxgkDdiGetNodeMetadata != nullptr; ++node) {
    DXGKARG_GETNODEMETADATA metadata{};
    status =
        driver_.DxgkDdiGetNodeMetadata(device_context_, node | kPhysicalAdapter << 16, &metadata);
    if (!NT_SUCCESS(status)) Refused("DxgkDdiGetNodeMetadata", status);
  }
}

void Adapter::QuerySegments() {
  DXGK_QUERYSEGMENTIN4 which{kPhysicalAdapter};
  DXGK_QUERYSEGMENTOUT4 out{};
  NTSTATUS status = Query(DXGKQAITYPE_QUERYSEGMENT4, &which, sizeof which, &out, sizeof out);
  if (!NT_SUCCESS(status)) Refused("the first query for QUERYSEGMENT4", status);
  std::vector<BYTE> descriptors(out.NbSegment * kStride);
  out.pSegmentDescriptor = descriptors.data();
  out.SegmentDescriptorStride = kStride;
  status = Query(DXGKQAITYPE_QUERYSEGMENT4, &which, sizeof which, &out, sizeof out);
  if (!NT_SUCCESS(status)) Refused("the second query for QUERYSEGMENT4", status);
  caps_.paging_buffer_bytes = out.PagingBufferSize;
  caps_.paging_private_bytes = out.PagingBufferPrivateDataSize;
  for (UINT index = 0; index < out.NbSegment; ++index) {
    DXGK_SEGMENTDESCRIPTOR4 descriptor;
    std::memcpy(&descriptor, descriptors.data() + index * kStride, sizeof descriptor);
    Segment segment;
    segment.id = index + 1;
    segment.aperture = descriptor.Flags.Aperture;
    segment.cpu_visible = descriptor.Flags.CpuVisible;
    segment.cache_coherent = descriptor.Flags.CacheCoherent;
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
    segments_.push_back(std::move(segment));
  }
  if (std::count_if(segments_.begin(), segments_.end(),
                    [](const Segment& s) { return s.aperture; }) != 1) {
    throw OsError("the driver must report exactly one aperture segment");
  }
  for (const LevelDescriptor& level : caps_.geometry.levels) {
    for (unsigned id : {level.segment, level.paging_segment}) {
      if (id != 0 && !segment(id).cpu_visible) {
        throw BugCheck("page tables in a segment that the CPU cannot reach");  // Windows: 0x10E
      }
    }
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

void Adapter::Stop() {
  for (Segment& segment : segments_) {
    if (segment.cpu_view != nullptr) kernel_.mmio().Unmap(segment.cpu_view);
    segment.cpu_view = nullptr;
  }
  NTSTATUS status =
      driver_.DxgkDdiSetPowerState(device_context_, 0, PowerDeviceD3, PowerActionShutdownOff);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiSetPowerState", status);
  status = driver_.DxgkDdiStopDevice(device_context_);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiStopDevice", status);
  kernel_.pci().DisableMsi(function_);
  kernel_.pci().SetBusMaster(function_, false);
  kernel_.hal().DisconnectInterrupt(message_);
  const uint64_t before = Traffic();
  if (domain_ != nullptr) kernel_.iommu()->Detach(function_.bdf, *domain_);
  if (Traffic() != before)
    throw OsError("the device used the bus while its IOMMU domain was detached");
  objects_.RemoveAdapter(handle());
  status = driver_.DxgkDdiRemoveDevice(device_context_);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiRemoveDevice", status);
  if (domain_ != nullptr) {
    kernel_.iommu()->DestroyDomain(domain_);
    domain_ = nullptr;
    kernel_.iommu()->Disable();
  }
  if (driver_.DxgkDdiUnload != nullptr) driver_.DxgkDdiUnload();
  kernel_.pci().PowerOff(function_);
}

void Adapter::QueueDpc() {
  if (dpc_queued_) return;
  dpc_queued_ = true;
  kernel_.scheduler().QueueDpc([this] {
    dpc_queued_ = false;
    driver_.DxgkDdiDpcRoutine(device_context_);
  });
}

ProcessHandles Adapter::CreateProcess(const std::string& name, bool system) {
  ProcessHandles handles;
  handles.dxgk_process = reinterpret_cast<HANDLE>(uint64_t{0xFFFF9000} << 32 | next_handle_++ << 4);
  DXGKARG_CREATEPROCESS process{};
  process.hDxgkProcess = handles.dxgk_process;
  process.Flags.SystemProcess = system;
  NTSTATUS status = driver_.DxgkDdiCreateProcess(device_context_, &process);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiCreateProcess for " + name, status);
  handles.process = process.hKmdProcess;
  handles.process_ticket =
      kernel_.ledger().Open("process", name, "dxgkrnl", "DxgkDdiCreateProcess");

  DXGKARG_CREATEDEVICE device{};
  device.hDevice = reinterpret_cast<HANDLE>(uint64_t{0xFFFF9001} << 32 | next_handle_++ << 4);
  device.Flags.SystemDevice = system;
  device.hKmdProcess = handles.process;
  status = driver_.DxgkDdiCreateDevice(device_context_, &device);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiCreateDevice for " + name, status);
  handles.device = device.hDevice;
  handles.device_ticket = kernel_.ledger().Open("device", name, "dxgkrnl", "DxgkDdiCreateDevice");

  DXGKARG_CREATECONTEXT context{};
  context.hContext = reinterpret_cast<HANDLE>(uint64_t{0xFFFF9002} << 32 | next_handle_++ << 4);
  context.NodeOrdinal = system ? caps_.paging_node : 0;
  context.EngineAffinity = 1;
  context.Flags.SystemContext = system;
  context.Flags.VirtualAddressing = 1;
  status = driver_.DxgkDdiCreateContext(handles.device, &context);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiCreateContext for " + name, status);
  handles.context = context.hContext;
  handles.context_ticket =
      kernel_.ledger().Open("context", name, "dxgkrnl", "DxgkDdiCreateContext");
  return handles;
}

void Adapter::DestroyProcess(ProcessHandles& handles) {
  // A leaked handle takes those that it lives in with it.
  if (kernel_.LeakNow("context")) return;
  driver_.DxgkDdiDestroyContext(handles.context);
  kernel_.ledger().Close(handles.context_ticket);
  if (kernel_.LeakNow("device")) return;
  driver_.DxgkDdiDestroyDevice(handles.device);
  kernel_.ledger().Close(handles.device_ticket);
  if (kernel_.LeakNow("process")) return;
  driver_.DxgkDdiDestroyProcess(device_context_, handles.process);
  kernel_.ledger().Close(handles.process_ticket);
  handles = {};
}

std::pair<uint64_t, uint64_t> Adapter::RootPageTableSize(uint64_t entries) {
  DXGKARG_GETROOTPAGETABLESIZE args{static_cast<UINT>(entries), kPhysicalAdapter};
  const uint64_t bytes = driver_.DxgkDdiGetRootPageTableSize(device_context_, &args);
  if (args.NumberOfPte < entries || bytes == 0) {
    throw BugCheck("the driver's root page table of " + std::to_string(bytes) +
                   " bytes is too small");
  }
  return {args.NumberOfPte, bytes};
}

void Adapter::SetRootPageTable(HANDLE context, const D3DGPU_PHYSICAL_ADDRESS& root,
                               uint64_t entries) {
  DXGKARG_SETROOTPAGETABLE args{};
  args.hContext = context;
  args.Address = root;
  args.NumEntries = static_cast<UINT>(entries);
  driver_.DxgkDdiSetRootPageTable(device_context_, &args);
}

HANDLE Adapter::CreateAllocation(uint64_t bytes, const std::string& name, Ledger::Ticket& ticket) {
  kmd::AllocationData data;
  data.bytes = bytes;
  data.accessed_physically = 1;
  DXGK_ALLOCATIONINFO info{};
  info.pPrivateDriverData = &data;
  info.PrivateDriverDataSize = sizeof data;
  DXGKARG_CREATEALLOCATION args{};
  args.NumAllocations = 1;
  args.pAllocationInfo = &info;
  const NTSTATUS status = driver_.DxgkDdiCreateAllocation(device_context_, &args);
  if (!NT_SUCCESS(status)) Refused("DxgkDdiCreateAllocation of " + name, status);
  if (info.Size < bytes)
    throw BugCheck("the driver made allocation " + name + " smaller than asked");
  ticket = kernel_.ledger().Open("allocation", name, "application", "DxgkDdiCreateAllocation");
  return info.hAllocation;
}

void Adapter::DestroyAllocation(HANDLE allocation, Ledger::Ticket ticket) {
  if (kernel_.LeakNow("allocation")) return;
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = 1;
  args.pAllocationList = &allocation;
  driver_.DxgkDdiDestroyAllocation(device_context_, &args);
  kernel_.ledger().Close(ticket);
}

NTSTATUS Adapter::BuildPagingBuffer(DXGKARG_BUILDPAGINGBUFFER& args) {
  return driver_.DxgkDdiBuildPagingBuffer(device_context_, &args);
}

void Adapter::SubmitPaging(HANDLE context, uint64_t address, uint64_t bytes, void* private_data,
                           uint64_t private_bytes, uint32_t fence) {
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  args.hContext = context;
  args.DmaBufferVirtualAddress = address;
  args.DmaBufferSize = static_cast<UINT>(bytes);
  args.pDmaBufferPrivateData = private_data;
  args.DmaBufferPrivateDataSize = static_cast<UINT>(private_bytes);
  args.SubmissionFenceId = fence;
  args.Flags.Paging = 1;
  args.NodeOrdinal = caps_.paging_node;
  const NTSTATUS status = driver_.DxgkDdiSubmitCommandVirtual(device_context_, &args);
  if (!NT_SUCCESS(status)) {
    throw BugCheck("DxgkDdiSubmitCommandVirtual failed with status " +
                   Hex(static_cast<uint32_t>(status)));
  }
}

NTSTATUS Adapter::Escape(void* data, size_t bytes) {
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = data;
  args.PrivateDriverDataSize = static_cast<UINT>(bytes);
  return driver_.DxgkDdiEscape(device_context_, &args);
}

}  // namespace gmmu::os
