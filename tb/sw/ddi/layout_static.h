/* SPDX-License-Identifier: Apache-2.0 */
/* Asserts layout_table.inc and value_table.inc at compile time, in C11 and in C++17. A constant expression cannot
 * determine the position of a bit field, so layout_test.cc sets bit fields at run time.
 * DXGKDDI_INTERFACE_VERSION may be defined before this header is included. */
#ifndef GMMU_TB_LAYOUT_STATIC_H
#define GMMU_TB_LAYOUT_STATIC_H

#include <stddef.h>

#include "bugcodes.h"
#include "d3dkmthk.h"
#include "dispmprt.h"
#include "dxgiformat.h"
#include "wdm_names.h"

#ifdef __cplusplus
#define LAYOUT_HOLDS(condition, text) static_assert(condition, text)
#else
#define LAYOUT_HOLDS(condition, text) _Static_assert(condition, text)
#endif

#define SIZE(structure, bytes) LAYOUT_HOLDS(sizeof(structure) == (bytes), #structure);
#define SIZE_AT(version, structure, bytes) \
  LAYOUT_HOLDS(DXGKDDI_INTERFACE_VERSION != (version) || sizeof(structure) == (bytes), #structure);
#define MEMBER(structure, member, offset) LAYOUT_HOLDS(offsetof(structure, member) == (offset), #structure "." #member);
#define BIT(structure, field, first, width)
#include "layout_table.inc"
#undef SIZE
#undef SIZE_AT
#undef MEMBER
#undef BIT

#define VALUE(name, number) LAYOUT_HOLDS((UINT)(name) == (number), #name);
#include "value_table.inc"
#undef VALUE

#endif
