/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel-mode graphics DDI, its memory half. The parts: memory objects and ADLs; paging;
 * capabilities; execution. */
#ifndef GMMU_DDI_D3DKMDDI_H
#define GMMU_DDI_D3DKMDDI_H
#include "d3dkmddi_caps.h"
#include "d3dkmddi_exec.h"
#include "d3dkmddi_memory.h"
#include "d3dkmddi_paging.h"
#endif
