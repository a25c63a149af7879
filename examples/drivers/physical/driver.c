/* SPDX-License-Identifier: Apache-2.0 */
/* A complete driver for the physical memory model (WDDM 1): its GPU has no page tables. The system
 * places each allocation in a segment, and DxgkDdiPatch writes the addresses into DMA buffers
 * before they run. The device is plain memory (--device none), which hardware.c serves.
 *
 *   segment 1   the aperture, from APERTURE_BASE on; its map, 8 bytes per page, is at the end of local memory
 *   segment 2   local memory
 *   node 0      paging        node 1   processes */
#include <hw/user_mode.h>
#include <stddef.h>
#include <string.h>
#include <wdm.h>

#include <dispmprt.h>

#include "hardware.h"

#define TAG 0x73796870
enum { APERTURE = 1, LOCAL = 2 }; /* segment ids */
enum { PAGING_BYTES = 16 * 1024, DMA_BYTES = 4 * 1024, LIST_ELEMENTS = 256 };

struct allocation { UINT64 bytes; };
struct opened { struct allocation* allocation; }; /* an allocation as opened by one device */
struct adapter {
  DXGKRNL_INTERFACE os;
  volatile ULONG64* registers;
  PHYSICAL_ADDRESS visible; /* BAR 2 */
  UINT64 visible_bytes, aperture_bytes, map_offset;
  UINT tail[NODES], submitted[NODES], reported[NODES], preempted[NODES];
  UINT64 faults[NODES];
};
struct device { struct adapter* adapter; };

static UINT64 Read(struct adapter* a, unsigned word) { return READ_REGISTER_ULONG64(a->registers + word); }
static void Write(struct adapter* a, unsigned word, UINT64 value) { WRITE_REGISTER_ULONG64(a->registers + word, value); }

static PVOID New(SIZE_T bytes) { return ExAllocatePool2(POOL_FLAG_NON_PAGED, bytes, TAG); /* zeroed */ }
static NTSTATUS Free(PVOID block) {
  ExFreePoolWithTag(block, TAG);
  return STATUS_SUCCESS;
}

/* ---- the adapter */

static NTSTATUS AddDevice(PDEVICE_OBJECT device, PVOID* context) {
  (void)device;
  *context = New(sizeof(struct adapter));
  return *context ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS RemoveDevice(PVOID context) { return Free(context); }

static NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE os, PULONG sources, PULONG children) {
  struct adapter* a = context;
  DXGK_DEVICE_INFO info = {0};
  CM_PARTIAL_RESOURCE_LIST* list;
  UINT64 memory = 0;
  UINT i, bars = 0;
  (void)start;
  memcpy(&a->os, os, os->Size < sizeof a->os ? os->Size : sizeof a->os); /* only the callbacks of this version */
  *sources = *children = 0;
  if (!NT_SUCCESS(a->os.DxgkCbGetDeviceInformation(a->os.DeviceHandle, &info))) return STATUS_DEVICE_HARDWARE_ERROR;
  list = &info.TranslatedResourceList->List[0].PartialResourceList;
  for (i = 0; i < list->Count; ++i) {
    CM_PARTIAL_RESOURCE_DESCRIPTOR* r = &list->PartialDescriptors[i];
    if (r->Type != CmResourceTypeMemory) continue;
    if (bars++ == 0) {
      PVOID view;
      if (!NT_SUCCESS(a->os.DxgkCbMapMemory(a->os.DeviceHandle, r->u.Memory.Start, r->u.Memory.Length, FALSE, FALSE,
                                            MmNonCached, &view)))
        return STATUS_NO_MEMORY;
      a->registers = view;
    } else {
      a->visible = r->u.Memory.Start;
      a->visible_bytes = r->u.Memory.Length;
    }
  }
  if (!NT_SUCCESS(GmmuQueryParameter("VramBytes", &memory)) ||
      !NT_SUCCESS(GmmuQueryParameter("ApertureBytes", &a->aperture_bytes)) || a->registers == NULL)
    return STATUS_DEVICE_HARDWARE_ERROR;
  a->map_offset = memory - (a->aperture_bytes / PAGE * 8 + PAGE - 1) / PAGE * PAGE;
  Write(a, REG_MAP, a->map_offset);
  for (i = 0; i < NODES; ++i) { /* resume from the hardware's state after an earlier start */
    a->tail[i] = (UINT)Read(a, REG_TAIL(i));
    a->reported[i] = (UINT)Read(a, REG_FENCE(i));
    a->preempted[i] = (UINT)Read(a, REG_PREEMPTED(i));
  }
  return STATUS_SUCCESS;
}

