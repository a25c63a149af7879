/* SPDX-License-Identifier: Apache-2.0 */
/* The GUIDs of the headers that come behind this one are defined here. */
#ifndef GMMU_DDI_INITGUID_H
#define GMMU_DDI_INITGUID_H

#define INITGUID
#include "guiddef.h"

#endif
