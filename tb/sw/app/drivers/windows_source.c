/* SPDX-License-Identifier: Apache-2.0 */
/* A driver's source as written for Windows, with the header names, annotations and argument types
 * of the Windows Driver Kit, and keywords of Microsoft's compiler. It is only compiled, as C11 and
 * as C++17 (tb/tools/check_of_driver_sources_test.py). */
#include <initguid.h>
#include <ntddk.h>
#include <ntintsafe.h>
#include <ntstrsafe.h>
#include <ntverp.h>
#include <windef.h>
#include <winerror.h>
#include <wingdi.h>
#include <winddi.h>
#include <ntddvdeo.h>
#ifdef __cplusplus
extern "C" {
#endif
#include <d3dkmthk.h>
#include <dispmprt.h>
#include <dxgiformat.h>
#include <d3d10umddi.h>
#include <d3d12umddi.h>
#include <WppRecorder.h>
#ifdef __cplusplus
}
#endif

#pragma warning(disable : 4201)
#define SOURCE_PAGED_BEGIN __pragma(code_seg(push)) __pragma(code_seg("PAGE"))
#define SOURCE_PAGED_END __pragma(code_seg(pop))
#define SOURCE_TAG 'crsG'

DEFINE_GUID(GUID_OF_THE_SOURCE, 0x12345678, 0x1234, 0x5678, 1, 2, 3, 4, 5, 6, 7, 8);

#include <pshpack1.h>
typedef struct _SOURCE_PACKED {
  UCHAR Kind;
  UINT64 UNALIGNED Address;
} SOURCE_PACKED;
#include <poppack.h>
C_ASSERT(sizeof(SOURCE_PACKED) == 9);
C_ASSERT(sizeof(L"ab") == 3 * sizeof(WCHAR));
C_ASSERT(sizeof(LONG) == 4 && sizeof(ULONG_PTR) == 8 && sizeof(unsigned __int64) == 8);

typedef struct _SOURCE_ADAPTER {
  DXGKRNL_INTERFACE Dxgkrnl;
  PDXGK_ADL Table;
  KDPC Dpc;
  KSPIN_LOCK Lock;
  LIST_ENTRY Queue;
  DECLSPEC_ALIGN(64) volatile LONG Count;
  UINT Level;
} SOURCE_ADAPTER;

__forceinline static SOURCE_ADAPTER* SourceOf(IN_CONST_HANDLE hAdapter) { return (SOURCE_ADAPTER*)hAdapter; }

_Use_decl_annotations_ static BOOLEAN __stdcall SourceInterrupt(IN_CONST_PVOID MiniportDeviceContext, IN_ULONG MessageNumber) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  SOURCE_ADAPTER* adapter = SourceOf(MiniportDeviceContext);
  UNREFERENCED_PARAMETER(MessageNumber);
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = (UINT)adapter->Count;
  data.Flags.Value = 0;
  adapter->Dxgkrnl.DxgkCbNotifyInterrupt(adapter->Dxgkrnl.DeviceHandle, &data);
  return adapter->Dxgkrnl.DxgkCbQueueDpc(adapter->Dxgkrnl.DeviceHandle);
}

static VOID CALLBACK SourceDeferred(struct _KDPC* Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
  UNREFERENCED_PARAMETER(Dpc);
  UNREFERENCED_PARAMETER(Argument1);
  UNREFERENCED_PARAMETER(Argument2);
  DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_TRACE_LEVEL, "%s\n", __FUNCTION__);
  ((SOURCE_ADAPTER*)Context)->Dxgkrnl.DxgkCbNotifyDpc(((SOURCE_ADAPTER*)Context)->Dxgkrnl.DeviceHandle);
}

SOURCE_PAGED_BEGIN;

_Check_return_ _IRQL_requires_(PASSIVE_LEVEL) static NTSTATUS
    SourceCreateAllocation(_In_ IN_CONST_HANDLE hAdapter, _Inout_ INOUT_PDXGKARG_CREATEALLOCATION pCreate) {
  DXGK_ALLOCATIONINFO* info = pCreate->pAllocationInfo;
  SIZE_T bytes = 0;
  PAGED_CODE();
  NT_ASSERT(SourceOf(hAdapter) != NULL);
  if (pCreate->Flags.Resource && !NT_SUCCESS(RtlSizeTMult(info->Size, 2, &bytes))) return STATUS_INVALID_PARAMETER;
  info->HintedBank.Value = 0;
  info->PreferredSegment.SegmentId0 = 1;
  info->MaximumRenamingListLength = 0;
  info->Flags.CpuVisible = TRUE;
  __try {
    RtlCopyMemory(info->pPrivateDriverData, pCreate->pPrivateDriverData, min(bytes, pCreate->PrivateDriverDataSize));
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return GetExceptionCode();
  }
  return STATUS_SUCCESS;
}

static NTSTATUS SourceDestroyAllocation(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_DESTROYALLOCATION pDestroy) {
  UNREFERENCED_PARAMETER(hAdapter);
  return pDestroy->Flags.DestroyResource ? STATUS_SUCCESS : STATUS_NOT_IMPLEMENTED;
}

