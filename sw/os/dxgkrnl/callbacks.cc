// SPDX-License-Identifier: Apache-2.0
// Implements DxgkInitialize and the callbacks that DxgkDdiStartDevice passes to a display driver.
#include <cstring>
#include <type_traits>
#include <utility>

#include "ddi/dispmprt.h"
#include "os/dxgkrnl/allocation_handles.h"
#include "os/dxgkrnl/driver_requests.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/missing_callbacks.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/ddi_trace.h"
#include "os/kernel/kernel.h"
#include "os/threads/scheduler.h"
#include "os/memory/frame_buffer.h"
#include "os/memory/isolation_memory.h"
#include "os/memory/memory_objects.h"
#include "os/miniport/driver_calls.h"
#include "os/miniport/interface_version.h"
#include "os/miniport/miniport.h"
#include "os/vidsch/vidsch.h"

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
  if (in_io_space || length == 0) return STATUS_INVALID_PARAMETER;
  // The system process (0) has no user addresses.
  if (to_user && adapter.kernel().scheduler().process() == 0) return STATUS_INVALID_PARAMETER;
  const uint64_t start = static_cast<uint64_t>(address.QuadPart);
  for (const Bar& bar : adapter.function().bars) {
    if (bar.size == 0 || start < bar.address || start - bar.address >= bar.size) continue;
    if (length > bar.size - (start - bar.address)) return STATUS_INVALID_PARAMETER;
    *pointer = adapter.kernel().mmio().Map(start, length, kDriver, "DxgkCbMapMemory", to_user);
    return *pointer == nullptr ? STATUS_INSUFFICIENT_RESOURCES : STATUS_SUCCESS;
  }
  return STATUS_INVALID_PARAMETER;  // the address is not in a BAR of the device
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
  PhysicalAdapter& adapter = Dxgkrnl::Current().FromHandle(device);
  Scheduler& scheduler = adapter.kernel().scheduler();
  const bool value = adapter.miniport().driver().Synchronize(adapter.unit(), [&] {
    scheduler.EnterDriver(true);
    scheduler.Preempt();
    const BOOLEAN answer = routine(context);
    scheduler.EnterDriver(false);
    return answer != FALSE;
  });
  if (result != nullptr) *result = value;
  return STATUS_SUCCESS;
}

/// Calls `access(index, offset)` for each byte of a range in the configuration space.
template <typename Access>
NTSTATUS OnDeviceSpace(ULONG type, ULONG offset, ULONG length, ULONG* done, const Access& access) {
  *done = 0;
  if (type != DXGK_WHICHSPACE_CONFIG || offset > 256 || length > 256 - offset) return STATUS_INVALID_PARAMETER;
  for (ULONG i = 0; i < length; ++i) access(i, static_cast<uint16_t>(offset + i));
  *done = length;
  return STATUS_SUCCESS;
}

NTSTATUS ReadDeviceSpace(HANDLE device, ULONG type, PVOID buffer, ULONG offset, ULONG length, ULONG* done) {
  PhysicalAdapter& adapter = Dxgkrnl::Current().FromHandle(device);
  return OnDeviceSpace(type, offset, length, done, [&](ULONG i, uint16_t at) {
    static_cast<uint8_t*>(buffer)[i] =
        static_cast<uint8_t>(adapter.kernel().hal().ConfigRead(adapter.function().bdf, at, 1));
  });
}

NTSTATUS WriteDeviceSpace(HANDLE device, ULONG type, PVOID buffer, ULONG offset, ULONG length, ULONG* done) {
  PhysicalAdapter& adapter = Dxgkrnl::Current().FromHandle(device);
  return OnDeviceSpace(type, offset, length, done, [&](ULONG i, uint16_t at) {
    adapter.kernel().hal().ConfigWrite(adapter.function().bdf, at, 1, static_cast<uint8_t*>(buffer)[i]);
  });
}

// Notifying is a release operation for race detection: the driver's earlier accesses happen before
// the calls that result from the notification, even if another thread makes such a call
// immediately.
void NotifyInterrupt(HANDLE device, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  PhysicalAdapter& adapter = Dxgkrnl::Current().FromHandle(device);
  adapter.kernel().races().Tell();
  adapter.vidsch().OnInterrupt(*data);
}

void NotifyDpc(HANDLE device) { Dxgkrnl::Current().FromHandle(device).vidsch().OnDpc(); }

