// SPDX-License-Identifier: Apache-2.0
// Kernel routines that the model does not implement (wdm_names.h). Each returns an error, and the
// run's report names the routines that were called.
#include <string>

#include "ddi/wdm_bus.h"
#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"

using gmmu::os::Irql;
using gmmu::os::Kernel;

namespace {

int file_type;
POBJECT_TYPE file_type_name = reinterpret_cast<POBJECT_TYPE>(&file_type);

NTSTATUS Unmodelled(const char* routine, Irql highest = gmmu::os::kHigh) {
  Kernel::Called(routine, highest).NoteUnmodelled(std::string("a call of ") + routine);
  return STATUS_NOT_SUPPORTED;
}

template <typename Pointer>
Pointer None(const char* routine, Irql highest = gmmu::os::kHigh) {
  Unmodelled(routine, highest);
  return nullptr;
}

}  // namespace

extern "C" {

POBJECT_TYPE* IoFileObjectType = &file_type_name;

NTSTATUS ZwCreateFile(PHANDLE, ACCESS_MASK, POBJECT_ATTRIBUTES, PIO_STATUS_BLOCK, PLARGE_INTEGER, ULONG, ULONG, ULONG,
                      ULONG, PVOID, ULONG) {
  return Unmodelled("ZwCreateFile", gmmu::os::kPassive);
}
PDEVICE_OBJECT IoGetRelatedDeviceObject(PFILE_OBJECT) {
  return None<PDEVICE_OBJECT>("IoGetRelatedDeviceObject", gmmu::os::kDispatch);
}
PIRP IoBuildDeviceIoControlRequest(ULONG, PDEVICE_OBJECT, PVOID, ULONG, PVOID, ULONG, BOOLEAN, PKEVENT,
                                   PIO_STATUS_BLOCK) {
  return None<PIRP>("IoBuildDeviceIoControlRequest", gmmu::os::kApc);
}
PIRP IoBuildSynchronousFsdRequest(ULONG, PDEVICE_OBJECT, PVOID, ULONG, PLARGE_INTEGER, PKEVENT, PIO_STATUS_BLOCK) {
  return None<PIRP>("IoBuildSynchronousFsdRequest", gmmu::os::kApc);
}
NTSTATUS IoCallDriver(PDEVICE_OBJECT, PIRP) { return Unmodelled("IoCallDriver", gmmu::os::kDispatch); }
PIO_STACK_LOCATION IoGetNextIrpStackLocation(PIRP) { return None<PIO_STACK_LOCATION>("IoGetNextIrpStackLocation"); }
PIO_STACK_LOCATION IoGetCurrentIrpStackLocation(PIRP) {
  return None<PIO_STACK_LOCATION>("IoGetCurrentIrpStackLocation");
}
// On x64, kernel code may use floating point without saving the state.
NTSTATUS KeSaveFloatingPointState(PKFLOATING_SAVE) {
  Kernel::Called("KeSaveFloatingPointState", gmmu::os::kDispatch);
  return STATUS_SUCCESS;
}
NTSTATUS KeRestoreFloatingPointState(PKFLOATING_SAVE) {
  Kernel::Called("KeRestoreFloatingPointState", gmmu::os::kDispatch);
  return STATUS_SUCCESS;
}

UCHAR READ_PORT_UCHAR(PUCHAR) { return static_cast<UCHAR>(Unmodelled("READ_PORT_UCHAR")); }
USHORT READ_PORT_USHORT(PUSHORT) { return static_cast<USHORT>(Unmodelled("READ_PORT_USHORT")); }
ULONG READ_PORT_ULONG(PULONG) { return static_cast<ULONG>(Unmodelled("READ_PORT_ULONG")); }
void WRITE_PORT_UCHAR(PUCHAR, UCHAR) { Unmodelled("WRITE_PORT_UCHAR"); }
void WRITE_PORT_USHORT(PUSHORT, USHORT) { Unmodelled("WRITE_PORT_USHORT"); }
void WRITE_PORT_ULONG(PULONG, ULONG) { Unmodelled("WRITE_PORT_ULONG"); }
void MmProbeAndLockPages(PMDL, KPROCESSOR_MODE, LOCK_OPERATION) {
  Kernel::Called("MmProbeAndLockPages", gmmu::os::kDispatch).driver().NoteForbidden("MmProbeAndLockPages");
  Unmodelled("MmProbeAndLockPages");
}
void MmUnlockPages(PMDL) { Unmodelled("MmUnlockPages", gmmu::os::kDispatch); }
BOOLEAN MmIsAddressValid(PVOID) {
  Unmodelled("MmIsAddressValid", gmmu::os::kDispatch);
  return FALSE;
}

}  // extern "C"
