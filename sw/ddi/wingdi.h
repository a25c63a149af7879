/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the graphics device interface (GDI): rectangles and results. */
#ifndef GMMU_DDI_WINGDI_H
#define GMMU_DDI_WINGDI_H

#include "windef.h"
#include "winerror.h"

#endif