static BOOLEAN ForgetRegisters(PVOID context) {
  struct adapter* a = context;
  a->registers = NULL;
  return TRUE;
}

/* The interrupt stays connected; the interrupt routine must see that the device has stopped. */
static NTSTATUS StopDevice(PVOID context) {
  struct adapter* a = context;
  const PVOID view = (PVOID)a->registers;
  BOOLEAN done;
  const NTSTATUS status = a->os.DxgkCbSynchronizeExecution(a->os.DeviceHandle, ForgetRegisters, a, 0, &done);
  return NT_SUCCESS(status) ? a->os.DxgkCbUnmapMemory(a->os.DeviceHandle, view) : status;
}

static NTSTATUS SetPowerState(PVOID context, ULONG uid, DEVICE_POWER_STATE state, POWER_ACTION action) {
  (void)context, (void)uid, (void)state, (void)action; /* registers stay; the system has evicted local memory */
  return STATUS_SUCCESS;
}

static NTSTATUS QueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* q) {
  struct adapter* a = adapter;
  if (q->Type == DXGKQAITYPE_DRIVERCAPS) {
    DXGK_DRIVERCAPS* caps = q->pOutputData;
    caps->HighestAcceptableAddress.QuadPart = 0xFFFFFFFFFFFF;
    caps->MaxAllocationListSlotId = 2;
    caps->SchedulingCaps.MultiEngineAware = caps->SchedulingCaps.PreemptionAware = 1;
    caps->MemoryManagementCaps.PagingNode = 0; /* VirtualAddressingSupported and GpuMmuSupported stay 0 */
    caps->GpuEngineTopology.NbAsymetricProcessingNodes = NODES;
    caps->WDDMVersion = DXGKDDI_WDDMv2;
    caps->SupportPerEngineTDR = TRUE;
    return STATUS_SUCCESS;
  }
  if (q->Type == DXGKQAITYPE_QUERYSEGMENT4) {
    DXGK_QUERYSEGMENTOUT4* out = q->pOutputData;
    if (out->pSegmentDescriptor != NULL) {
      DXGK_SEGMENTDESCRIPTOR4* aperture = (DXGK_SEGMENTDESCRIPTOR4*)out->pSegmentDescriptor;
      DXGK_SEGMENTDESCRIPTOR4* local = (DXGK_SEGMENTDESCRIPTOR4*)(out->pSegmentDescriptor + out->SegmentDescriptorStride);
      aperture->Flags.Aperture = aperture->Flags.CacheCoherent = 1;
      aperture->BaseAddress.QuadPart = (LONGLONG)APERTURE_BASE;
      aperture->Size = aperture->CommitLimit = a->aperture_bytes;
      local->Flags.CpuVisible = 1;
      local->CpuTranslatedAddress = a->visible;
      local->Size = local->CommitLimit = a->map_offset < a->visible_bytes ? a->map_offset : a->visible_bytes;
      out->PagingBufferSegmentId = 0; /* contiguous system memory */
      out->PagingBufferSize = PAGING_BYTES;
    }
    out->NbSegment = 2;
    return STATUS_SUCCESS;
  }
  return STATUS_NOT_SUPPORTED;
}

/* ---- devices, contexts, allocations */

static NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  struct device* d = New(sizeof *d);
  if (d == NULL) return STATUS_NO_MEMORY;
  d->adapter = adapter;
  args->hDevice = d;
  return STATUS_SUCCESS;
}

static NTSTATUS DestroyDevice(HANDLE device) { return Free(device); }

/* Sets the sizes of the DMA buffers and lists that the system creates for each context. */
static NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  args->ContextInfo.DmaBufferSize = DMA_BYTES;
  args->ContextInfo.DmaBufferSegmentSet = 0; /* contiguous system memory */
  args->ContextInfo.AllocationListSize = args->ContextInfo.PatchLocationListSize = LIST_ELEMENTS;
  args->hContext = device; /* the hardware keeps no state between submissions */
  return STATUS_SUCCESS;
}

static NTSTATUS DestroyContext(HANDLE context) {
  (void)context;
  return STATUS_SUCCESS;
}

static NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  UINT i;
  (void)adapter;
  for (i = 0; i < args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* info = &args->pAllocationInfo[i];
    const GMMU_ALLOCATION* wanted = info->pPrivateDriverData;
    struct allocation* allocation;
    if (info->PrivateDriverDataSize < sizeof *wanted) return STATUS_INVALID_PARAMETER;
    allocation = New(sizeof *allocation);
    if (allocation == NULL) return STATUS_NO_MEMORY;
    allocation->bytes = (wanted->bytes + PAGE - 1) / PAGE * PAGE;
    info->hAllocation = allocation;
    info->Size = allocation->bytes;
    info->PreferredSegment.SegmentId0 = wanted->system_only ? APERTURE : LOCAL;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet =
        (wanted->local_only ? 0 : 1u << (APERTURE - 1)) | (wanted->system_only ? 0 : 1u << (LOCAL - 1));
    info->EvictionSegmentSet = 0; /* paging operations pass system memory as an MDL */
    info->Flags.Cached = 1;
    info->Flags.CpuVisible = wanted->cpu_visible;
    info->AllocationPriority = wanted->priority ? wanted->priority : D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS DestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* args) {
  UINT i;
  (void)adapter;
  for (i = 0; i < args->NumAllocations; ++i) Free(args->pAllocationList[i]);
  return STATUS_SUCCESS;
}

