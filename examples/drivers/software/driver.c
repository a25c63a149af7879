/* SPDX-License-Identifier: Apache-2.0 */
/* A complete driver for hardware in software: its device is plain memory (--device none), which hardware.c serves.
 *
 *   local memory   page tables, allocations; at the end the aperture map, 8 bytes per page (hardware.h)
 *   node 0         paging, by bus addresses      node 1   processes, by GPU virtual addresses
 *
 * The page table format is specific to this device. The GPU writes the tables, by commands in paging buffers. The
 * macros of hardware.h that -D can set select adapters with other segments (README.md). */
#include <hw/user_mode.h>
#include <wdm.h>

#include <dispmprt.h>

#include "hardware.h"

#define TAG 0x7466736D
/* Segment ids. Implicit system memory has the id after the last one; in addresses it is 0. */
enum { SYSTEM_ADDRESS, APERTURE, LOCAL = 1 + APERTURE_SEGMENT, SYSTEM = LOCAL + LOCAL_SEGMENT };
#define SET(segment) (1u << ((segment) - 1))

struct context {
  struct adapter* adapter;
  UINT64 root; /* a PLACE (hardware.h) */
};
struct adapter {
  DXGKRNL_INTERFACE os;
  volatile ULONG64* registers;
  PHYSICAL_ADDRESS visible; /* BAR 2 */
  UINT64 visible_bytes, aperture_bytes, map_offset;
  struct context* paging;
  UINT tail[NODES], submitted[NODES], reported[NODES], preempted[NODES];
  UINT64 faults[NODES];
};

static UINT64 Read(struct adapter* a, unsigned word) { return READ_REGISTER_ULONG64(a->registers + word); }
static void Write(struct adapter* a, unsigned word, UINT64 value) { WRITE_REGISTER_ULONG64(a->registers + word, value); }

/* ---- the device */

static NTSTATUS AddDevice(PDEVICE_OBJECT device, PVOID* context) {
  *context = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(struct adapter), TAG);
  return *context ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS RemoveDevice(PVOID context) {
  ExFreePoolWithTag(context, TAG);
  return STATUS_SUCCESS;
}

static NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE os, PULONG sources, PULONG children) {
  struct adapter* a = context;
  DXGK_DEVICE_INFO info = {0};
  CM_PARTIAL_RESOURCE_LIST* list;
  UINT64 memory = 0;
  UINT i, bars = 0;
  memcpy(&a->os, os, os->Size < sizeof a->os ? os->Size : sizeof a->os); /* only the callbacks of this version */
  *sources = *children = 0;
  a->os.DxgkCbGetDeviceInformation(a->os.DeviceHandle, &info);
  list = &info.TranslatedResourceList->List[0].PartialResourceList;
  for (i = 0; i < list->Count; ++i) {
    CM_PARTIAL_RESOURCE_DESCRIPTOR* r = &list->PartialDescriptors[i];
    if (r->Type != CmResourceTypeMemory) continue;
    if (bars++ == 0) {
      a->os.DxgkCbMapMemory(a->os.DeviceHandle, r->u.Memory.Start, r->u.Memory.Length, FALSE, FALSE, MmNonCached,
                            (PVOID*)&a->registers);
    } else {
      a->visible = r->u.Memory.Start;
      a->visible_bytes = r->u.Memory.Length;
    }
  }
  if (!NT_SUCCESS(GmmuQueryParameter("VramBytes", &memory)) ||
      !NT_SUCCESS(GmmuQueryParameter("ApertureBytes", &a->aperture_bytes)) || a->registers == NULL)
    return STATUS_DEVICE_HARDWARE_ERROR;
  a->map_offset = memory - (a->aperture_bytes / PAGE_SIZE * 8 + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
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
  return STATUS_SUCCESS; /* registers keep their values; the system rewrites all tables */
}

/* ---- capabilities */

static NTSTATUS Segments(struct adapter* a, DXGK_QUERYSEGMENTOUT4* out) {
  DXGK_SEGMENTDESCRIPTOR4* s;
  out->NbSegment = SYSTEM - 1;
  if (out->pSegmentDescriptor == NULL) return STATUS_SUCCESS;
  out->PagingBufferSegmentId = 0; /* accessed by bus address */
  out->PagingBufferSize = 16 * 1024;
  out->PagingBufferPrivateDataSize = 64 * sizeof(UINT64);
  if (APERTURE_SEGMENT) {
    s = (DXGK_SEGMENTDESCRIPTOR4*)out->pSegmentDescriptor;
    s->Flags.Aperture = 1;
    s->Flags.CacheCoherent = 1;
    s->Size = s->CommitLimit = a->aperture_bytes;
  }
  if (LOCAL_SEGMENT) {
    s = (DXGK_SEGMENTDESCRIPTOR4*)(out->pSegmentDescriptor + (LOCAL - 1) * out->SegmentDescriptorStride);
    s->Flags.CpuVisible = 1;
    s->Size = s->CommitLimit = a->map_offset < a->visible_bytes ? a->map_offset : a->visible_bytes;
    s->CpuTranslatedAddress = a->visible;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS QueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* q) {
  struct adapter* a = adapter;
  switch (q->Type) {
    case DXGKQAITYPE_DRIVERCAPS: {
      DXGK_DRIVERCAPS* caps = q->pOutputData;
      caps->HighestAcceptableAddress.QuadPart = 0xFFFFFFFFFFFF;
      caps->SchedulingCaps.MultiEngineAware = caps->SchedulingCaps.PreemptionAware = caps->SchedulingCaps.NoDmaPatching = 1;
      caps->MemoryManagementCaps.VirtualAddressingSupported = caps->MemoryManagementCaps.GpuMmuSupported = 1;
      caps->MemoryManagementCaps.MapAperture2Supported = caps->MemoryManagementCaps.IoMmuSecureModeSupported = 1;
      caps->GpuEngineTopology.NbAsymetricProcessingNodes = NODES;
      caps->WDDMVersion = DXGKDDI_WDDMv3_0;
      caps->SupportPerEngineTDR = TRUE;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      DXGK_PHYSICALADAPTERCAPS* caps = q->pOutputData;
      caps->NumExecutionNodes = NODES;
      caps->DxgkPhysicalAdapterHandle = a->os.DeviceHandle;
      caps->Flags.GpuMmuSupported = 1;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_GPUMMUCAPS: {
      DXGK_GPUMMUCAPS* caps = q->pOutputData;
      caps->ReadOnlyMemorySupported = caps->NoExecuteMemorySupported = caps->ZeroInPteSupported = 1;
      caps->CacheCoherentMemorySupported = 1;
      caps->PageTableUpdateMode = UPDATE_MODE;
      caps->VirtualAddressBitCount = VA_BITS(LEVELS);
      caps->PageTableLevelCount = LEVELS;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PAGETABLELEVELDESC: {
      const BOOLEAN leaf = ((const DXGK_QUERYPAGETABLELEVELDESCIN*)q->pInputData)->LevelIndex == 0;
      DXGK_PAGE_TABLE_LEVEL_DESC* level = q->pOutputData;
      level->PageTableIndexBitCount = leaf ? LEAF_BITS : UPPER_BITS;
      level->PageTableSegmentId = level->PagingProcessPageTableSegmentId = leaf ? LEAF_SEGMENT : UPPER_SEGMENT;
      level->PageTableSizeInBytes = 8 << level->PageTableIndexBitCount;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_QUERYSEGMENT4: return Segments(a, q->pOutputData);
    case DXGKQAITYPE_PHYSICAL_MEMORY_CAPS:
      ((DXGK_PHYSICAL_MEMORY_CAPS*)q->pOutputData)->HighestVisibleAddress.QuadPart = 0xFFFFFFFFFFFF;
      return STATUS_SUCCESS;
    case DXGKQAITYPE_IOMMU_CAPS:
      ((DXGK_IOMMU_CAPS*)q->pOutputData)->DmaRemappingSupported = 1;
      ((DXGK_IOMMU_CAPS*)q->pOutputData)->IommuIsolationSupported = 1;
      return STATUS_SUCCESS;
    case DXGKQAITYPE_FRAMEBUFFERSAVESIZE: return STATUS_SUCCESS; /* no contents survive power transitions */
    case DXGKQAITYPE_HARDWARERESERVEDRANGES: {
      DXGK_HARDWARERESERVEDRANGES* out = q->pOutputData;
      UINT64 base = 0, bytes = 0; /* remain 0 if firmware reserves no range */
      const BOOLEAN wanted = out->pPhysicalRanges != NULL && out->NumRanges != 0;
      GmmuQueryParameter("ReservedBase", &base);
      GmmuQueryParameter("ReservedBytes", &bytes);
      out->NumRanges = bytes != 0;
      if (bytes != 0 && wanted) out->pPhysicalRanges[0] = (DXGK_PHYSICAL_MEMORY_RANGE){base, bytes};
      return STATUS_SUCCESS;
    }
    default: return STATUS_NOT_SUPPORTED;
  }
}

static NTSTATUS GetNodeMetadata(HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA* out) {
  out->EngineType = DXGK_ENGINE_TYPE_COPY;
  out->GpuMmuSupported = TRUE;
  return STATUS_SUCCESS;
}

/* ---- objects */

static NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* args) {
  args->hKmdProcess = args->hDxgkProcess; /* no state needed: roots belong to contexts */
  return STATUS_SUCCESS;
}

static NTSTATUS DestroyProcess(HANDLE adapter, HANDLE process) { return STATUS_SUCCESS; }

static NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  args->hDevice = adapter;
  return STATUS_SUCCESS;
}

static NTSTATUS DestroyDevice(HANDLE device) { return STATUS_SUCCESS; }

static NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  struct context* c = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof *c, TAG);
  if (c == NULL) return STATUS_NO_MEMORY;
  c->adapter = device;
  /* Paging operations use GPU virtual addresses of the paging process, whose context is created first. */
  if (args->Flags.SystemContext && c->adapter->paging == NULL) c->adapter->paging = c;
  args->ContextInfo.DmaBufferSize = 64 * 1024;
  args->ContextInfo.DmaBufferSegmentSet = args->Flags.SystemContext ? 0 : SET(SYSTEM_HOME);
  args->ContextInfo.Caps.NoPatchingRequired = 1;
  args->hContext = c;
  return STATUS_SUCCESS;
}

static NTSTATUS DestroyContext(HANDLE context) {
  struct context* c = context;
  if (c->adapter->paging == c) c->adapter->paging = NULL;
  ExFreePoolWithTag(c, TAG);
  return STATUS_SUCCESS;
}

static NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  UINT i;
  for (i = 0; i < args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* info = &args->pAllocationInfo[i];
    const GMMU_ALLOCATION* wanted = info->pPrivateDriverData;
    if (info->PrivateDriverDataSize < sizeof *wanted) return STATUS_INVALID_PARAMETER;
    info->hAllocation = ExAllocatePool2(POOL_FLAG_NON_PAGED, 1, TAG); /* only a handle */
    if (info->hAllocation == NULL) return STATUS_NO_MEMORY;
    info->Size = (wanted->bytes + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
    info->PreferredSegment.SegmentId0 = LOCAL_SEGMENT && !wanted->system_only ? LOCAL : SYSTEM_HOME;
    info->SupportedWriteSegmentSet = (LOCAL_SEGMENT && wanted->local_only ? 0 : SET(SYSTEM_HOME)) |
                                     (LOCAL_SEGMENT && !wanted->system_only ? SET(LOCAL) : 0);
    info->EvictionSegmentSet = APERTURE_SEGMENT && SYSTEM_HOME == APERTURE ? SET(APERTURE) : 0;
    info->FlagsWddm2.Cached = 1;
    info->FlagsWddm2.CpuVisible = wanted->cpu_visible;
    info->FlagsWddm2.MapApertureCpuVisible = wanted->map_cpu_visible;
    info->FlagsWddm2.AccessedPhysically = wanted->accessed_physically;
    info->FlagsWddm2.ExplicitResidencyNotification = wanted->explicit_residency;
    info->AllocationPriority = wanted->priority ? wanted->priority : D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS DestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* args) {
  UINT i;
  for (i = 0; i < args->NumAllocations; ++i) ExFreePoolWithTag(args->pAllocationList[i], TAG);
  return STATUS_SUCCESS;
}

static UINT64 SegmentPlace(UINT segment, UINT64 offset) {
  return PLACE(segment == SYSTEM_ADDRESS ? AT_HOST : segment == LOCAL ? AT_LOCAL : AT_APERTURE, offset);
}

static void SetRootPageTable(HANDLE adapter, CONST DXGKARG_SETROOTPAGETABLE* args) {
  ((struct context*)args->hContext)->root = SegmentPlace(args->Address.SegmentId, args->Address.SegmentOffset);
}

/* ---- paging buffers */

/* Appends a command and room for `words` words of data. Returns NULL if they do not fit. */
static struct command* Append(DXGKARG_BUILDPAGINGBUFFER* b, UINT op, UINT words) {
  const UINT bytes = sizeof(struct command) + words * 8;
  struct command* c = b->pDmaBuffer;
  if (c == NULL || b->DmaSize < bytes) return NULL;
  c->op = op;
  c->words = words;
  b->pDmaBuffer = (BYTE*)b->pDmaBuffer + bytes;
  b->DmaSize -= bytes;
  return c;
}

static NTSTATUS Simple(DXGKARG_BUILDPAGINGBUFFER* b, UINT op, UINT64 to, UINT64 from, UINT64 bytes) {
  struct command* c = Append(b, op, 0);
  if (c == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  c->to = to, c->from = from, c->bytes = bytes;
  return STATUS_SUCCESS;
}

/* Writes as many words to a PLACE as fit. MultipassOffset counts the words written so far. */
typedef UINT64 word_of(const DXGKARG_BUILDPAGINGBUFFER* b, UINT i);
static NTSTATUS Words(DXGKARG_BUILDPAGINGBUFFER* b, UINT64 place, UINT count, word_of* word) {
  while (b->MultipassOffset < count) {
    UINT room = b->DmaSize < sizeof(struct command) ? 0 : (UINT)((b->DmaSize - sizeof(struct command)) / 8), i;
    const UINT n = count - b->MultipassOffset < room ? count - b->MultipassOffset : room;
    struct command* c = n == 0 ? NULL : Append(b, OP_WRITE, n);
    if (c == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    c->to = place + 8 * (UINT64)b->MultipassOffset;
    for (i = 0; i < n; ++i) c->data[i] = word(b, b->MultipassOffset + i);
    b->MultipassOffset += n;
  }
  return STATUS_SUCCESS;
}

static UINT64 Entry(const DXGKARG_BUILDPAGINGBUFFER* b, UINT i) {
  const DXGK_PTE* pte = &b->UpdatePageTable.pPageTableEntries[b->UpdatePageTable.Flags.Repeat ? 0 : i];
  if (pte->Zero) return ENTRY_VALID | ENTRY_ZERO;
  if (!pte->Valid) return 0;
  return SegmentPlace((UINT)pte->Segment, pte->PageAddress * PAGE_SIZE) | ENTRY_VALID |
         (b->UpdatePageTable.PageTableLevel == 0 && pte->ReadOnly ? ENTRY_READ_ONLY : 0) |
         (b->UpdatePageTable.PageTableLevel == 0 && pte->NoExecute ? ENTRY_NO_EXECUTE : 0);
}

static NTSTATUS UpdatePageTable(DXGKARG_BUILDPAGINGBUFFER* b) {
  const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE* op = &b->UpdatePageTable;
  const D3DGPU_PHYSICAL_ADDRESS at = op->PageTableAddress.GpuPhysical;
  UINT64 table = SegmentPlace(at.SegmentId, at.SegmentOffset);
  UINT i;
  if (op->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) { /* at once; always for the paging process's first tables */
    for (i = 0; i < op->NumPageTableEntries; ++i)
      WRITE_REGISTER_ULONG64((volatile ULONG64*)op->PageTableAddress.CpuVirtual + op->StartIndex + i, Entry(b, i));
    return STATUS_SUCCESS;
  }
  if (op->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) table = PLACE(AT_VIRTUAL, op->PageTableAddress.GpuVirtual);
  return Words(b, table + 8 * (UINT64)op->StartIndex, op->NumPageTableEntries, Entry);
}

static UINT64 MdlWord(const DXGKARG_BUILDPAGINGBUFFER* b, UINT i) {
  return MmGetMdlPfnArray(b->MapApertureSegment.pMdl)[b->MapApertureSegment.MdlOffset + i] * PAGE_SIZE | ENTRY_VALID;
}
static UINT64 AdlWord(const DXGKARG_BUILDPAGINGBUFFER* b, UINT i) {
  const DXGK_ADL* adl = &b->MapApertureSegment2.Adl;
  const UINT page = b->MapApertureSegment2.AdlOffset + i;
  return (adl->Flags.Contiguous ? adl->BasePageNumber + page : adl->Pages[page]) * PAGE_SIZE | ENTRY_VALID;
}
static UINT64 DummyWord(const DXGKARG_BUILDPAGINGBUFFER* b, UINT i) {
  return (UINT64)b->UnmapApertureSegment.DummyPage.QuadPart | ENTRY_VALID;
}
static NTSTATUS Aperture(struct adapter* a, DXGKARG_BUILDPAGINGBUFFER* b, SIZE_T first, SIZE_T pages, word_of* word) {
  return Words(b, PLACE(AT_LOCAL, a->map_offset + 8 * first), (UINT)pages, word);
}

/* Returns the address of one side of a transfer, for page number MultipassOffset. */
static UINT64 Side(const DXGKARG_BUILDPAGINGBUFFER* b, UINT segment, LARGE_INTEGER at, MDL* mdl) {
  const UINT page = b->MultipassOffset;
  if (segment == SYSTEM_ADDRESS) return PLACE(AT_HOST, MmGetMdlPfnArray(mdl)[b->Transfer.MdlOffset + page] * PAGE_SIZE);
  return SegmentPlace(segment, (UINT64)at.QuadPart + b->Transfer.TransferOffset + (UINT64)page * PAGE_SIZE);
}
static NTSTATUS Transfer(DXGKARG_BUILDPAGINGBUFFER* b) {
  for (; (UINT64)b->MultipassOffset * PAGE_SIZE < b->Transfer.TransferSize; ++b->MultipassOffset) {
    const UINT64 left = b->Transfer.TransferSize - (UINT64)b->MultipassOffset * PAGE_SIZE;
    const UINT64 from = Side(b, b->Transfer.Source.SegmentId, b->Transfer.Source.SegmentAddress, b->Transfer.Source.pMdl);
    const UINT64 to = Side(b, b->Transfer.Destination.SegmentId, b->Transfer.Destination.SegmentAddress,
                           b->Transfer.Destination.pMdl);
    const NTSTATUS status = Simple(b, OP_COPY, to, from, left < PAGE_SIZE ? left : PAGE_SIZE);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS CopyEntries(DXGKARG_BUILDPAGINGBUFFER* b) {
  for (; b->MultipassOffset < b->CopyPageTableEntries.NumRanges; ++b->MultipassOffset) {
    const DXGK_BUILDPAGINGBUFFER_COPY_RANGE* r = &b->CopyPageTableEntries.pRanges[b->MultipassOffset];
    const NTSTATUS status = Simple(b, OP_COPY, PLACE(AT_VIRTUAL, r->DstPageTableAddress + 8ull * r->DstStartPteIndex),
                                   PLACE(AT_VIRTUAL, r->SrcPageTableAddress + 8ull * r->SrcStartPteIndex),
                                   8ull * r->NumPageTableEntries);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS Build(struct adapter* a, DXGKARG_BUILDPAGINGBUFFER* b) {
  switch (b->Operation) {
    case DXGK_OPERATION_TRANSFER: return Transfer(b);
    case DXGK_OPERATION_FILL:
      return Simple(b, OP_FILL, SegmentPlace(b->Fill.Destination.SegmentId, (UINT64)b->Fill.Destination.SegmentAddress.QuadPart),
                    b->Fill.FillPattern, b->Fill.FillSize);
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return Simple(b, OP_COPY, PLACE(AT_VIRTUAL, b->TransferVirtual.DestinationVirtualAddress),
                    PLACE(AT_VIRTUAL, b->TransferVirtual.SourceVirtualAddress), b->TransferVirtual.TransferSizeInBytes);
    case DXGK_OPERATION_VIRTUAL_FILL:
      return Simple(b, OP_FILL, PLACE(AT_VIRTUAL, b->FillVirtual.DestinationVirtualAddress), b->FillVirtual.FillPattern,
                    b->FillVirtual.FillSizeInBytes);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE: return UpdatePageTable(b);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES: return CopyEntries(b);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      return Aperture(a, b, b->MapApertureSegment.OffsetInPages, b->MapApertureSegment.NumberOfPages, MdlWord);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
      return Aperture(a, b, b->MapApertureSegment2.OffsetInPages, b->MapApertureSegment2.NumberOfPages, AdlWord);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return Aperture(a, b, b->UnmapApertureSegment.OffsetInPages, b->UnmapApertureSegment.NumberOfPages, DummyWord);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
      return Simple(b, OP_SIGNAL, PLACE(AT_VIRTUAL, b->SignalMonitoredFence.MonitoredFenceGpuVa),
                    b->SignalMonitoredFence.MonitoredFenceValue, 8);
    default: return STATUS_SUCCESS; /* nothing to do: no translations are cached */
  }
}

/* Some systems do not pass the address of a paging buffer in segment 0, so the private data of each
 * operation (any may start a submission) contains the buffer's physical address. */
static NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* b) {
  UINT64* start = b->pDmaBufferPrivateData;
  const PVOID first = b->pDmaBuffer;
  NTSTATUS status;
  if (first == NULL || b->DmaBufferGpuVirtualAddress != 0) return Build(adapter, b);
  if (b->DmaBufferPrivateDataSize < sizeof *start) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  status = Build(adapter, b);
  if (b->pDmaBuffer != first) {
    *start = (UINT64)MmGetPhysicalAddress(first).QuadPart - b->DmaBufferWriteOffset;
    b->pDmaBufferPrivateData = start + 1;
  }
  return status;
}

/* ---- submission and interrupts */

static NTSTATUS SubmitCommandVirtual(HANDLE adapter, CONST DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  struct adapter* a = adapter;
  const UINT node = args->NodeOrdinal;
  const struct context* c = node == 0 ? a->paging : args->hContext;
  const unsigned slot = REG_RING(node) + (a->tail[node] % RING_SLOTS) * 4;
  UINT64 buffer = args->DmaBufferVirtualAddress;
  if (node >= NODES) return STATUS_INVALID_PARAMETER;
  if (node == 0 && args->DmaBufferPrivateDataSize != 0) buffer += *(UINT64*)args->pDmaBufferPrivateData;
  Write(a, slot, PLACE(node == 0 ? AT_HOST : AT_VIRTUAL, buffer));
  Write(a, slot + 1, args->Flags.NullRendering || args->Flags.ContextSwitch ? 0 : args->DmaBufferSize);
  Write(a, slot + 2, c == NULL ? 0 : c->root);
  Write(a, slot + 3, args->SubmissionFenceId);
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

static void Notify(struct adapter* a, DXGK_INTERRUPT_TYPE type, DXGKARGCB_NOTIFY_INTERRUPT_DATA data) {
  data.InterruptType = type;
  a->os.DxgkCbNotifyInterrupt(a->os.DeviceHandle, &data);
}

static BOOLEAN InterruptRoutine(PVOID context, ULONG message) {
  const DXGKARGCB_NOTIFY_INTERRUPT_DATA none = {0};
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  struct adapter* a = context;
  UINT node;
  if (a->registers == NULL) return FALSE; /* the device is stopped */
  for (node = 0; node < NODES; ++node) {
    const UINT preempted = (UINT)Read(a, REG_PREEMPTED(node)); /* read first: preempted submissions will not complete */
    const UINT fence = (UINT)Read(a, REG_FENCE(node));
    const UINT64 fault = Read(a, REG_FAULT(node));
    if (fence != a->reported[node]) {
      data = none;
      data.DmaCompleted.SubmissionFenceId = a->reported[node] = fence;
      data.DmaCompleted.NodeOrdinal = node;
      Notify(a, DXGK_INTERRUPT_DMA_COMPLETED, data);
    }
    if (preempted != a->preempted[node]) {
      data = none;
      data.DmaPreempted.PreemptionFenceId = a->preempted[node] = preempted;
      data.DmaPreempted.LastCompletedFenceId = fence;
      data.DmaPreempted.NodeOrdinal = node;
      Notify(a, DXGK_INTERRUPT_DMA_PREEMPTED, data);
    }
    if (fault != 0 && fault != a->faults[node]) {
      a->faults[node] = fault;
      data = none;
      data.DmaPageFaulted.FaultedFenceId = a->reported[node] = (UINT)fault;
      data.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
      data.DmaPageFaulted.FaultedVirtualAddress = Read(a, REG_FAULT_VA(node));
      data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
      data.DmaPageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
      data.DmaPageFaulted.FaultedPrimitiveAPISequenceNumber = DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
      data.DmaPageFaulted.NodeOrdinal = node;
      Notify(a, DXGK_INTERRUPT_DMA_PAGE_FAULTED, data);
    }
  }
  if (Read(a, REG_SIGNALS) != 0) {
    Write(a, REG_SIGNALS, 0);
    Notify(a, DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED, none);
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
  args->DependentNodeOrdinalMask = 1ull << args->NodeOrdinal;
  return STATUS_SUCCESS;
}

static NTSTATUS ResetFromTimeout(HANDLE adapter) {
  DXGKARG_RESETENGINE args = {0};
  for (; args.NodeOrdinal < NODES; ++args.NodeOrdinal) ResetEngine(adapter, &args);
  return STATUS_SUCCESS;
}

static NTSTATUS RestartFromTimeout(HANDLE adapter) { return STATUS_SUCCESS; }

/* Nothing to do: the scheduler has drained both nodes, so the hardware is idle. */
static NTSTATUS BeginExclusiveAccess(HANDLE adapter, DXGKARG_BEGINEXCLUSIVEACCESS* args) { return STATUS_SUCCESS; }
static NTSTATUS EndExclusiveAccess(HANDLE adapter, DXGKARG_ENDEXCLUSIVEACCESS* args) { return STATUS_SUCCESS; }

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA table = {
      .Version = DXGKDDI_INTERFACE_VERSION_WDDM3_0,
      /* the device */
      .DxgkDdiAddDevice = AddDevice, .DxgkDdiStartDevice = StartDevice,
      .DxgkDdiStopDevice = StopDevice, .DxgkDdiRemoveDevice = RemoveDevice,
      .DxgkDdiSetPowerState = SetPowerState, .DxgkDdiQueryAdapterInfo = QueryAdapterInfo,
      .DxgkDdiGetNodeMetadata = GetNodeMetadata,
      /* objects */
      .DxgkDdiCreateProcess = CreateProcess, .DxgkDdiDestroyProcess = DestroyProcess,
      .DxgkDdiCreateDevice = CreateDevice, .DxgkDdiDestroyDevice = DestroyDevice,
      .DxgkDdiCreateContext = CreateContext, .DxgkDdiDestroyContext = DestroyContext,
      .DxgkDdiCreateAllocation = CreateAllocation, .DxgkDdiDestroyAllocation = DestroyAllocation,
      .DxgkDdiSetRootPageTable = SetRootPageTable,
      /* work */
      .DxgkDdiBuildPagingBuffer = BuildPagingBuffer, .DxgkDdiSubmitCommandVirtual = SubmitCommandVirtual,
      .DxgkDdiPreemptCommand = PreemptCommand, .DxgkDdiQueryCurrentFence = QueryCurrentFence,
      .DxgkDdiInterruptRoutine = InterruptRoutine, .DxgkDdiDpcRoutine = DpcRoutine,
      .DxgkDdiBeginExclusiveAccess = BeginExclusiveAccess, .DxgkDdiEndExclusiveAccess = EndExclusiveAccess,
      /* recovery */
      .DxgkDdiResetEngine = ResetEngine, .DxgkDdiQueryEngineStatus = QueryEngineStatus,
      .DxgkDdiQueryDependentEngineGroup = QueryDependentEngineGroup,
      .DxgkDdiResetFromTimeout = ResetFromTimeout, .DxgkDdiRestartFromTimeout = RestartFromTimeout};
  return DxgkInitialize(DriverObject, RegistryPath, &table);
}
