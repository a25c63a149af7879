/* SPDX-License-Identifier: Apache-2.0 */
/* Of the display driver interface of GDI: its rectangles. */
#ifndef GMMU_DDI_WINDDI_H
#define GMMU_DDI_WINDDI_H

#include "windef.h"

#endif
