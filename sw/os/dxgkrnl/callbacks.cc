// SPDX-License-Identifier: Apache-2.0
// The callbacks that a display driver gets from StartDevice, and DxgkInitialize.
#include <cstring>

#include "ddi/dispmprt.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/scheduler.h"
#include "os/memory/frame_buffer.h"
#include "os/memory/isolation_memory.h"
#include "os/kernel/kernel.h"
#include "os/vidsch/vidsch.h"
#include "os/dxgkrnl/driver_requests.h"

namespace gmmu::os {
namespace {

constexpr char kDriver[] = "driver";

NTSTATUS GetDeviceInformation(HANDLE device, PDXGK_DEVICE_INFO info) {
  return Dxgkrnl::Current().FromHandle(device).FillDeviceInformation(*info);
}

NTSTATUS MapMemory(HANDLE device, PHYSICAL_ADDRESS address, ULONG length, BOOLEAN in_io_space, BOOLEAN to_user,
                   MEMORY_CACHING_TYPE, PVOID* pointer) {
  PhysicalAdapter& adapter = Dxgkrnl::Current().FromHandle(device);
  *pointer = nullptr;
  if (in_io_space || to_user || length == 0) return STATUS_INVALID_PARAMETER;
  const uint64_t start = static_cast<uint64_t>(address.QuadPart);
  for (const Bar& bar : adapter.function().bars) {
    if (bar.size == 0 || start < bar.address || start - bar.address >= bar.size) continue;
    if (length > bar.size - (start - bar.address)) return STATUS_INVALID_PARAMETER;
    *pointer = adapter.kernel().mmio().Map(start, length, kDriver, "DxgkCbMapMemory");
    return *pointer == nullptr ? STATUS_INSUFFICIENT_RESOURCES : STATUS_SUCCESS;
  }
  return STATUS_INVALID_PARAMETER;  // not this device's
}

NTSTATUS UnmapMemory(HANDLE device, PVOID pointer) {
  Dxgkrnl::Current().FromHandle(device).kernel().mmio().Unmap(pointer);
  return STATUS_SUCCESS;
}

BOOLEAN QueueDpc(HANDLE device) {
  Dxgkrnl::Current().FromHandle(device).QueueDpc();
  return TRUE;
}

NTSTATUS SynchronizeExecution(HANDLE device, PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG, BOOLEAN* result) {
  Scheduler& scheduler = Dxgkrnl::Current().FromHandle(device).kernel().scheduler();
  const Irql old = scheduler.Raise(kDevice);
  const BOOLEAN value = routine(context);
  if (result != nullptr) *result = value;
  scheduler.Lower(old);
  return STATUS_SUCCESS;
}

NTSTATUS ReadDeviceSpace(HANDLE device, ULONG type, PVOID buffer, ULONG offset, ULONG length, ULONG* done) {
  PhysicalAdapter& adapter = Dxgkrnl::Current().FromHandle(device);
  *done = 0;
  if (type != DXGK_WHICHSPACE_CONFIG || offset > 256 || length > 256 - offset) return STATUS_INVALID_PARAMETER;
  for (ULONG i = 0; i < length; ++i) {
    static_cast<uint8_t*>(buffer)[i] = static_cast<uint8_t>(
        adapter.kernel().hal().ConfigRead(adapter.function().bdf, static_cast<uint16_t>(offset + i), 1));
  }
  *done = length;
  return STATUS_SUCCESS;
}

NTSTATUS WriteDeviceSpace(HANDLE device, ULONG type, PVOID buffer, ULONG offset, ULONG length, ULONG* done) {
  PhysicalAdapter& adapter = Dxgkrnl::Current().FromHandle(device);
  *done = 0;
  if (type != DXGK_WHICHSPACE_CONFIG || offset > 256 || length > 256 - offset) return STATUS_INVALID_PARAMETER;
  for (ULONG i = 0; i < length; ++i) {
    adapter.kernel().hal().ConfigWrite(adapter.function().bdf, static_cast<uint16_t>(offset + i), 1,
                                       static_cast<uint8_t*>(buffer)[i]);
  }
  *done = length;
  return STATUS_SUCCESS;
}

void NotifyInterrupt(HANDLE device, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  Dxgkrnl::Current().FromHandle(device).vidsch().OnInterrupt(*data);
}

void NotifyDpc(HANDLE device) { Dxgkrnl::Current().FromHandle(device).vidsch().OnDpc(); }

// What a memory callback answers for `status` (docs/ddi/statuses.md).
NTSTATUS Answer(NTSTATUS status) {
  const bool one = Dxgkrnl::Current().kernel().parameters().one_failure_status;
  return one && !NT_SUCCESS(status) ? STATUS_UNSUCCESSFUL : status;
}

NTSTATUS CreateObject(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT* args) {
  return Answer(Dxgkrnl::Current().objects().Create(*args, kDriver));
}
void DestroyObject(CONST DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT* args) {
  Dxgkrnl::Current().objects().Destroy(*args);
}
NTSTATUS OpenObject(DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT* args) {
  return Answer(Dxgkrnl::Current().objects().Open(*args, kDriver));
}
void CloseObject(CONST DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT* args) { Dxgkrnl::Current().objects().Close(*args); }
NTSTATUS AllocateAdl(DXGKARGCB_ALLOCATE_ADL* args) {
  return Answer(Dxgkrnl::Current().objects().AllocateAdl(*args, kDriver));
}
void FreeAdl(CONST DXGKARGCB_FREE_ADL* args) { Dxgkrnl::Current().objects().FreeAdl(*args); }
NTSTATUS MapObject(DXGKARGCB_MAP_PHYSICAL_MEMORY* args) {
  return Answer(Dxgkrnl::Current().objects().Map(*args, kDriver));
}
void UnmapObject(CONST DXGKARGCB_UNMAP_PHYSICAL_MEMORY* args) { Dxgkrnl::Current().objects().Unmap(*args); }

IsolationMemory& Isolation(HANDLE device) {
  return Dxgkrnl::Current().FromHandle(device).logical().dxgkrnl().isolation_memory();
}

NTSTATUS AllocateContiguousMemory(HANDLE device, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY* args) {
  return Answer(Isolation(device).AllocateContiguous(device, *args));
}
NTSTATUS FreeContiguousMemory(HANDLE device, CONST DXGKARGCB_FREECONTIGUOUSMEMORY* args) {
  return Answer(Isolation(device).FreeContiguous(device, *args));
}
NTSTATUS AllocatePagesForMdl(HANDLE device, DXGKARGCB_ALLOCATEPAGESFORMDL* args) {
  return Answer(Isolation(device).AllocatePagesForMdl(device, *args));
}
NTSTATUS FreePagesFromMdl(HANDLE device, CONST DXGKARGCB_FREEPAGESFROMMDL* args) {
  return Answer(Isolation(device).FreePagesFromMdl(device, *args));
}
// hAdapter is the lead's, as for the frame buffer.
NTSTATUS MapMdlToIoMmu(HANDLE device, DXGKARGCB_MAPMDLTOIOMMU* args) {
  if (device != Dxgkrnl::Current().FromHandle(device).logical().handle()) return Answer(STATUS_INVALID_PARAMETER);
  return Answer(Isolation(device).MapMdl(device, *args));
}
void UnmapMdlFromIoMmu(HANDLE device, CONST DXGKARGCB_UNMAPMDLFROMIOMMU* args) {
  Isolation(device).UnmapMdl(device, *args);
}

DriverRequests& Requests(HANDLE device) { return Dxgkrnl::Current().FromHandle(device).logical().driver_requests(); }

NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  return Requests(args->hAdapter).CreateContextAllocation(*args);
}
NTSTATUS DestroyContextAllocation(HANDLE device, HANDLE allocation) {
  return Requests(device).DestroyContextAllocation(allocation);
}
D3DGPU_VIRTUAL_ADDRESS MapContextAllocation(HANDLE device, CONST DXGKARGCB_MAPCONTEXTALLOCATION* args) {
  return Requests(device).MapContextAllocation(*args);
}
NTSTATUS UpdateContextAllocation(HANDLE device, CONST DXGKARGCB_UPDATECONTEXTALLOCATION* args) {
  return Requests(device).UpdateContextAllocation(*args);
}
NTSTATUS ReserveGpuVirtualAddressRange(HANDLE device, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE* args) {
  return Requests(device).ReserveVaRange(*args);
}

FrameBuffer& Saved(HANDLE device) { return Dxgkrnl::Current().FromHandle(device).logical().dxgkrnl().frame_buffer(); }

NTSTATUS PinFrameBufferForSave(HANDLE device, DXGKARGCB_PINFRAMEBUFFERFORSAVE* args) {
  return Answer(Saved(device).Pin(device, *args));
}
NTSTATUS PinFrameBufferForSave2(HANDLE device, DXGKARGCB_PINFRAMEBUFFERFORSAVE2* args) {
  return Answer(Saved(device).Pin2(device, *args));
}
NTSTATUS UnpinFrameBufferForSave(HANDLE device, CONST DXGKARGCB_UNPINFRAMEBUFFERFORSAVE* args) {
  return Answer(Saved(device).Unpin(device, *args));
}
NTSTATUS MapFrameBufferPointer(HANDLE device, DXGKARGCB_MAPFRAMEBUFFERPOINTER* args) {
  return Answer(Saved(device).MapWindow(device, *args));
}
NTSTATUS UnmapFrameBufferPointer(HANDLE device, CONST DXGKARGCB_UNMAPFRAMEBUFFERPOINTER* args) {
  return Answer(Saved(device).UnmapWindow(device, *args));
}

}  // namespace

