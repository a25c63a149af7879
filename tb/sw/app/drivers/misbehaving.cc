// SPDX-License-Identifier: Apache-2.0
// The built-in driver with one error, selected by environment variable GMMU_MISDEED. The build
// renames the driver's call to DxgkInitialize, so that it reaches Misbehave below.
#undef DxgkInitialize
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ddi/dispmprt.h"
#include "kernel_misdeeds.h"

namespace {

constexpr ULONG kTag = 0x64616220;  // " bad"

bool Is(const char* misdeed) {
  const char* asked = std::getenv("GMMU_MISDEED");
  return asked != nullptr && std::strcmp(asked, misdeed) == 0;
}

DRIVER_INITIALIZATION_DATA real;
const DXGK_PTE* kept_entries = nullptr;
const DXGKARG_CREATEALLOCATION* kept_argument = nullptr;
ULONG shared = 0;
DXGKRNL_INTERFACE os;  // the driver's copy of the system's callback table

/// Clears the wait bit in each command.
void DropWaits(void* first, void* end) {
  for (auto* command = static_cast<ULONG64*>(first); command < end; command += *command >> 48) *command &= ~0x100ull;
}

NTSTATUS Query(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* args) {
  const NTSTATUS status = real.DxgkDdiQueryAdapterInfo(adapter, args);
  if (Is("before_output") && args->pOutputData != nullptr) static_cast<volatile UINT*>(args->pOutputData)[-1] = 1;
  return status;
}

constexpr UINT64 kPage = 4096;
constexpr UINT kPagesOf64k = 16;
UINT64 WholePages(UINT64 bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Mishandles a size or an offset. The system owns the operation, so a copy is modified.
NTSTATUS BuildOperation(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  DXGKARG_BUILDPAGINGBUFFER wrong = *args;
  const bool update = args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
  if (Is("whole_page_transfers") && args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
    wrong.TransferVirtual.TransferSizeInBytes = WholePages(args->TransferVirtual.TransferSizeInBytes);
  if (Is("page_aligned_transfers") && args->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER)
    wrong.TransferVirtual.DestinationVirtualAddress &= ~(kPage - 1);
  if (Is("whole_page_fills") && args->Operation == DXGK_OPERATION_VIRTUAL_FILL)
    wrong.FillVirtual.FillSizeInBytes = WholePages(args->FillVirtual.FillSizeInBytes);
  if (Is("offset_added_to_address") && args->Operation == DXGK_OPERATION_VIRTUAL_FILL)
    wrong.FillVirtual.DestinationVirtualAddress += args->FillVirtual.AllocationOffsetInBytes % kPage;
  if (Is("unmaps_whole_runs") && update && args->UpdatePageTable.Flags.Repeat &&
      !args->UpdatePageTable.pPageTableEntries[0].Valid && args->UpdatePageTable.PageTableLevel == 0) {
    const UINT end = args->UpdatePageTable.StartIndex + args->UpdatePageTable.NumPageTableEntries;
    wrong.UpdatePageTable.NumPageTableEntries += (kPagesOf64k - end % kPagesOf64k) % kPagesOf64k;
  }
  if (Is("starts_at_whole_runs") && update && args->UpdatePageTable.PageTableLevel == 0)
    wrong.UpdatePageTable.StartIndex -= args->UpdatePageTable.StartIndex % kPagesOf64k % 2;
  if (Is("ignores_room") && args->pDmaBuffer != nullptr && args->DmaSize != 0)
    wrong.DmaSize = 65536 - args->DmaBufferWriteOffset;
  if (Is("resumes_one_late") && args->MultipassOffset != 0) ++wrong.MultipassOffset;
  const NTSTATUS status = real.DxgkDdiBuildPagingBuffer(adapter, &wrong);
  args->pDmaBuffer = wrong.pDmaBuffer;
  args->DmaSize = wrong.DmaSize;
  args->pDmaBufferPrivateData = wrong.pDmaBufferPrivateData;
  args->DmaBufferPrivateDataSize = wrong.DmaBufferPrivateDataSize;
  args->MultipassOffset = Is("forgets_where_it_was") ? 0 : wrong.MultipassOffset;
  return status;
}

// Assumes that every paging buffer starts on a page boundary.
NTSTATUS SubmitVirtual(HANDLE adapter, CONST DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  DXGKARG_SUBMITCOMMANDVIRTUAL wrong = *args;
  if (Is("submits_from_buffer_start") && args->Flags.Paging) wrong.DmaBufferVirtualAddress &= ~(kPage - 1);
  return real.DxgkDdiSubmitCommandVirtual(adapter, &wrong);
}

NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  void* const begin = args->pDmaBuffer;
  if (Is("past_paging_buffer") && begin != nullptr) static_cast<volatile UCHAR*>(begin)[args->DmaSize] = 1;
  if (Is("before_paging_buffer") && begin != nullptr) static_cast<volatile UCHAR*>(begin)[-8] = 1;
  if (Is("kept_entries") && kept_entries != nullptr && *reinterpret_cast<const volatile ULONG64*>(kept_entries) == 1)
    return STATUS_UNSUCCESSFUL;
  if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) kept_entries = args->UpdatePageTable.pPageTableEntries;
  if (Is("race")) ++shared;
  const NTSTATUS status = BuildOperation(adapter, args);
  if (Is("no_waits") && begin != nullptr) DropWaits(begin, args->pDmaBuffer);
  return status;
}

NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  if (Is("past_allocation_info")) args->pAllocationInfo[args->NumAllocations].Alignment = 0;
  if (Is("before_allocation_info"))
    *reinterpret_cast<volatile ULONG64*>(reinterpret_cast<UCHAR*>(args->pAllocationInfo) - 8) = 0;
  if (Is("kept_argument") && kept_argument != nullptr && kept_argument->NumAllocations == 0) return STATUS_UNSUCCESSFUL;
  kept_argument = args;
  return real.DxgkDdiCreateAllocation(adapter, args);
}

