/* SPDX-License-Identifier: Apache-2.0 */
/* Debug output and stops: prints, breakpoints, bug checks, event tracing. */
#ifndef GMMU_DDI_WDM_DEBUG_H
#define GMMU_DDI_WDM_DEBUG_H

#include <stdarg.h>

#include "wdm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Format strings follow the WDK: %l has 32 bits, %I64 and %ll have 64; %S prints a string of the
 * other character width, %ws and %wZ print wide strings, and %Z prints a counted ANSI string. */
ULONG DbgPrint(PCSTR Format, ...);
ULONG vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, va_list Arguments);
ULONG vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level, PCSTR Format, va_list Arguments);
#define KdPrint(arguments) DbgPrint arguments
#define KdPrintEx(arguments) DbgPrintEx arguments
/* No debugger is attached, so a breakpoint causes bug check 0x7E (STATUS_BREAKPOINT), and a prompt
 * returns no input. */
void DbgBreakPoint(void);
#define KdBreakPoint() DbgBreakPoint()
ULONG DbgPrompt(PCSTR Prompt, PSTR Response, ULONG Length);
extern PBOOLEAN KdDebuggerNotPresent;
extern PBOOLEAN KdDebuggerEnabled;
#define KD_DEBUGGER_NOT_PRESENT (*KdDebuggerNotPresent)
#define KD_DEBUGGER_ENABLED (*KdDebuggerEnabled)
BOOLEAN KdRefreshDebuggerNotPresent(void);
/* Ends the run with this bug check. */
DECLSPEC_NORETURN void KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR P1, ULONG_PTR P2, ULONG_PTR P3, ULONG_PTR P4);
DECLSPEC_NORETURN void KeBugCheck(ULONG BugCheckCode);
/* Exception handlers are not supported: raising an exception causes bug check 0x7E with the
 * exception's status. */
DECLSPEC_NORETURN void ExRaiseStatus(NTSTATUS Status);

/* Event tracing. No provider is enabled, and every call succeeds. If a driver writes an event
 * without checking whether it is enabled, the event is printed. */
typedef ULONGLONG REGHANDLE, *PREGHANDLE;
typedef struct _EVENT_DESCRIPTOR {
  USHORT Id;
  UCHAR Version;
  UCHAR Channel;
  UCHAR Level;
  UCHAR Opcode;
  USHORT Task;
  ULONGLONG Keyword;
} EVENT_DESCRIPTOR, *PEVENT_DESCRIPTOR;
typedef const EVENT_DESCRIPTOR* PCEVENT_DESCRIPTOR;
typedef struct _EVENT_DATA_DESCRIPTOR {
  ULONGLONG Ptr;
  ULONG Size;
  ULONG Reserved;
} EVENT_DATA_DESCRIPTOR, *PEVENT_DATA_DESCRIPTOR;
typedef VOID ETWENABLECALLBACK(LPCGUID SourceId, ULONG ControlCode, UCHAR Level, ULONGLONG MatchAnyKeyword,
                               ULONGLONG MatchAllKeyword, PVOID FilterData, PVOID CallbackContext);
typedef ETWENABLECALLBACK* PETWENABLECALLBACK;
/* A provider that is still registered when the driver is unloaded is reported as a leak. */
NTSTATUS EtwRegister(LPCGUID ProviderId, PETWENABLECALLBACK EnableCallback, PVOID CallbackContext,
                     PREGHANDLE RegHandle);
NTSTATUS EtwUnregister(REGHANDLE RegHandle);
NTSTATUS EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor, LPCGUID ActivityId, ULONG UserDataCount,
                  PEVENT_DATA_DESCRIPTOR UserData);
NTSTATUS EtwWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor, LPCGUID ActivityId,
                          LPCGUID RelatedActivityId, ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData);
BOOLEAN EtwEventEnabled(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor);
BOOLEAN EtwProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword);

#ifdef __cplusplus
}
#endif

#endif
