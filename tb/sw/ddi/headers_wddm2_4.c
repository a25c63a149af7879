/* SPDX-License-Identifier: Apache-2.0 */
/* The headers at interface version 0x9006, with which a WDDM 2.4 driver is compiled. */
#define DXGKDDI_INTERFACE_VERSION 0x9006
#include "layout_static.h"

int gmmu_headers_wddm2_4(void);
int gmmu_headers_wddm2_4(void) { return (int)sizeof(DXGKRNL_INTERFACE); }
