/* SPDX-License-Identifier: Apache-2.0 */
/* A driver in C that prints a message and refuses to start. */
#include <wdm.h>

#include <dispmprt.h>

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  (void)DriverObject;
  (void)RegistryPath;
  DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "refusing: number %d\n", 42);
  return STATUS_NOT_SUPPORTED;
}
