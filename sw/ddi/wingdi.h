/* SPDX-License-Identifier: Apache-2.0 */
/* Of the graphics device interface: rectangles and results. */
#ifndef GMMU_DDI_WINGDI_H
#define GMMU_DDI_WINGDI_H

#include "windef.h"
#include "winerror.h"

#endif