// Converts `status` to the status that the memory callbacks return (docs/ddi/statuses.md).
NTSTATUS Answer(NTSTATUS status) {
  const bool one = Dxgkrnl::Current().kernel().parameters().one_failure_status;
  return one && !NT_SUCCESS(status) ? STATUS_UNSUCCESSFUL : status;
}

// The callbacks below call a method of MemoryObjects, IsolationMemory, FrameBuffer or the memory
// manager.
template <auto kMethod, typename Args>
NTSTATUS ObjectCall(Args* args) {
  return Answer((Dxgkrnl::Current().objects().*kMethod)(*args, kDriver));
}
template <auto kMethod, typename Args>
void ObjectEnd(Args* args) {
  (Dxgkrnl::Current().objects().*kMethod)(*args);
}

NTSTATUS MapPhysicalMemory(DXGKARGCB_MAP_PHYSICAL_MEMORY* args) {
  const NTSTATUS status = ObjectCall<&MemoryObjects::Map>(args);
  if (NT_SUCCESS(status))
    Kernel::Current().races().AddMemory(args->pMappedAddress, args->Size, "view of a memory object");
  return status;
}
void UnmapPhysicalMemory(CONST DXGKARGCB_UNMAP_PHYSICAL_MEMORY* args) {
  Kernel::Current().races().RemoveMemory(args->pBaseAddress);
  ObjectEnd<&MemoryObjects::Unmap>(args);
}

IsolationMemory& Isolation(HANDLE device) {
  return Dxgkrnl::Current().FromHandle(device).logical().dxgkrnl().isolation_memory();
}

template <auto kMethod, typename Args>
NTSTATUS IsolationCall(HANDLE device, Args* args) {
  return Answer((Isolation(device).*kMethod)(device, *args));
}
// hAdapter must be the lead adapter's handle, as for the frame buffer callbacks.
NTSTATUS MapMdlToIoMmu(HANDLE device, DXGKARGCB_MAPMDLTOIOMMU* args) {
  if (device != Dxgkrnl::Current().FromHandle(device).logical().handle()) return Answer(STATUS_INVALID_PARAMETER);
  return IsolationCall<&IsolationMemory::MapMdl>(device, args);
}
void UnmapMdlFromIoMmu(HANDLE device, CONST DXGKARGCB_UNMAPMDLFROMIOMMU* args) {
  Isolation(device).UnmapMdl(device, *args);
}

PVOID GetHandleData(CONST DXGKARGCB_GETHANDLEDATA* args) { return Dxgkrnl::Current().allocation_handles().Data(*args); }
PVOID AcquireHandleData(CONST DXGKARGCB_GETHANDLEDATA* args, DXGKARG_RELEASE_HANDLE* release) {
  return Dxgkrnl::Current().allocation_handles().Acquire(*args, *release);
}
void ReleaseHandleData(CONST DXGKARGCB_RELEASEHANDLEDATA args) {
  Dxgkrnl::Current().allocation_handles().Release(args.ReleaseHandle);
}

DriverRequests& Requests(HANDLE device) { return Dxgkrnl::Current().FromHandle(device).logical().driver_requests(); }

NTSTATUS CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  return Requests(args->hAdapter).CreateContextAllocation(*args);
}
NTSTATUS DestroyContextAllocation(HANDLE device, HANDLE allocation) {
  return Requests(device).DestroyContextAllocation(allocation);
}
template <auto kMethod, typename Result, typename Args>
Result Request(HANDLE device, Args* args) {
  return (Requests(device).*kMethod)(*args);
}

FrameBuffer& Saved(HANDLE device) { return Dxgkrnl::Current().FromHandle(device).logical().dxgkrnl().frame_buffer(); }

template <auto kMethod, typename Args>
NTSTATUS FrameBufferCall(HANDLE device, Args* args) {
  return Answer((Saved(device).*kMethod)(device, *args));
}

