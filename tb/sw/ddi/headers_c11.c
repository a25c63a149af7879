/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled as C11: drivers in C must be able to use the headers, with the layouts in
 * layout_table.inc. */
#include "layout_static.h"

int gmmu_headers_c11(void);
int gmmu_headers_c11(void) { return (int)sizeof(DXGKARG_BUILDPAGINGBUFFER); }
