/* SPDX-License-Identifier: Apache-2.0 */
/* The headers at interface version 0xE003, at which the size of the driver table was observed on Windows. */
#define DXGKDDI_INTERFACE_VERSION 0xE003
#include "layout_static.h"

int gmmu_headers_wddm2_9(void);
int gmmu_headers_wddm2_9(void) { return (int)sizeof(DRIVER_INITIALIZATION_DATA); }
