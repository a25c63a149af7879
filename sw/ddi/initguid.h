/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the headers included after this one define their GUIDs. */
#ifndef GMMU_DDI_INITGUID_H
#define GMMU_DDI_INITGUID_H

#define INITGUID
#include "guiddef.h"

#endif
