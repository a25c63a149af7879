/* SPDX-License-Identifier: Apache-2.0 */
/* Rectangles of the GDI display driver interface. */
#ifndef GMMU_DDI_WINDDI_H
#define GMMU_DDI_WINDDI_H

#include "windef.h"

#endif