UINT KernelTableBytes(ULONG driver_version) {
  if (driver_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_8) return sizeof(DXGKRNL_INTERFACE);
  return driver_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0 ? 0x138 : 0x100;
}

DXGKRNL_INTERFACE MakeInterface(PhysicalAdapter& adapter) {
  DXGKRNL_INTERFACE table;
  std::memset(&table, 0, sizeof table);
  table.Version = DXGKDDI_INTERFACE_VERSION;
  table.DeviceHandle = adapter.handle();
  table.DxgkCbGetDeviceInformation = GetDeviceInformation;
  table.DxgkCbMapMemory = MapMemory;
  table.DxgkCbUnmapMemory = UnmapMemory;
  table.DxgkCbQueueDpc = QueueDpc;
  table.DxgkCbReadDeviceSpace = ReadDeviceSpace;
  table.DxgkCbWriteDeviceSpace = WriteDeviceSpace;
  table.DxgkCbSynchronizeExecution = SynchronizeExecution;
  table.DxgkCbNotifyInterrupt = NotifyInterrupt;
  table.DxgkCbNotifyDpc = NotifyDpc;
  table.DxgkCbCreateContextAllocation = CreateContextAllocation;
  table.DxgkCbDestroyContextAllocation = DestroyContextAllocation;
  table.DxgkCbMapContextAllocation = MapContextAllocation;
  table.DxgkCbUpdateContextAllocation = UpdateContextAllocation;
  table.DxgkCbReserveGpuVirtualAddressRange = ReserveGpuVirtualAddressRange;
  table.DxgkCbAllocateContiguousMemory = AllocateContiguousMemory;
  table.DxgkCbFreeContiguousMemory = FreeContiguousMemory;
  table.DxgkCbAllocatePagesForMdl = AllocatePagesForMdl;
  table.DxgkCbFreePagesFromMdl = FreePagesFromMdl;
  table.DxgkCbPinFrameBufferForSave = PinFrameBufferForSave;
  table.DxgkCbPinFrameBufferForSave2 = PinFrameBufferForSave2;
  table.DxgkCbUnpinFrameBufferForSave = UnpinFrameBufferForSave;
  table.DxgkCbMapFrameBufferPointer = MapFrameBufferPointer;
  table.DxgkCbUnmapFrameBufferPointer = UnmapFrameBufferPointer;
  table.DxgkCbMapMdlToIoMmu = MapMdlToIoMmu;
  table.DxgkCbUnmapMdlFromIoMmu = UnmapMdlFromIoMmu;
  table.DxgkCbCreatePhysicalMemoryObject = CreateObject;
  table.DxgkCbDestroyPhysicalMemoryObject = DestroyObject;
  table.DxgkCbOpenPhysicalMemoryObject = OpenObject;
  table.DxgkCbClosePhysicalMemoryObject = CloseObject;
  table.DxgkCbAllocateAdl = AllocateAdl;
  table.DxgkCbFreeAdl = FreeAdl;
  table.DxgkCbMapPhysicalMemory = MapObject;
  table.DxgkCbUnmapPhysicalMemory = UnmapObject;
  table.Size = KernelTableBytes(adapter.miniport().table().Version);
  std::memset(reinterpret_cast<uint8_t*>(&table) + table.Size, 0, sizeof table - table.Size);
  return table;
}

}  // namespace gmmu::os

extern "C" NTSTATUS DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                   PDRIVER_INITIALIZATION_DATA DriverInitializationData) {
  UNREFERENCED_PARAMETER(DriverObject);
  UNREFERENCED_PARAMETER(RegistryPath);
  if (DriverInitializationData == nullptr) return STATUS_INVALID_PARAMETER;
  gmmu::os::Dxgkrnl::Current().OnDriverTable(*DriverInitializationData);
  return STATUS_SUCCESS;
}
