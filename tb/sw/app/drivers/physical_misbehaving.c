/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of examples/drivers/physical with one change, selected by environment variable
 * GMMU_MISDEED. The build renames symbols, so that this file takes the place of DxgkInitialize and
 * wraps the user-mode driver. */
#undef DxgkInitialize
#undef GmmuUserModeDriver
#include <hw/user_mode.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <wdm.h>

#include <dispmprt.h>

#include "../../../../examples/drivers/physical/hardware.h"

NTSTATUS MisbehavePhysical(PDRIVER_OBJECT object, PUNICODE_STRING path, PDRIVER_INITIALIZATION_DATA table);
const GMMU_USER_MODE_DRIVER* RealHalf(void);

static DRIVER_INITIALIZATION_DATA real;
static DXGKRNL_INTERFACE os;
static PHYSICAL_ADDRESS visible; /* BAR 2 */
static volatile ULONG64* map;    /* CPU view of the aperture map */

static int Is(const char* misdeed) {
  const char* asked = getenv("GMMU_MISDEED");
  return asked != NULL && strcmp(asked, misdeed) == 0;
}

static NTSTATUS Start(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children) {
  DXGK_DEVICE_INFO info = {0};
  memcpy(&os, interface, interface->Size < sizeof os ? interface->Size : sizeof os);
  os.DxgkCbGetDeviceInformation(os.DeviceHandle, &info);
  visible = info.TranslatedResourceList->List[0].PartialResourceList.PartialDescriptors[1].u.Memory.Start;
  map = NULL;
  return real.DxgkDdiStartDevice(context, start, interface, sources, children);
}

static NTSTATUS Stop(PVOID context) {
  if (map != NULL) os.DxgkCbUnmapMemory(os.DeviceHandle, (PVOID)map);
  return real.DxgkDdiStopDevice(context);
}

static NTSTATUS Query(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* q) {
  DXGK_QUERYSEGMENTOUT4 four = {0};
  DXGK_SEGMENTDESCRIPTOR4 descriptors[2];
  DXGKARG_QUERYADAPTERINFO asked = *q;
  NTSTATUS status;
  if (q->Type == DXGKQAITYPE_QUERYSEGMENT3 && Is("segments_of_wddm_1")) {
    DXGK_QUERYSEGMENTOUT3* three = q->pOutputData;
    UINT i;
    memset(descriptors, 0, sizeof descriptors);
    four.pSegmentDescriptor = (BYTE*)descriptors;
    four.SegmentDescriptorStride = sizeof descriptors[0];
    asked.Type = DXGKQAITYPE_QUERYSEGMENT4;
    asked.pOutputData = &four;
    status = real.DxgkDdiQueryAdapterInfo(adapter, &asked);
    for (i = 0; three->pSegmentDescriptor != NULL && i < four.NbSegment; ++i) {
      three->pSegmentDescriptor[i].Flags = descriptors[i].Flags;
      three->pSegmentDescriptor[i].BaseAddress = descriptors[i].BaseAddress;
      three->pSegmentDescriptor[i].CpuTranslatedAddress = descriptors[i].CpuTranslatedAddress;
      three->pSegmentDescriptor[i].Size = descriptors[i].Size;
      three->pSegmentDescriptor[i].CommitLimit = descriptors[i].CommitLimit;
    }
    three->NbSegment = four.NbSegment;
    three->PagingBufferSize = four.PagingBufferSize;
    return status;
  }
  if (q->Type == DXGKQAITYPE_QUERYSEGMENT4 && Is("segments_of_wddm_1")) return STATUS_NOT_SUPPORTED;
  status = real.DxgkDdiQueryAdapterInfo(adapter, q);
  if (q->Type == DXGKQAITYPE_DRIVERCAPS && Is("virtual_addressing"))
    ((DXGK_DRIVERCAPS*)q->pOutputData)->MemoryManagementCaps.VirtualAddressingSupported = 1;
  if (q->Type == DXGKQAITYPE_QUERYSEGMENT4 && Is("buffers_in_aperture"))
    ((DXGK_QUERYSEGMENTOUT4*)q->pOutputData)->PagingBufferSegmentId = 1;
  return status;
}

static NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  const NTSTATUS status = real.DxgkDdiCreateContext(device, args);
  if (args->Flags.VirtualAddressing) return STATUS_INVALID_PARAMETER;
  if (Is("no_allocation_list")) args->ContextInfo.AllocationListSize = 0;
  if (Is("buffers_in_local_memory")) args->ContextInfo.DmaBufferSegmentSet = 2;
  if (Is("buffers_in_aperture")) args->ContextInfo.DmaBufferSegmentSet = 1;
  if (Is("past_private_data")) args->ContextInfo.DmaBufferPrivateDataSize = 16;
  return status;
}

static NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  const NTSTATUS status = real.DxgkDdiCreateAllocation(adapter, args);
  if (Is("no_common_segment")) args->pAllocationInfo->SupportedReadSegmentSet = 0;
  if (Is("renaming_list")) args->pAllocationInfo->MaximumRenamingListLength = 3;
  return status;
}

static NTSTATUS OpenAllocation(HANDLE device, CONST DXGKARG_OPENALLOCATION* args) {
  DXGKARGCB_GETHANDLEDATA which = {0};
  DXGKARG_RELEASE_HANDLE held = NULL;
  which.hObject = args->pOpenAllocation->hAllocation;
  which.Type = DXGK_HANDLE_ALLOCATION;
  if (Is("held_handle")) os.DxgkCbAcquireHandleData(&which, &held);
  return real.DxgkDdiOpenAllocation(device, args);
}

static NTSTATUS Render(HANDLE context, DXGKARG_RENDER* r) {
  BYTE* const buffer = r->pDmaBuffer;
  BYTE* const data = r->pDmaBufferPrivateData;
  D3DDDI_PATCHLOCATIONLIST* const first = r->pPatchLocationListOut;
  struct command* c;
  UINT i;
  NTSTATUS status;
  if (Is("no_progress")) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  for (i = 0; i < r->AllocationListSize && Is("unlisted_write"); ++i) r->pAllocationList[i].WriteOperation = 1;
  status = real.DxgkDdiRender(context, r);
  if (!NT_SUCCESS(status)) return status;
  if (Is("past_dma_buffer")) buffer[r->DmaSize] = 1;
  if (Is("past_private_data")) data[r->DmaBufferPrivateDataSize] = 1;
  if (Is("moved_past_dma_buffer")) r->pDmaBuffer = buffer + r->DmaSize + 1;
  if (Is("too_many_patches")) r->pPatchLocationListOut = first + r->PatchLocationListOutSize + 1;
  if (Is("patch_beyond_buffer")) first->PatchOffset = (UINT)((BYTE*)r->pDmaBuffer - buffer);
  if (Is("patch_beyond_list")) first->AllocationIndex = r->AllocationListSize;
  if (Is("slot_beyond_caps")) first->SlotId = 3;
  if (Is("patch_beyond_allocation")) first->AllocationOffset = 0x80000000;
  if (Is("split_beyond_buffer")) first->SplitOffset = r->DmaSize + 4;
  if (Is("split_that_falls")) first->SplitOffset = 8;
  for (c = (struct command*)buffer; c < (struct command*)r->pDmaBuffer && Is("no_waits"); ++c) c->flags = 0;
  return status;
}

