// SPDX-License-Identifier: Apache-2.0
// A driver for this project's GPU: sw/kmd, with the functions in this file between its function
// table and Dxgkrnl. Each function may inspect a call of the system, replace it, or pass it on.
// This example counts the paging operations and prints the counts when the device stops.
//
// The command in the README compiles sw/kmd with -DDxgkInitialize=CountedInitialize, so that its
// DriverEntry calls the function of that name in this file.
#undef DxgkInitialize
#include "ddi/dispmprt.h"

namespace {

constexpr unsigned kOperations = DXGK_OPERATION_NOTIFY_ALLOC + 1;

DRIVER_INITIALIZATION_DATA own;  // the original function table of sw/kmd
LONG calls[kOperations], full;

NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* operation) {
  if (operation->Operation < kOperations) InterlockedIncrement(&calls[operation->Operation]);
  const NTSTATUS status = own.DxgkDdiBuildPagingBuffer(adapter, operation);
  if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) InterlockedIncrement(&full);
  return status;
}

NTSTATUS Stop(PVOID context) {
  const auto say = [](const char* what, LONG count) {
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_INFO_LEVEL, "counting: %d %s\n", static_cast<int>(count), what);
  };
  say("page table updates", calls[DXGK_OPERATION_UPDATE_PAGE_TABLE]);
  say("flushes", calls[DXGK_OPERATION_FLUSH_TLB]);
  say("transfers", calls[DXGK_OPERATION_VIRTUAL_TRANSFER] + calls[DXGK_OPERATION_TRANSFER]);
  say("fills", calls[DXGK_OPERATION_VIRTUAL_FILL] + calls[DXGK_OPERATION_FILL]);
  say("aperture maps", calls[DXGK_OPERATION_MAP_APERTURE_SEGMENT] + calls[DXGK_OPERATION_MAP_APERTURE_SEGMENT2]);
  say("buffers that were too small", full);
  return own.DxgkDdiStopDevice(context);
}

}  // namespace

extern "C" NTSTATUS CountedInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path, PDRIVER_INITIALIZATION_DATA table) {
  own = *table;
  table->DxgkDdiBuildPagingBuffer = Build;
  table->DxgkDdiStopDevice = Stop;
  return DxgkInitialize(object, path, table);
}