static NTSTATUS SourceQuery(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO pQuery) {
  UNREFERENCED_PARAMETER(hAdapter);
  switch (pQuery->Type) {
    case DXGKQAITYPE_DRIVERCAPS: {
      DXGK_DRIVERCAPS* caps = (DXGK_DRIVERCAPS*)pQuery->pOutputData;
      caps->HighestAcceptableAddress.LowPart = 0xFFFFFFFF;
      caps->HighestAcceptableAddress.HighPart = -1;
      caps->PresentationCaps.SupportKernelModeCommandBuffer = FALSE;
      caps->FlipCaps.FlipOnVSyncMmIo = TRUE;
      caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_NONE;
      caps->MiscCaps.ComputeOnly = TRUE;
      caps->SupportNonVGA = TRUE;
      caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_QUERYSEGMENT3: {
      DXGK_QUERYSEGMENTOUT3* out = (DXGK_QUERYSEGMENTOUT3*)pQuery->pOutputData;
      if (out->pSegmentDescriptor) out->pSegmentDescriptor[0].Flags.CpuVisible = TRUE;
      return STATUS_SUCCESS;
    }
    default: return STATUS_NOT_SUPPORTED;
  }
}

static NTSTATUS SourceRender(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER pRender) {
  UNREFERENCED_PARAMETER(hContext);
  RtlCopyMemory(pRender->pDmaBuffer, pRender->pCommand, pRender->CommandLength);
  pRender->pPatchLocationListOut += pRender->PatchLocationListInSize;
  return pRender->DmaSize < pRender->CommandLength ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
}

static NTSTATUS SourceNode(IN_CONST_HANDLE hAdapter, UINT NodeOrdinal, OUT_PDXGKARG_GETNODEMETADATA pMetadata) {
  static const WCHAR name[] = L"copy";
  UNREFERENCED_PARAMETER(hAdapter);
  UNREFERENCED_PARAMETER(NodeOrdinal);
  pMetadata->EngineType = DXGK_ENGINE_TYPE_COPY;
  RtlCopyMemory(pMetadata->FriendlyName, name, sizeof(name));
  return RtlStringCbPrintfW(pMetadata->FriendlyName, sizeof(pMetadata->FriendlyName), L"node%d", (int)NodeOrdinal);
}

static DXGKDDI_RENDERGDI SourceRenderGdi;
_Use_decl_annotations_ static NTSTATUS APIENTRY SourceRenderGdi(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDERGDI pRenderGdi) {
  UNREFERENCED_PARAMETER(hContext);
  return pRenderGdi->DmaSize ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS SourceRegistry(PUNICODE_STRING Path) {
  OBJECT_ATTRIBUTES attributes;
  HANDLE key;
  ULONG length;
  DECLARE_CONST_UNICODE_STRING(value, L"Level");
  union {
    KEY_VALUE_PARTIAL_INFORMATION Partial;
    struct {
      ULONG TitleIndex, Type, DataLength, Data;
    } DUMMYSTRUCTNAME;
  } info;
  NTSTATUS status;
  InitializeObjectAttributes(&attributes, Path, OBJ_KERNEL_HANDLE, NULL, NULL);
  status = ZwOpenKey(&key, GENERIC_READ, &attributes);
  if (!NT_SUCCESS(status)) return status;
  status = ZwQueryValueKey(key, (PUNICODE_STRING)&value, KeyValuePartialInformation, &info.Partial, sizeof(info), &length);
  if (NT_SUCCESS(status) && info.Type != REG_DWORD) status = STATUS_OBJECT_TYPE_MISMATCH;
  ZwClose(key);
  return status;
}

SOURCE_PAGED_END;

#ifdef __cplusplus
class SourceEngine {
 public:
  virtual NTSTATUS Submit(IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmit) = NULL;
  static SourceEngine* Cast(HANDLE hAdapter) { return reinterpret_cast<SourceEngine*>(hAdapter); }
};
static NTSTATUS SourceSubmit(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmit) {
  return SourceEngine::Cast(hAdapter)->Submit(pSubmit);
}
extern "C"
#else
static NTSTATUS SourceSubmit(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmit) {
  return SourceOf(hAdapter)->Level == pSubmit->NodeOrdinal ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}
#endif
__declspec(dllexport) __control_entrypoint(DeviceDriver) NTSTATUS
    DriverEntry(__in IN PDRIVER_OBJECT DriverObject, __in IN PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA table;
  SOURCE_ADAPTER* adapter = (SOURCE_ADAPTER*)ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(SOURCE_ADAPTER), SOURCE_TAG);
  if (!adapter) return (NTSTATUS)E_OUTOFMEMORY;
  WPP_INIT_TRACING(DriverObject, RegistryPath);
  KeInitializeDpc(&adapter->Dpc, SourceDeferred, adapter);
  InitializeListHead(&adapter->Queue);
  ExFreePoolWithTag(adapter, SOURCE_TAG);
  RtlZeroMemory(&table, sizeof(table));
  table.Version = DXGKDDI_INTERFACE_VERSION;
  table.DxgkDdiInterruptRoutine = SourceInterrupt;
  table.DxgkDdiQueryAdapterInfo = SourceQuery;
  table.DxgkDdiCreateAllocation = SourceCreateAllocation;
  table.DxgkDdiDestroyAllocation = SourceDestroyAllocation;
  table.DxgkDdiRender = SourceRender;
  table.DxgkDdiRenderGdi = SourceRenderGdi;
  table.DxgkDdiGetNodeMetadata = SourceNode;
  table.DxgkDdiSubmitCommandVirtual = SourceSubmit;
  if (GUID_OF_THE_SOURCE.Data1 == 0) KeBugCheckEx(BUGCODE_ID_DRIVER, 0, 0, 0, 0);
  if (!NT_SUCCESS(SourceRegistry(RegistryPath))) return STATUS_UNSUCCESSFUL;
  return DxgkInitialize(DriverObject, RegistryPath, &table);
}
