// SPDX-License-Identifier: Apache-2.0
// Implements the routines declared in wdm_debug.h.
#include "ddi/wdm_debug.h"

#include "os/base/bug_check.h"
#include "os/wdm/driver_text.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"

using gmmu::os::BugCheck;
using gmmu::os::Kernel;
using gmmu::os::StopCode;

namespace {

constexpr ULONG kBreakPoint = 0x80000003;

void Print(const std::string& text) {
  if (const auto& print = Kernel::Current().parameters().debug_print; print) print(text);
  Kernel::Current().scheduler().Preempt();
}

}  // namespace

extern "C" {

ULONG vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level, PCSTR Format, va_list Arguments) {
  UNREFERENCED_PARAMETER(ComponentId);
  UNREFERENCED_PARAMETER(Level);
  Print(Prefix + gmmu::os::DriverText(Format, Arguments));
  return STATUS_SUCCESS;
}
ULONG vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, va_list Arguments) {
  return vDbgPrintExWithPrefix("", ComponentId, Level, Format, Arguments);
}
ULONG DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...) {
  va_list arguments;
  va_start(arguments, Format);
  const ULONG status = vDbgPrintEx(ComponentId, Level, Format, arguments);
  va_end(arguments);
  return status;
}
ULONG DbgPrint(PCSTR Format, ...) {
  va_list arguments;
  va_start(arguments, Format);
  const ULONG status = vDbgPrintEx(DPFLTR_DEFAULT_ID, DPFLTR_INFO_LEVEL, Format, arguments);
  va_end(arguments);
  return status;
}

void DbgBreakPoint(void) {
  throw BugCheck(StopCode::kSystemThreadException, {kBreakPoint, 0, 0, 0},
                 "the driver came to a break point (DbgBreakPoint), and no debugger is attached");
}
ULONG DbgPrompt(PCSTR Prompt, PSTR Response, ULONG Length) {
  Print(Prompt);
  if (Length != 0) *Response = 0;
  return 0;
}

static BOOLEAN no_debugger = TRUE, debugger = FALSE;
PBOOLEAN KdDebuggerNotPresent = &no_debugger;
PBOOLEAN KdDebuggerEnabled = &debugger;
BOOLEAN KdRefreshDebuggerNotPresent(void) { return TRUE; }

void KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR P1, ULONG_PTR P2, ULONG_PTR P3, ULONG_PTR P4) {
  throw BugCheck(static_cast<StopCode>(BugCheckCode), {P1, P2, P3, P4},
                 "the driver called KeBugCheckEx with code " + gmmu::os::Hex(BugCheckCode));
}
void KeBugCheck(ULONG BugCheckCode) { KeBugCheckEx(BugCheckCode, 0, 0, 0, 0); }
void ExRaiseStatus(NTSTATUS Status) {
  const auto status = static_cast<ULONG>(Status);
  throw BugCheck(StopCode::kSystemThreadException, {status, 0, 0, 0},
                 "the driver raised the exception " + gmmu::os::Hex(status) + " (ExRaiseStatus)");
}

NTSTATUS EtwRegister(LPCGUID ProviderId, PETWENABLECALLBACK EnableCallback, PVOID CallbackContext,
                     PREGHANDLE RegHandle) {
  UNREFERENCED_PARAMETER(ProviderId);
  UNREFERENCED_PARAMETER(EnableCallback);
  UNREFERENCED_PARAMETER(CallbackContext);
  Kernel::Called("EtwRegister", gmmu::os::kPassive);
  *RegHandle = Kernel::Current().ledger().Open("etw_provider", "an event provider", "driver", "EtwRegister");
  return STATUS_SUCCESS;
}
NTSTATUS EtwUnregister(REGHANDLE RegHandle) {
  Kernel::Called("EtwUnregister", gmmu::os::kPassive);
  if (!Kernel::Current().ledger().IsOpen(RegHandle, "etw_provider"))
    throw BugCheck("EtwUnregister of " + gmmu::os::Hex(RegHandle) + ", which is not registered");
  Kernel::Current().ledger().Close(RegHandle);
  return STATUS_SUCCESS;
}
NTSTATUS EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor, LPCGUID ActivityId, ULONG UserDataCount,
                  PEVENT_DATA_DESCRIPTOR UserData) {
  return EtwWriteTransfer(RegHandle, EventDescriptor, ActivityId, nullptr, UserDataCount, UserData);
}
NTSTATUS EtwWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor, LPCGUID ActivityId,
                          LPCGUID RelatedActivityId, ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData) {
  UNREFERENCED_PARAMETER(RegHandle);
  UNREFERENCED_PARAMETER(ActivityId);
  UNREFERENCED_PARAMETER(RelatedActivityId);
  ULONG bytes = 0;
  for (ULONG i = 0; i < UserDataCount; ++i) bytes += UserData[i].Size;
  Print("event " + std::to_string(EventDescriptor->Id) + " of level " + std::to_string(EventDescriptor->Level) + ", " +
        std::to_string(bytes) + " bytes");
  return STATUS_SUCCESS;
}
BOOLEAN EtwEventEnabled(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor) {
  UNREFERENCED_PARAMETER(RegHandle);
  UNREFERENCED_PARAMETER(EventDescriptor);
  return FALSE;
}
BOOLEAN EtwProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword) {
  UNREFERENCED_PARAMETER(RegHandle);
  UNREFERENCED_PARAMETER(Level);
  UNREFERENCED_PARAMETER(Keyword);
  return FALSE;
}

}  // extern "C"
