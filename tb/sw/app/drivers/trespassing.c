/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that misuses the memory that it was given. MISDEED selects the misuse, after which the
 * shared object is named. */
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
#elif MISDEED == 6 /* wild: the memory behind a handle is not the driver's */
  for (ULONG i = 0; i < 4; ++i) ((PVOID*)Device)[i] = (PVOID)(ULONG_PTR)0x18;
#endif
  return STATUS_SUCCESS;
}

static NTSTATUS QueryAdapterInfo(HANDLE Adapter, CONST DXGKARG_QUERYADAPTERINFO* Query) {
  UCHAR* out = (UCHAR*)Query->pOutputData;
  const UINT bytes = Query->OutputDataSize + (MISDEED == 0 ? 4 : 0); /* past_query */
  UINT i;
  (void)Adapter;
  if (Query->Type != DXGKQAITYPE_PHYSICAL_MEMORY_CAPS) return STATUS_NOT_SUPPORTED;
  for (i = 0; i < bytes; ++i) out[i] = 0xFF;
  return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA table = {0};
  table.Version = DXGKDDI_INTERFACE_VERSION;
  table.DxgkDdiAddDevice = AddDevice;
  table.DxgkDdiQueryAdapterInfo = QueryAdapterInfo;
  return DxgkInitialize(DriverObject, RegistryPath, &table);
}