/* Opens allocations for a device, whose allocation lists contain the handles returned. */
static NTSTATUS OpenAllocation(HANDLE device, CONST DXGKARG_OPENALLOCATION* args) {
  const struct device* d = device;
  UINT i;
  for (i = 0; i < args->NumAllocations; ++i) {
    DXGKARGCB_GETHANDLEDATA which = {0};
    struct opened* opened = New(sizeof *opened);
    if (opened == NULL) return STATUS_NO_MEMORY;
    which.hObject = args->pOpenAllocation[i].hAllocation;
    which.Type = DXGK_HANDLE_ALLOCATION;
    opened->allocation = d->adapter->os.DxgkCbGetHandleData(&which);
    args->pOpenAllocation[i].hDeviceSpecificAllocation = opened;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS CloseAllocation(HANDLE device, CONST DXGKARG_CLOSEALLOCATION* args) {
  UINT i;
  (void)device;
  for (i = 0; i < args->NumAllocations; ++i) Free(args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}

/* ---- commands of processes */

/* Checks a patch location, because it comes from user mode: its allocation must be in the list,
 * must be listed for writing if it is written, and must contain all bytes that the command
 * accesses. */
static BOOLEAN Allowed(const DXGKARG_RENDER* r, const D3DDDI_PATCHLOCATIONLIST* p, UINT64 bytes, BOOLEAN write) {
  const DXGK_ALLOCATIONLIST* element;
  UINT64 room;
  if (p->AllocationIndex >= r->AllocationListSize) return FALSE;
  element = &r->pAllocationList[p->AllocationIndex];
  if (element->hDeviceSpecificAllocation == NULL || (write && !element->WriteOperation)) return FALSE;
  room = ((const struct opened*)element->hDeviceSpecificAllocation)->allocation->bytes;
  return p->AllocationOffset <= room && bytes <= room - p->AllocationOffset;
}

/* Writes the current address of an allocation into a command. Segment addresses are GPU addresses, so they are written
 * unchanged. */
static void Place(PVOID buffer, const D3DDDI_PATCHLOCATIONLIST* p, const DXGK_ALLOCATIONLIST* list) {
  const UINT64 address = (UINT64)list[p->AllocationIndex].PhysicalAddress.QuadPart + p->AllocationOffset;
  memcpy((BYTE*)buffer + p->PatchOffset, &address, sizeof address);
}

/* Translates a command buffer: checks each command and its patch locations. As many commands as fit go into the DMA
 * buffer; MultipassOffset counts the commands translated so far. */
static NTSTATUS Render(HANDLE context, DXGKARG_RENDER* r) {
  const UINT count = r->CommandLength / sizeof(struct command);
  const D3DDDI_PATCHLOCATIONLIST* const patches_end = r->pPatchLocationListIn + r->PatchLocationListInSize;
  const D3DDDI_PATCHLOCATIONLIST* in = r->pPatchLocationListIn;
  D3DDDI_PATCHLOCATIONLIST* out = r->pPatchLocationListOut;
  UINT i, used = 0;
  (void)context;
  for (i = 0; i < count; ++i) {
    struct command c;
    UINT sides, side;
    memcpy(&c, (const BYTE*)r->pCommand + i * sizeof c, sizeof c); /* the process may change it */
    if ((c.op != OP_COPY && c.op != OP_FILL) || c.words != 0) return STATUS_ILLEGAL_INSTRUCTION;
    sides = c.op == OP_COPY ? 2 : 1; /* a copy has its source first */
    if (patches_end - in < (LONGLONG)sides) return STATUS_INVALID_USER_BUFFER;
    if (i >= r->MultipassOffset) {
      if (r->DmaSize - used < sizeof c || (UINT)(out - r->pPatchLocationListOut) + sides > r->PatchLocationListOutSize) break;
      c.to = 0;
      if (c.op == OP_COPY) c.from = 0;
      memcpy((BYTE*)r->pDmaBuffer + used, &c, sizeof c);
      for (side = 0; side < sides; ++side, ++out) {
        const BOOLEAN write = side + 1 == sides;
        *out = in[side];
        if (!Allowed(r, out, c.bytes, write)) return STATUS_INVALID_PARAMETER;
        out->PatchOffset = used + (write ? offsetof(struct command, to) : offsetof(struct command, from));
        out->SplitOffset = used;
        /* Writes the last known address. If it stays valid, Patch is not called. */
        if (r->pAllocationList[out->AllocationIndex].SegmentId != 0) Place(r->pDmaBuffer, out, r->pAllocationList);
      }
      used += sizeof c;
    }
    in += sides;
  }
  r->MultipassOffset = i;
  r->pDmaBuffer = (BYTE*)r->pDmaBuffer + used;
  r->pPatchLocationListOut = out;
  return i == count ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* The allocations stay at the addresses in the list until the submission has ended. If the DMA
 * buffer is split, only the patch locations of this part are patched. */
static NTSTATUS Patch(HANDLE adapter, CONST DXGKARG_PATCH* p) {
  UINT i;
  (void)adapter;
  for (i = 0; i < p->PatchLocationListSubmissionLength; ++i)
    Place(p->pDmaBuffer, &p->pPatchLocationList[p->PatchLocationListSubmissionStart + i], p->pAllocationList);
  return STATUS_SUCCESS;
}

/* ---- paging buffers */

/* Appends a command and room for `words` words. Returns NULL if they do not fit. */
static struct command* Append(DXGKARG_BUILDPAGINGBUFFER* b, UCHAR op, UINT words) {
  const UINT bytes = sizeof(struct command) + words * 8;
  struct command* c = b->pDmaBuffer;
  if (c == NULL || b->DmaSize < bytes) return NULL;
  memset(c, 0, sizeof *c);
  c->op = op;
  c->flags = FLAG_WAIT; /* wait for the previous operation */
  c->words = words;
  b->pDmaBuffer = (BYTE*)b->pDmaBuffer + bytes;
  b->DmaSize -= bytes;
  return c;
}

/* Writes entries of the aperture map, as many per buffer as fit. MultipassOffset counts the entries
 * written so far. */
static NTSTATUS Map(struct adapter* a, DXGKARG_BUILDPAGINGBUFFER* b, UINT64 first, UINT pages, const PFN_NUMBER* pfns,
                    UINT64 dummy) {
  while (b->MultipassOffset < pages) {
    const UINT room = b->DmaSize < sizeof(struct command) ? 0 : (UINT)((b->DmaSize - sizeof(struct command)) / 8);
    const UINT left = pages - b->MultipassOffset, n = left < room ? left : room;
    struct command* c = n == 0 ? NULL : Append(b, OP_WRITE, n);
    UINT i;
    if (c == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    c->to = a->map_offset + 8 * (first + b->MultipassOffset);
    for (i = 0; i < n; ++i) c->data[i] = (pfns != NULL ? pfns[b->MultipassOffset + i] * PAGE : dummy) | MAP_VALID;
    b->MultipassOffset += n;
  }
  return STATUS_SUCCESS;
}

/* Returns the source or destination of a transfer: an address in a segment, or page `page` of an MDL. */
#define END(b, end, page)                                                                                \
  ((b)->Transfer.end.SegmentId != 0                                                                      \
       ? (UINT64)(b)->Transfer.end.SegmentAddress.QuadPart + (b)->Transfer.TransferOffset + (page) * (UINT64)PAGE \
       : MmGetMdlPfnArray((b)->Transfer.end.pMdl)[(b)->Transfer.MdlOffset + (page)] * PAGE | BUS)

/* Writes one command per page. MultipassOffset counts the pages moved so far. */
static NTSTATUS Transfer(DXGKARG_BUILDPAGINGBUFFER* b) {
  const UINT64 size = b->Transfer.TransferSize;
  while ((UINT64)b->MultipassOffset * PAGE < size) {
    const UINT64 left = size - (UINT64)b->MultipassOffset * PAGE;
    struct command* c = Append(b, OP_COPY, 0);
    if (c == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    c->from = END(b, Source, b->MultipassOffset);
    c->to = END(b, Destination, b->MultipassOffset);
    c->bytes = left < PAGE ? left : PAGE;
    ++b->MultipassOffset;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS Fill(DXGKARG_BUILDPAGINGBUFFER* b) {
  struct command* c = Append(b, OP_FILL, 0);
  if (c == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  c->to = (UINT64)b->Fill.Destination.SegmentAddress.QuadPart;
  c->from = b->Fill.FillPattern;
  c->bytes = b->Fill.FillSize;
  return STATUS_SUCCESS;
}

static NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* b) {
  switch (b->Operation) {
    case DXGK_OPERATION_TRANSFER: return Transfer(b);
    case DXGK_OPERATION_FILL: return Fill(b);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      return Map(adapter, b, b->MapApertureSegment.OffsetInPages, (UINT)b->MapApertureSegment.NumberOfPages,
                 MmGetMdlPfnArray(b->MapApertureSegment.pMdl) + b->MapApertureSegment.MdlOffset, 0);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return Map(adapter, b, b->UnmapApertureSegment.OffsetInPages, (UINT)b->UnmapApertureSegment.NumberOfPages, NULL,
                 (UINT64)b->UnmapApertureSegment.DummyPage.QuadPart);
    default: return STATUS_SUCCESS; /* other operations need no hardware action */
  }
}

/* ---- submission and interrupts */

static NTSTATUS SubmitCommand(HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* args) {
  struct adapter* a = adapter;
  const UINT node = args->NodeOrdinal;
  const unsigned slot = REG_RING(node) + (a->tail[node] % RING_SLOTS) * 4;
  const UINT start = args->DmaBufferSubmissionStartOffset, end = args->DmaBufferSubmissionEndOffset;
  const UINT64 buffer = (UINT64)args->DmaBufferPhysicalAddress.QuadPart;
  Write(a, slot, (args->DmaBufferSegmentId == 0 ? buffer | BUS : buffer) + start);
  Write(a, slot + 1, args->Flags.NullRendering || args->Flags.ContextSwitch ? 0 : end - start);
  Write(a, slot + 2, args->SubmissionFenceId);
  a->submitted[node] = args->SubmissionFenceId;
  Write(a, REG_TAIL(node), ++a->tail[node]);
  return STATUS_SUCCESS;
}

static NTSTATUS PreemptCommand(HANDLE adapter, CONST DXGKARG_PREEMPTCOMMAND* args) {
  Write(adapter, REG_PREEMPT(args->NodeOrdinal), args->PreemptionFenceId);
  return STATUS_SUCCESS;
}

static NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* args) {
  args->CurrentFence = (UINT)Read(adapter, REG_FENCE(args->NodeOrdinal));
  return STATUS_SUCCESS;
}

static BOOLEAN InterruptRoutine(PVOID context, ULONG message) {
  struct adapter* a = context;
  UINT node;
  (void)message;
  if (a->registers == NULL) return FALSE; /* device stopped */
  for (node = 0; node < NODES; ++node) {
    const UINT preempted = (UINT)Read(a, REG_PREEMPTED(node)); /* read first: preempted submissions will not complete */
    const UINT fence = (UINT)Read(a, REG_FENCE(node));
    const UINT64 fault = Read(a, REG_FAULT(node));
    if (fence != a->reported[node]) {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA done = {0};
      a->reported[node] = fence;
      done.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      done.DmaCompleted.SubmissionFenceId = fence;
      done.DmaCompleted.NodeOrdinal = node;
      a->os.DxgkCbNotifyInterrupt(a->os.DeviceHandle, &done);
    }
    if (preempted != a->preempted[node]) {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA back = {0};
      a->preempted[node] = preempted;
      back.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
      back.DmaPreempted.PreemptionFenceId = preempted;
      back.DmaPreempted.LastCompletedFenceId = fence;
      back.DmaPreempted.NodeOrdinal = node;
      a->os.DxgkCbNotifyInterrupt(a->os.DeviceHandle, &back);
    }
    if (fault != 0 && fault != a->faults[node]) {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA lost = {0};
      a->faults[node] = fault;
      a->reported[node] = (UINT)fault;
      lost.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
      lost.DmaFaulted.FaultedFenceId = (UINT)fault;
      lost.DmaFaulted.Status = STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
      lost.DmaFaulted.NodeOrdinal = node;
      a->os.DxgkCbNotifyInterrupt(a->os.DeviceHandle, &lost);
    }
  }
  a->os.DxgkCbQueueDpc(a->os.DeviceHandle);
  return TRUE;
}

static void DpcRoutine(PVOID context) {
  struct adapter* a = context;
  a->os.DxgkCbNotifyDpc(a->os.DeviceHandle);
}

struct reset {
  struct adapter* adapter;
  UINT node;
};

/* Makes the hardware drop the node's submissions. When the register read returns, they have been
 * dropped. No interrupt may report them as completed. */
static BOOLEAN Reset(PVOID context) {
  struct reset* reset = context;
  struct adapter* a = reset->adapter;
  Write(a, REG_RESET(reset->node), a->submitted[reset->node]);
  a->faults[reset->node] = Read(a, REG_FAULT(reset->node));
  a->reported[reset->node] = a->submitted[reset->node];
  return TRUE;
}

static NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* args) {
  struct reset reset = {adapter, args->NodeOrdinal};
  BOOLEAN done = FALSE;
  const NTSTATUS status =
      reset.adapter->os.DxgkCbSynchronizeExecution(reset.adapter->os.DeviceHandle, Reset, &reset, 0, &done);
  args->LastAbortedFenceId = reset.adapter->submitted[args->NodeOrdinal];
  return status;
}

static NTSTATUS QueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* args) {
  args->EngineStatus.Responsive = Read(adapter, REG_FAULT(args->NodeOrdinal)) == 0;
  return STATUS_SUCCESS;
}

static NTSTATUS QueryDependentEngineGroup(HANDLE adapter, DXGKARG_QUERYDEPENDENTENGINEGROUP* args) {
  (void)adapter;
  args->DependentNodeOrdinalMask = 1ull << args->NodeOrdinal;
  return STATUS_SUCCESS;
}

static NTSTATUS ResetFromTimeout(HANDLE adapter) {
  DXGKARG_RESETENGINE args = {0};
  for (; args.NodeOrdinal < NODES; ++args.NodeOrdinal) ResetEngine(adapter, &args);
  return STATUS_SUCCESS;
}

static NTSTATUS RestartFromTimeout(HANDLE adapter) {
  (void)adapter;
  return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA t = {0};
  t.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  t.DxgkDdiAddDevice = AddDevice;
  t.DxgkDdiStartDevice = StartDevice;
  t.DxgkDdiStopDevice = StopDevice;
  t.DxgkDdiRemoveDevice = RemoveDevice;
  t.DxgkDdiSetPowerState = SetPowerState;
  t.DxgkDdiInterruptRoutine = InterruptRoutine;
  t.DxgkDdiDpcRoutine = DpcRoutine;
  t.DxgkDdiQueryAdapterInfo = QueryAdapterInfo;
  t.DxgkDdiCreateDevice = CreateDevice;
  t.DxgkDdiDestroyDevice = DestroyDevice;
  t.DxgkDdiCreateContext = CreateContext;
  t.DxgkDdiDestroyContext = DestroyContext;
  t.DxgkDdiCreateAllocation = CreateAllocation;
  t.DxgkDdiDestroyAllocation = DestroyAllocation;
  t.DxgkDdiOpenAllocation = OpenAllocation;
  t.DxgkDdiCloseAllocation = CloseAllocation;
  t.DxgkDdiRender = Render;
  t.DxgkDdiPatch = Patch;
  t.DxgkDdiSubmitCommand = SubmitCommand;
  t.DxgkDdiBuildPagingBuffer = BuildPagingBuffer;
  t.DxgkDdiPreemptCommand = PreemptCommand;
  t.DxgkDdiQueryCurrentFence = QueryCurrentFence;
  t.DxgkDdiResetEngine = ResetEngine;
  t.DxgkDdiQueryEngineStatus = QueryEngineStatus;
  t.DxgkDdiQueryDependentEngineGroup = QueryDependentEngineGroup;
  t.DxgkDdiResetFromTimeout = ResetFromTimeout;
  t.DxgkDdiRestartFromTimeout = RestartFromTimeout;
  return DxgkInitialize(DriverObject, RegistryPath, &t);
}
