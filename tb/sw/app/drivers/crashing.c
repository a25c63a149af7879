/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that dereferences a bad pointer in DriverEntry. */
#include <wdm.h>

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  (void)DriverObject;
  RegistryPath = (PUNICODE_STRING)0x18;
  return *(volatile USHORT*)&RegistryPath->Length;
}
