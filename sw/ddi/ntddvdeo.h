/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the video port. This model implements none. */
#ifndef GMMU_DDI_NTDDVDEO_H
#define GMMU_DDI_NTDDVDEO_H

#include "video.h"

#endif
