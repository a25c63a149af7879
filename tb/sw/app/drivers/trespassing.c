/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that does what its file is named after (MISDEED) with memory that it was given, and nothing else. */
#include <wdm.h>

#include <dispmprt.h>

#define TAG 0x74736574 /* "test" */

static NTSTATUS AddDevice(PDEVICE_OBJECT Device, PVOID* Context) {
  UCHAR* volatile block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 40, TAG);
  (void)Device;
  *Context = block;
#if MISDEED == 1 /* past_pool */
  block[48] = 1;
#elif MISDEED == 2 /* past_pool_by_a_byte */
  block[40] = 1;
  ExFreePoolWithTag(block, TAG);
#elif MISDEED == 3 /* freed_twice */
  ExFreePoolWithTag(block, TAG);
  ExFreePoolWithTag(block, TAG);
#elif MISDEED == 4 /* freed_inside */
  ExFreePoolWithTag(block + 16, TAG);
#elif MISDEED == 5 /* used_after_free */
  ExFreePoolWithTag(block, TAG);
  return block[8];
#endif
  return STATUS_SUCCESS;
}

static NTSTATUS QueryAdapterInfo(HANDLE Adapter, CONST DXGKARG_QUERYADAPTERINFO* Query) {
  UCHAR* out = (UCHAR*)Query->pOutputData;
  UINT i;
  (void)Adapter;
  for (i = 0; i <= Query->OutputDataSize + 3; ++i) out[i] = 0xFF; /* past_query */
  return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA table = {0};
  table.Version = DXGKDDI_INTERFACE_VERSION;
  table.DxgkDdiAddDevice = AddDevice;
  table.DxgkDdiQueryAdapterInfo = QueryAdapterInfo;
  return DxgkInitialize(DriverObject, RegistryPath, &table);
}