/// Wraps a callback for the driver. A call at an IRQL that the callback does not permit triggers a
/// bug check. During the call, the thread counts as outside the driver; it may be preempted before
/// and after the call. The call is traced, and an injected fault can make it fail.
template <auto kMember>
struct Seam;
template <typename Result, typename... Args, Result (*DXGKRNL_INTERFACE::*kMember)(Args...)>
struct Seam<kMember> {
  /// `may_fail`: an injected fault can make the callback fail. Drivers may call it at IRQLs from
  /// `lowest` to `highest`.
  static void Put(DXGKRNL_INTERFACE& table, const char* name, bool may_fail, Irql highest, Irql lowest = kPassive) {
    callback = std::exchange(table.*kMember, Call);
    callback_name = name;
    can_fail = may_fail;
    highest_irql = highest;
    lowest_irql = lowest;
  }

  static Result Call(Args... args) {
    Kernel& kernel = Kernel::Current();
    kernel.races().Check();
    kernel.scheduler().Preempt();
    DdiTrace::Call traced(kernel.ddi_trace(), callback_name, args...);
    kernel.scheduler().RequireIrql(callback_name, highest_irql, lowest_irql);
    if constexpr (std::is_void_v<Result>) {
      Outside(kernel, args...);
      traced.Returned(args...);
      kernel.scheduler().Preempt();
    } else {
      const bool refused = can_fail && kernel.refusals().Callback(callback_name);
      const Result result = refused ? Refusal() : Outside(kernel, args...);
      traced.Answered(result, args...);
      kernel.scheduler().Preempt();
      return result;
    }
  }

 private:
  /// If an injected fault makes a callback fail that does not return an NTSTATUS, the callback
  /// returns 0.
  static Result Refusal() {
    if constexpr (std::is_same_v<Result, NTSTATUS>) return Answer(STATUS_NO_MEMORY);
    else return Result{};
  }
  static Result Outside(Kernel& kernel, Args... args) {
    struct Leave {
      ~Leave() { scheduler.EnterDriver(before); }
      Scheduler& scheduler;
      const bool before;
    } const leave{kernel.scheduler(), kernel.scheduler().EnterDriver(false)};
    kernel.Happened(callback_name);
    return callback(args...);
  }
  static inline Result (*callback)(Args...) = nullptr;
  static inline const char* callback_name = nullptr;
  static inline bool can_fail = false;
  static inline Irql highest_irql = kHigh, lowest_irql = kPassive;
};

