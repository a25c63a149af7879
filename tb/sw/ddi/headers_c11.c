/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled as C11: the headers must serve drivers written in C, with the layouts of the table. */
#include "layout_static.h"

int gmmu_headers_c11(void);
int gmmu_headers_c11(void) { return (int)sizeof(DXGKARG_BUILDPAGINGBUFFER); }
