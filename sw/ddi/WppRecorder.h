/* SPDX-License-Identifier: Apache-2.0 */
/* WPP software tracing. A source includes a header NAME.tmh, which tools/driver_sources.py
 * generates. It maps every trace function of the source to WppTrace, which prints the message with
 * DbgPrintEx if WppRecorderFilter is TRUE. */
#ifndef GMMU_DDI_WPPRECORDER_H
#define GMMU_DDI_WPPRECORDER_H

#include "ntddk.h"

#define TRACE_LEVEL_NONE 0
#define TRACE_LEVEL_CRITICAL 1
#define TRACE_LEVEL_FATAL 1
#define TRACE_LEVEL_ERROR 2
#define TRACE_LEVEL_WARNING 3
#define TRACE_LEVEL_INFORMATION 4
#define TRACE_LEVEL_VERBOSE 5

typedef struct _RECORDER_CONFIGURE_PARAMS {
  ULONG Size;
  BOOLEAN CreateDefaultLog;
} RECORDER_CONFIGURE_PARAMS, *PRECORDER_CONFIGURE_PARAMS;
#define RECORDER_CONFIGURE_PARAMS_INIT(p) ((p)->Size = sizeof(RECORDER_CONFIGURE_PARAMS), (p)->CreateDefaultLog = TRUE)
#define WppRecorderConfigure(p) ((void)(p))
#ifndef WPP_INIT_TRACING
#define WPP_INIT_TRACING(driver, path) ((void)(driver), (void)(path))
#endif
#ifndef WPP_CLEANUP
#define WPP_CLEANUP(driver) ((void)(driver))
#endif

/* TRUE: the trace messages of this source are printed. */
static BOOLEAN WppRecorderFilter __attribute__((__unused__)) = TRUE;
#define WPP_RECORDER_LEVEL_FILTER(flag) WppRecorderFilter

#define WPP_FIRST(first, ...) first

/* Prints only the format string, without its arguments, because DbgPrintEx does not support the
 * conversions of the tracing preprocessor. */
#define WppTrace(level, name, text)                                                                             \
  ((void)(WppRecorderFilter &&                                                                                  \
          DbgPrintEx(DPFLTR_IHVVIDEO_ID, (level) <= TRACE_LEVEL_ERROR ? DPFLTR_ERROR_LEVEL : DPFLTR_INFO_LEVEL, \
                     "%s: %s\n", (name), (text))))

#endif
