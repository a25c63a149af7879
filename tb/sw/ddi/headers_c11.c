/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled as C11: the headers must serve drivers written in C. */
#include "d3dkmddi.h"
#include "d3dukmdt.h"
#include "dispmprt.h"
#include "ntddk.h"
#include "wdm.h"

int gmmu_headers_c11(void);
int gmmu_headers_c11(void) { return (int)sizeof(DXGKARG_BUILDPAGINGBUFFER); }