/// FAILS marks callbacks that an injected fault can make fail. HOLDS marks callbacks that free or
/// notify, which cannot fail. The IRQLs are those on the callbacks' reference pages. Memory
/// callbacks, including those of GPU isolation, are the exception: their pages permit only
/// PASSIVE_LEVEL, but the driver design guide permits APC_LEVEL, and the model follows the guide.
void PutSeams(DXGKRNL_INTERFACE& table) {
#define FAILS(name, ...) Seam<&DXGKRNL_INTERFACE::name>::Put(table, #name, true, __VA_ARGS__)
#define HOLDS(name, ...) Seam<&DXGKRNL_INTERFACE::name>::Put(table, #name, false, __VA_ARGS__)
  FAILS(DxgkCbGetDeviceInformation, kPassive);
  FAILS(DxgkCbMapMemory, kPassive);
  HOLDS(DxgkCbUnmapMemory, kPassive);
  HOLDS(DxgkCbQueueDpc, kHigh);
  FAILS(DxgkCbReadDeviceSpace, kPassive);
  FAILS(DxgkCbWriteDeviceSpace, kPassive);
  HOLDS(DxgkCbSynchronizeExecution, kDispatch);
  HOLDS(DxgkCbNotifyInterrupt, kDevice, kDevice);
  HOLDS(DxgkCbNotifyDpc, kDispatch, kDispatch);
  HOLDS(DxgkCbGetHandleData, kApc);
  HOLDS(DxgkCbAcquireHandleData, kApc);
  HOLDS(DxgkCbReleaseHandleData, kApc);
  FAILS(DxgkCbCreateContextAllocation, kPassive);
  HOLDS(DxgkCbDestroyContextAllocation, kPassive);
  FAILS(DxgkCbMapContextAllocation, kPassive);
  FAILS(DxgkCbUpdateContextAllocation, kPassive);
  FAILS(DxgkCbReserveGpuVirtualAddressRange, kPassive);
  FAILS(DxgkCbAllocateContiguousMemory, kApc);
  HOLDS(DxgkCbFreeContiguousMemory, kApc);
  FAILS(DxgkCbAllocatePagesForMdl, kApc);
  HOLDS(DxgkCbFreePagesFromMdl, kApc);
  FAILS(DxgkCbPinFrameBufferForSave, kApc);
  FAILS(DxgkCbPinFrameBufferForSave2, kApc);
  HOLDS(DxgkCbUnpinFrameBufferForSave, kApc);
  FAILS(DxgkCbMapFrameBufferPointer, kApc);
  HOLDS(DxgkCbUnmapFrameBufferPointer, kApc);
  FAILS(DxgkCbMapMdlToIoMmu, kApc);
  HOLDS(DxgkCbUnmapMdlFromIoMmu, kApc);
  FAILS(DxgkCbCreatePhysicalMemoryObject, kApc);
  HOLDS(DxgkCbDestroyPhysicalMemoryObject, kApc);
  FAILS(DxgkCbOpenPhysicalMemoryObject, kApc);
  HOLDS(DxgkCbClosePhysicalMemoryObject, kApc);
  FAILS(DxgkCbAllocateAdl, kApc);
  HOLDS(DxgkCbFreeAdl, kApc);
  FAILS(DxgkCbMapPhysicalMemory, kApc);
  HOLDS(DxgkCbUnmapPhysicalMemory, kApc);
#undef FAILS
#undef HOLDS
}

}  // namespace

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
  table.DxgkCbGetHandleData = GetHandleData;
  table.DxgkCbAcquireHandleData = AcquireHandleData;
  table.DxgkCbReleaseHandleData = ReleaseHandleData;
  table.DxgkCbCreateContextAllocation = CreateContextAllocation;
  table.DxgkCbDestroyContextAllocation = DestroyContextAllocation;
  table.DxgkCbMapContextAllocation = Request<&DriverRequests::MapContextAllocation>;
  table.DxgkCbUpdateContextAllocation = Request<&DriverRequests::UpdateContextAllocation>;
  table.DxgkCbReserveGpuVirtualAddressRange = Request<&DriverRequests::ReserveVaRange>;
  table.DxgkCbAllocateContiguousMemory = IsolationCall<&IsolationMemory::AllocateContiguous>;
  table.DxgkCbFreeContiguousMemory = IsolationCall<&IsolationMemory::FreeContiguous>;
  table.DxgkCbAllocatePagesForMdl = IsolationCall<&IsolationMemory::AllocatePagesForMdl>;
  table.DxgkCbFreePagesFromMdl = IsolationCall<&IsolationMemory::FreePagesFromMdl>;
  table.DxgkCbPinFrameBufferForSave = FrameBufferCall<&FrameBuffer::Pin>;
  table.DxgkCbPinFrameBufferForSave2 = FrameBufferCall<&FrameBuffer::Pin2>;
  table.DxgkCbUnpinFrameBufferForSave = FrameBufferCall<&FrameBuffer::Unpin>;
  table.DxgkCbMapFrameBufferPointer = FrameBufferCall<&FrameBuffer::MapWindow>;
  table.DxgkCbUnmapFrameBufferPointer = FrameBufferCall<&FrameBuffer::UnmapWindow>;
  table.DxgkCbMapMdlToIoMmu = MapMdlToIoMmu;
  table.DxgkCbUnmapMdlFromIoMmu = UnmapMdlFromIoMmu;
  table.DxgkCbCreatePhysicalMemoryObject = ObjectCall<&MemoryObjects::Create>;
  table.DxgkCbDestroyPhysicalMemoryObject = ObjectEnd<&MemoryObjects::Destroy>;
  table.DxgkCbOpenPhysicalMemoryObject = ObjectCall<&MemoryObjects::Open>;
  table.DxgkCbClosePhysicalMemoryObject = ObjectEnd<&MemoryObjects::Close>;
  table.DxgkCbAllocateAdl = ObjectCall<&MemoryObjects::AllocateAdl>;
  table.DxgkCbFreeAdl = ObjectEnd<&MemoryObjects::FreeAdl>;
  table.DxgkCbMapPhysicalMemory = MapPhysicalMemory;
  table.DxgkCbUnmapPhysicalMemory = UnmapPhysicalMemory;
  PutSeams(table);
  PutMissingCallbacks(table);
  const ULONG version = adapter.miniport().table().Version;
  const size_t known = KernelTableKnown(version);
  std::memset(reinterpret_cast<uint8_t*>(&table) + known, 0, sizeof table - known);
  table.Size = static_cast<ULONG>(KernelTableBytes(version));
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
