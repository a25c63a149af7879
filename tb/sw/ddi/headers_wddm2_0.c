/* SPDX-License-Identifier: Apache-2.0 */
/* The headers at interface version 0x5023, with which a WDDM 2.0 driver is compiled. */
#define DXGKDDI_INTERFACE_VERSION 0x5023
#include "layout_static.h"

int gmmu_headers_wddm2_0(void);
int gmmu_headers_wddm2_0(void) { return (int)sizeof(DXGKRNL_INTERFACE); }