static NTSTATUS Patch(HANDLE adapter, CONST DXGKARG_PATCH* p) {
  static struct { HANDLE allocation; LONGLONG address; } kept[256];
  DXGK_ALLOCATIONLIST list[256];
  DXGKARG_PATCH wrong = *p;
  UINT i, k;
  if (Is("patch_fails")) return STATUS_UNSUCCESSFUL;
  if (Is("patch_writes_nothing")) return STATUS_SUCCESS;
  if (p->AllocationListSize == 0) return real.DxgkDdiPatch(adapter, p);
  memcpy(list, p->pAllocationList, p->AllocationListSize * sizeof list[0]);
  wrong.pAllocationList = list;
  for (i = 0; i < p->AllocationListSize; ++i) {
    if (Is("wrong_patch")) list[i].PhysicalAddress.QuadPart += PAGE;
    if (!Is("kept_address") || list[i].SegmentId == 0) continue;
    for (k = 0; kept[k].allocation != NULL && kept[k].allocation != list[i].hDeviceSpecificAllocation; ++k) continue;
    if (kept[k].allocation == NULL) kept[k].address = list[i].PhysicalAddress.QuadPart;
    kept[k].allocation = list[i].hDeviceSpecificAllocation;
    list[i].PhysicalAddress.QuadPart = kept[k].address;
  }
  return real.DxgkDdiPatch(adapter, &wrong);
}

static BOOLEAN ReportCompletion(PVOID context) {
  const DXGKARG_SUBMITCOMMAND* args = context;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA done = {0};
  done.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  done.DmaCompleted.SubmissionFenceId = args->SubmissionFenceId;
  done.DmaCompleted.NodeOrdinal = args->NodeOrdinal;
  os.DxgkCbNotifyInterrupt(os.DeviceHandle, &done);
  os.DxgkCbQueueDpc(os.DeviceHandle);
  return TRUE;
}

static NTSTATUS Submit(HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* args) {
  DXGKARG_SUBMITCOMMAND wrong = *args;
  NTSTATUS status;
  BOOLEAN done;
  if (Is("submits_from_buffer_start") && args->Flags.Paging) wrong.DmaBufferSubmissionStartOffset = 0;
  status = real.DxgkDdiSubmitCommand(adapter, &wrong);
  if (Is("submission_fails")) return STATUS_UNSUCCESSFUL;
  if (Is("submission_waits")) {
    LARGE_INTEGER timeout;
    KEVENT never;
    timeout.QuadPart = -10;
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, &timeout);
  }
  if (Is("early_completion") && args->NodeOrdinal == 1)
    os.DxgkCbSynchronizeExecution(os.DeviceHandle, ReportCompletion, (PVOID)args, 0, &done);
  return status;
}

