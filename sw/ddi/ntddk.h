/* SPDX-License-Identifier: Apache-2.0 */
/* The header that a driver includes: base types, kernel routines, and the keywords of Microsoft's compiler and
 * analyser. */
#ifndef GMMU_DDI_NTDDK_H
#define GMMU_DDI_NTDDK_H

#include "bugcodes.h"
#include "ntdef.h"
#include "specstrings.h"
#include "wdm.h"
#include "wdm_bus.h"
#include "wdm_inline.h"
#include "wdm_names.h"
#include "winerror.h"

/* If a variadic macro has no variable arguments, Microsoft's preprocessor drops the preceding
 * comma. GCC needs __VA_OPT__ for this. */
#if !defined(__clang__) && __SIZEOF_WCHAR_T__ == 2
#define DbgPrintEx(component, level, format, ...) DbgPrintEx(component, level, format __VA_OPT__(, ) __VA_ARGS__)
#define __debugbreak() DbgBreakPoint()
#define DbgPrint(format, ...) DbgPrint(format __VA_OPT__(, ) __VA_ARGS__)
#endif

#endif