NTSTATUS DestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* args) {
  const auto* list = const_cast<HANDLE const volatile*>(args->pAllocationList);
  if (Is("past_allocation_list") && list[args->NumAllocations] == nullptr) return STATUS_UNSUCCESSFUL;
  return real.DxgkDdiDestroyAllocation(adapter, args);
}

NTSTATUS Escape(HANDLE adapter, CONST DXGKARG_ESCAPE* args) {
  if (Is("race")) ++shared;
  if (Is("exits")) std::exit(0);
  while (Is("spins")) continue;
  if (Is("past_escape")) static_cast<volatile UCHAR*>(args->pPrivateDriverData)[args->PrivateDriverDataSize] = 1;
  return real.DxgkDdiEscape(adapter, args);
}

BOOLEAN Interrupt(PVOID context, ULONG message) {
  DXGK_DEVICE_INFO info;
  if (Is("device_information_in_isr")) os.DxgkCbGetDeviceInformation(os.DeviceHandle, &info);
  return real.DxgkDdiInterruptRoutine(context, message);
}

void Deferred(PVOID context) {
  PVOID view = nullptr;
  ULONG word = 0, done = 0;
  if (Is("map_memory_in_dpc")) os.DxgkCbMapMemory(os.DeviceHandle, {}, 4096, FALSE, FALSE, MmNonCached, &view);
  if (Is("device_space_in_dpc"))
    os.DxgkCbReadDeviceSpace(os.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &word, 0, sizeof word, &done);
  if (Is("acpi_in_dpc")) os.DxgkCbEvalAcpiMethod(os.DeviceHandle, 0, nullptr, 0, nullptr, 0);
  real.DxgkDdiDpcRoutine(context);
}

// With leaks_when_refused, memory that is allocated before a failing start is not freed.
NTSTATUS Start(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children) {
  KernelMisdeeds::Do(Is);
  std::memcpy(&os, kernel, std::min<size_t>(kernel->Size, sizeof os));
  if (Is("past_interface") && reinterpret_cast<volatile ULONG64*>(kernel)[kernel->Size / sizeof(ULONG64)] == 1)
    return STATUS_UNSUCCESSFUL;
  if (Is("queues_no_dpc")) kernel->DxgkCbQueueDpc = [](HANDLE) -> BOOLEAN { return TRUE; };
  if (Is("notifies_no_dpc")) kernel->DxgkCbNotifyDpc = [](HANDLE) {};
  if (!Is("leaks_when_refused")) return real.DxgkDdiStartDevice(context, info, kernel, sources, children);
  PVOID const mine = ExAllocatePool2(POOL_FLAG_NON_PAGED, 24, kTag);
  const NTSTATUS status = real.DxgkDdiStartDevice(context, info, kernel, sources, children);
  if (NT_SUCCESS(status) && mine != nullptr) ExFreePoolWithTag(mine, kTag);
  return status;
}

// With trusts_allocations, the driver writes to pool memory without checking that it was allocated.
NTSTATUS Trusting(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  if (Is("notifies_at_passive_level")) os.DxgkCbNotifyDpc(os.DeviceHandle);
  if (Is("kernel_memory_after_start")) {
    PHYSICAL_ADDRESS highest;
    highest.QuadPart = INT64_MAX;
    MmAllocateContiguousMemory(PAGE_SIZE, highest);
  }
  if (Is("trusts_allocations")) {
    auto* const mine = static_cast<volatile UCHAR*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 24, kTag));
    mine[0] = 1;
    ExFreePoolWithTag(const_cast<UCHAR*>(mine), kTag);
  }
  return real.DxgkDdiCreateDevice(adapter, args);
}

}  // namespace

extern "C" NTSTATUS Misbehave(PDRIVER_OBJECT object, PUNICODE_STRING path, PDRIVER_INITIALIZATION_DATA table) {
  real = *table;
  kept_entries = nullptr;  // may still be set from an earlier run in this process
  kept_argument = nullptr;
  table->DxgkDdiQueryAdapterInfo = Query;
  table->DxgkDdiBuildPagingBuffer = Build;
  table->DxgkDdiSubmitCommandVirtual = SubmitVirtual;
  table->DxgkDdiCreateAllocation = CreateAllocation;
  table->DxgkDdiDestroyAllocation = DestroyAllocation;
  table->DxgkDdiEscape = Escape;
  table->DxgkDdiStartDevice = Start;
  table->DxgkDdiCreateDevice = Trusting;
  table->DxgkDdiInterruptRoutine = Interrupt;
  table->DxgkDdiDpcRoutine = Deferred;
  return DxgkInitialize(object, path, table);
}