static SIZE_T WholePages(SIZE_T bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* Mishandles a size or an offset. The system owns the operation, so a copy is modified. */
static NTSTATUS BuildOperation(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* b) {
  DXGKARG_BUILDPAGINGBUFFER wrong = *b;
  NTSTATUS status;
  if (b->Operation == DXGK_OPERATION_TRANSFER) {
    if (Is("no_transfer_offset")) wrong.Transfer.TransferOffset = 0;
    if (Is("no_mdl_offset")) wrong.Transfer.MdlOffset = 0;
    if (Is("transfer_offset_on_mdl")) wrong.Transfer.MdlOffset += b->Transfer.TransferOffset / PAGE;
    if (Is("whole_page_transfers")) wrong.Transfer.TransferSize = WholePages(b->Transfer.TransferSize);
  }
  if (b->Operation == DXGK_OPERATION_FILL && Is("whole_page_fills")) wrong.Fill.FillSize = WholePages(b->Fill.FillSize);
  if (Is("ignores_room") && b->pDmaBuffer != NULL) wrong.DmaSize = PAGE - b->DmaBufferWriteOffset;
  if (Is("resumes_one_late") && b->MultipassOffset != 0) ++wrong.MultipassOffset;
  status = real.DxgkDdiBuildPagingBuffer(adapter, &wrong);
  b->pDmaBuffer = wrong.pDmaBuffer;
  b->DmaSize = wrong.DmaSize;
  b->pDmaBufferPrivateData = wrong.pDmaBufferPrivateData;
  b->DmaBufferPrivateDataSize = wrong.DmaBufferPrivateDataSize;
  b->MultipassOffset = Is("forgets_where_it_was") ? 0 : wrong.MultipassOffset;
  return status;
}

/* With buffers_in_aperture, paging buffers must be mapped into the aperture before any of them can
 * run, so the CPU maps them. */
static NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* b) {
  UINT64 memory = 0, aperture = 0;
  SIZE_T i;
  if (Is("past_paging_buffer") && b->pDmaBuffer != NULL) ((BYTE*)b->pDmaBuffer)[b->DmaSize] = 1;
  if (b->pDmaBuffer != NULL || !Is("buffers_in_aperture")) return BuildOperation(adapter, b);
  if (!NT_SUCCESS(GmmuQueryParameter("VramBytes", &memory)) || !NT_SUCCESS(GmmuQueryParameter("ApertureBytes", &aperture)))
    return STATUS_UNSUCCESSFUL;
  if (map == NULL) {
    PHYSICAL_ADDRESS at = visible;
    PVOID view = NULL;
    at.QuadPart += (LONGLONG)(memory - (aperture / PAGE * 8 + PAGE - 1) / PAGE * PAGE);
    os.DxgkCbMapMemory(os.DeviceHandle, at, (ULONG)(aperture / PAGE * 8), FALSE, FALSE, MmNonCached, &view);
    map = view;
  }
  if (b->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
    for (i = 0; i < b->MapApertureSegment.NumberOfPages; ++i)
      WRITE_REGISTER_ULONG64(map + b->MapApertureSegment.OffsetInPages + i,
                             MmGetMdlPfnArray(b->MapApertureSegment.pMdl)[b->MapApertureSegment.MdlOffset + i] * PAGE | MAP_VALID);
  } else if (b->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) {
    for (i = 0; i < b->UnmapApertureSegment.NumberOfPages; ++i)
      WRITE_REGISTER_ULONG64(map + b->UnmapApertureSegment.OffsetInPages + i,
                             (ULONG64)b->UnmapApertureSegment.DummyPage.QuadPart | MAP_VALID);
  }
  return STATUS_SUCCESS;
}

NTSTATUS MisbehavePhysical(PDRIVER_OBJECT object, PUNICODE_STRING path, PDRIVER_INITIALIZATION_DATA table) {
  DRIVER_INITIALIZATION_DATA mine = *table;
  real = *table;
  mine.DxgkDdiStartDevice = Start;
  mine.DxgkDdiStopDevice = Stop;
  mine.DxgkDdiQueryAdapterInfo = Query;
  mine.DxgkDdiCreateContext = CreateContext;
  mine.DxgkDdiCreateAllocation = CreateAllocation;
  mine.DxgkDdiOpenAllocation = OpenAllocation;
  mine.DxgkDdiRender = Render;
  mine.DxgkDdiPatch = Is("no_patch_entry") ? NULL : Patch;
  mine.DxgkDdiSubmitCommand = Submit;
  mine.DxgkDdiBuildPagingBuffer = Build;
  return DxgkInitialize(object, path, &mine);
}

/* ---- the user-mode driver */

static void Unlist(GMMU_COMMAND_BUFFER* b) {
  uint32_t i;
  for (i = 0; i < b->allocation_count && Is("unlisted_write"); ++i) b->allocations[i].write = 0;
}

static int ListCopy(GMMU_COMMAND_BUFFER* b, GMMU_OPERAND source, GMMU_OPERAND destination, uint64_t bytes) {
  const int appended = RealHalf()->list_copy(b, source, destination, bytes);
  Unlist(b);
  return appended;
}

static int ListFill(GMMU_COMMAND_BUFFER* b, GMMU_OPERAND destination, uint64_t bytes, uint32_t pattern) {
  const int appended = RealHalf()->list_fill(b, destination, bytes, pattern);
  Unlist(b);
  return appended;
}

const GMMU_USER_MODE_DRIVER* GmmuUserModeDriver(void) {
  static GMMU_USER_MODE_DRIVER half;
  half = *RealHalf();
  half.list_copy = Is("no_listed_commands") ? NULL : ListCopy;
  half.list_fill = ListFill;
  if (Is("no_listed_commands")) half.version = 3;
  return &half;
}
