/* SPDX-License-Identifier: Apache-2.0 */
/* Includes all parts of the kernel-mode graphics DDI: arguments by subject, entry points, callbacks. */
#ifndef GMMU_DDI_D3DKMDDI_H
#define GMMU_DDI_D3DKMDDI_H

#include "d3dkmddi_callbacks.h"
#include "d3dkmddi_calls.h"
#include "d3dkmddi_display_calls.h"
#include "d3dkmddi_pointers.h"
#include "d3dkmddi_queue_calls.h"

#endif
